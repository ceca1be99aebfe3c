import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../../main/ports/ports.ts'

/** The quota of market depth (service 8.2). */
export const DEPTH_QUOTA = { limit: 30, periodMs: 60_000 } as const

/** `refusing`: nothing listens on its port. */
export type Weather = 'fair' | '503' | 'reset' | 'refusing'

const FRAME_MS = 1_000
const STREAM_TYPE = 'application/vnd.tradestation.streams.v3+json'

/**
 * Market depth of a service that counts every request, including those that it answers with 503 or resets. So
 * its level shows what an outage costs.
 */
export class DepthService {
  readonly #clock: Clock
  readonly #sockets = new Set<Socket>()
  #server = createServer()
  #port = 0
  #weather: Weather = 'fair'
  #free: number = DEPTH_QUOTA.limit
  #atMs: number
  /** The lowest level since `turn`. */
  lowest: number = DEPTH_QUOTA.limit
  /** When each request came, on the clock. */
  readonly triedAtMs: number[] = []
  rejected = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#atMs = clock.monotonicMs()
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get level(): number {
    const now = this.#clock.monotonicMs()
    const grown = ((now - this.#atMs) * DEPTH_QUOTA.limit) / DEPTH_QUOTA.periodMs
    this.#free = Math.min(DEPTH_QUOTA.limit, this.#free + grown)
    this.#atMs = now
    return this.#free
  }

  async start(): Promise<void> {
    this.#server = createServer((incoming, reply) => this.#answer(incoming, reply))
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {})
    })
    await new Promise<void>((resolve) => void this.#server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Changes the weather. Open connections are cut if it turns bad. */
  async turn(weather: Weather): Promise<void> {
    const wasRefusing = this.#weather === 'refusing'
    this.#weather = weather
    if (wasRefusing) await this.start()
    if (weather === 'refusing') this.#server.close()
    if (weather !== 'fair') this.cut()
    this.lowest = this.level
    this.triedAtMs.length = 0
  }

  /** Resets every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  /** Requests of others. */
  spend(requests: number): void {
    this.#free = this.level - requests
  }

  #answer(incoming: IncomingMessage, reply: ServerResponse): void {
    if (!incoming.url?.startsWith('/v3/marketdata/stream/marketdepth/'))
      return void reply.writeHead(404).end()
    this.triedAtMs.push(this.#clock.monotonicMs())
    if (this.level < 1) {
      this.rejected += 1
      const body = JSON.stringify({ Error: 'TooManyRequests', Message: 'Rate quota exceeded' })
      return void reply.writeHead(429, this.#fields()).end(body)
    }
    this.#free -= 1
    this.lowest = Math.min(this.lowest, this.#free)
    if (this.#weather === 'reset') return void incoming.socket.resetAndDestroy()
    if (this.#weather === '503') return void reply.writeHead(503, this.#fields()).end('{}')
    reply.writeHead(200, { 'content-type': STREAM_TYPE, ...this.#fields() })
    this.#speak(reply)
  }

  #speak(reply: ServerResponse): void {
    if (reply.destroyed) return
    reply.write(`${JSON.stringify({ Bids: [], Asks: [], At: this.#clock.monotonicMs() })}\n`)
    this.#clock.after(FRAME_MS, () => this.#speak(reply))
  }

  #fields(): Record<string, string> {
    const { limit, periodMs } = DEPTH_QUOTA
    const level = this.level
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-period': String(periodMs / 1000),
      'x-ratelimit-remaining': String(Math.floor(level)),
      'x-ratelimit-reset': String(Math.ceil(((limit - level) * periodMs) / limit / 1000)),
      'x-ratelimit-resource': 'MarketDepth Stream',
    }
  }

  async stop(): Promise<void> {
    this.cut()
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()))
  }
}

export async function startDepthService(clock: Clock): Promise<DepthService> {
  const service = new DepthService(clock)
  await service.start()
  onTestFinished(() => service.stop())
  return service
}
