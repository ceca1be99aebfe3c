import type { HttpHeaders } from '../../app/service/answer.ts'
import type { Http, HttpOutcome, HttpRequest, HttpStreamListener } from '../../main/ports/ports.ts'
import type { SimulatedService } from '../../main/simulator/simulated-service.ts'
import type {
  Answer,
  OpenedStream,
  ServiceReply,
  ServiceRequest,
  WireHeaders,
} from '../../main/simulator/wire.ts'
import type { VirtualClock } from './virtual-clock.ts'
import type { VirtualRandom } from './virtual-random.ts'
import { FAIR, type Weather } from './weather.ts'

/** What whoever watches the wire is told. Bodies are for looking for secrets and refusals in. */
export interface Wiretap {
  asked(request: HttpRequest, path: string): void
  /** The caller has its outcome, whatever became of the request. */
  done(request: HttpRequest, path: string, outcome: HttpOutcome): void
  /** The head of a stream's answer came in. */
  opened?(path: string, status: number, headers: HttpHeaders): void
}

const NOBODY: Wiretap = { asked: () => {}, done: () => {} }
/** The older variant of a 429, without any quota header (service.md 2.3). */
const THROTTLED: Answer = {
  kind: 'answer',
  status: 429,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ Error: 'TooManyRequests', Message: 'Rate quota exceeded' }),
}
/** What stands in front of a service refuses in its own words, and says nothing about its quotas. */
const THROTTLED_IN_FRONT: Answer = {
  kind: 'answer',
  status: 429,
  headers: { 'Content-Type': 'text/html' },
  body: '<html><h1>Too many requests</h1></html>',
}
const PORTAL = '<!doctype html><title>Welcome</title><h1>Network sign-in</h1>'

/**
 * The `Http` port without sockets: carries requests to the simulated service's rules over a seeded network.
 *
 * Keeps the port's promises: one request is put to the service at most once (but for `duplicated`), an outcome
 * is `not-sent` only where the service cannot have heard, and a closed stream is never heard of again.
 */
export class VirtualHttp implements Http {
  weather: Weather = FAIR
  /** How often the network did what. */
  readonly fates: Record<string, number> = {}
  readonly #service: SimulatedService
  readonly #clock: VirtualClock
  readonly #random: VirtualRandom
  readonly #tap: Wiretap
  readonly #lines = new Set<StreamLine>()
  /** Grows when the process that sends dies: nobody is there to hear what it asked for. */
  #process = 0

  constructor(service: SimulatedService, clock: VirtualClock, random: VirtualRandom, tap = NOBODY) {
    this.#service = service
    this.#clock = clock
    this.#random = random
    this.#tap = tap
  }

  send(request: HttpRequest): Promise<HttpOutcome> {
    const asked = serviceRequestOf(request)
    const process = this.#process
    this.#tap.asked(request, asked.path)
    return new Promise((resolve) => {
      let over = false
      const finish = (outcome: HttpOutcome) => {
        if (over || process !== this.#process) return
        over = true
        cancelTimeout()
        this.#tap.done(request, asked.path, outcome)
        if (process === this.#process) resolve(outcome)
      }
      const cancelTimeout = this.#clock.after(request.timeoutMs, () => {
        finish({ kind: 'unknown', why: 'no answer in time' })
      })
      this.#carry(asked, finish)
    })
  }

  open(request: HttpRequest, listener: HttpStreamListener): () => void {
    const asked = serviceRequestOf(request)
    const process = this.#process
    this.#tap.asked(request, asked.path)
    if (process !== this.#process) return () => {}
    const heard: HttpStreamListener = {
      ...listener,
      opened: (status, headers) => {
        this.#tap.opened?.(asked.path, status, headers)
        listener.opened(status, headers)
      },
    }
    const line = new StreamLine(this.#clock, this.#random, heard, () => this.#lines.delete(line))
    this.#lines.add(line)
    const cancelTimeout = this.#clock.after(request.timeoutMs, () => line.lose('no answer in time'))
    line.whenHeard(cancelTimeout)
    const { weather } = this
    if (weather.offline) {
      this.#clock.happen(this.#random.between(1, 50), () => line.lose('the host name was not found'))
      return () => line.hangUp()
    }
    const fate = this.#fate(weather)
    const upMs = this.#latencyMs(weather)
    const downMs = this.#latencyMs(weather)
    if (fate === 'lost-request') {
      this.#clock.happen(upMs, () => line.lose('connection lost'))
      return () => line.hangUp()
    }
    if (fate === 'throttled') {
      line.answer(this.#throttled, downMs)
      return () => line.hangUp()
    }
    this.#clock.happen(upMs, () => {
      const reply = this.#service.handle(asked)
      if (fate === 'black-hole' || reply.kind === 'silence') {
        // The service's own timeouts notice, some time later, that nobody listens.
        if (reply.kind === 'stream') this.#clock.happen(20_000, () => reply.stream.close())
        return
      }
      if (fate === 'lost-answer' || fate === 'cut' || reply.kind === 'reset') {
        if (reply.kind === 'stream') this.#clock.happen(1_000, () => reply.stream.close())
        this.#clock.happen(downMs, () => line.lose('connection lost'))
        return
      }
      if (reply.kind === 'stream') line.carry(reply.stream, headersOf(reply.headers), downMs)
      else line.answer(reply.kind === 'cut' ? reply.answer : reply, downMs)
    })
    return () => line.hangUp()
  }

  /** The network goes away or comes back; open connections die, at once or without a word. */
  setWeather(weather: Weather): void {
    this.weather = weather
    if (!weather.offline) return
    for (const line of [...this.#lines]) line.lineDown(this.#random.chance(0.5))
  }

  /** The process is gone: its sockets close, and what was asked is answered to nobody. */
  processDied(): void {
    this.#process += 1
    for (const line of [...this.#lines]) line.hangUp()
  }

  /** The longest that an open stream said nothing while the machine was awake, and nobody closed it. */
  longestSilenceMs(): number {
    return Math.max(0, ...[...this.#lines].map((line) => line.silentMs()))
  }

  /** Called once a virtual minute. */
  strikeStreams(): void {
    for (const line of [...this.#lines]) {
      if (!this.#random.chance(this.weather.streamReset)) continue
      this.#count('stream-lost')
      line.lineDown(this.#random.chance(0.7))
    }
  }

  get openLines(): number {
    return this.#lines.size
  }

  #carry(asked: ServiceRequest, finish: (outcome: HttpOutcome) => void): void {
    const { weather } = this
    if (weather.offline) {
      this.#clock.happen(this.#random.between(1, 50), () =>
        finish({ kind: 'not-sent', why: 'the host name was not found' }),
      )
      return
    }
    const fate = this.#fate(weather)
    const upMs = this.#latencyMs(weather)
    const downMs = fate === 'late' ? this.#random.between(5_000, 40_000) : this.#latencyMs(weather)
    const lost = (why: string) => this.#clock.happen(downMs, () => finish({ kind: 'unknown', why }))
    if (fate === 'lost-request') {
      lost('connection lost')
      return
    }
    if (fate === 'throttled') {
      const answer = this.#throttled
      this.#clock.happen(downMs, () => finish({ ...answer, headers: headersOf(answer.headers) }))
      return
    }
    if (fate === 'portal') {
      this.#clock.happen(downMs, () =>
        finish({ kind: 'answer', status: 200, headers: { 'content-type': 'text/html' }, body: PORTAL }),
      )
      return
    }
    this.#clock.happen(upMs, () => {
      const reply = this.#service.handle(asked)
      if (fate === 'duplicated' && asked.method === 'GET') this.#service.handle(asked)
      if (fate === 'black-hole') return
      if (fate === 'lost-answer') lost('connection lost')
      else if (fate === 'cut') lost('the answer was cut short')
      else this.#deliver(reply, downMs, finish)
    })
  }

  #deliver(reply: ServiceReply, downMs: number, finish: (outcome: HttpOutcome) => void): void {
    switch (reply.kind) {
      case 'answer':
        this.#clock.happen(downMs + (reply.delayMs ?? 0), () =>
          finish({
            kind: 'answer',
            status: reply.status,
            headers: headersOf(reply.headers),
            body: reply.body,
          }),
        )
        return
      case 'reset':
        this.#clock.happen(downMs, () => finish({ kind: 'unknown', why: 'connection lost' }))
        return
      case 'cut':
        this.#clock.happen(downMs, () => finish({ kind: 'unknown', why: 'the answer was cut short' }))
        return
      case 'stream':
        reply.stream.close()
        return
      case 'silence':
        return
    }
  }

  #count(fate: string): void {
    this.fates[fate] = (this.fates[fate] ?? 0) + 1
  }

  /** By turns, for both come from whoever stands in front of a service. */
  get #throttled(): Answer {
    return (this.fates['throttled'] ?? 0) % 2 === 0 ? THROTTLED : THROTTLED_IN_FRONT
  }

  #latencyMs(weather: Weather): number {
    return this.#random.between(...weather.latencyMs)
  }

  #fate(weather: Weather): Fate {
    let draw = this.#random.next()
    for (const [fate, probability] of [
      ['lost-request', weather.lostRequest],
      ['lost-answer', weather.lostAnswer],
      ['cut', weather.cutAnswer],
      ['black-hole', weather.blackHole],
      ['late', weather.lateAnswer],
      ['duplicated', weather.duplicated],
      ['portal', weather.portal],
      ['throttled', weather.throttled],
    ] as const) {
      if (draw < probability) {
        this.#count(fate)
        return fate
      }
      draw -= probability
    }
    return 'arrives'
  }
}

type Fate =
  | 'arrives'
  | 'lost-request'
  | 'lost-answer'
  | 'cut'
  | 'black-hole'
  | 'late'
  | 'duplicated'
  | 'portal'
  | 'throttled'

/** One connection that carries a stream, with both of its ends. */
class StreamLine {
  readonly #clock: VirtualClock
  readonly #random: VirtualRandom
  readonly #listener: HttpStreamListener
  readonly #gone: () => void
  #stream: OpenedStream | undefined
  #cancelTurn: () => void = () => {}
  #cancelTimeout: () => void = () => {}
  /** The client hears nothing more: it hung up or was told the end. */
  #deaf = false
  /** Nothing comes through any more, and nobody was told. */
  #silent = false
  #hungUp = false
  /** On the monotonic clock, since the head of the answer came in. */
  #heardAtMs: number | undefined

  constructor(clock: VirtualClock, random: VirtualRandom, listener: HttpStreamListener, gone: () => void) {
    this.#clock = clock
    this.#random = random
    this.#listener = listener
    this.#gone = gone
  }

  whenHeard(cancelTimeout: () => void): void {
    this.#cancelTimeout = cancelTimeout
  }

  answer(answer: Answer, downMs: number): void {
    this.#clock.happen(downMs + (answer.delayMs ?? 0), () => {
      if (this.#deaf || this.#silent) return
      this.#cancelTimeout()
      this.#listener.opened(answer.status, headersOf(answer.headers))
      if (!this.#deaf) this.#listener.chunk(new TextEncoder().encode(answer.body))
      this.#end('ended by the service')
    })
  }

  carry(stream: OpenedStream, headers: HttpHeaders, downMs: number): void {
    if (this.#hungUp) {
      stream.close()
      return
    }
    this.#stream = stream
    this.#clock.happen(downMs, () => {
      if (this.#deaf || this.#silent) return
      this.#cancelTimeout()
      this.#heardAtMs = this.#clock.monotonicMs()
      this.#listener.opened(200, headers)
    })
    stream.whenMoved(() => this.#turnSoon(downMs))
    this.#turnSoon(downMs)
  }

  /** The client closes its socket: the service sees it a network time later. */
  hangUp(): void {
    if (this.#hungUp) return
    this.#hungUp = true
    this.#deaf = true
    this.#cancelTimeout()
    this.#gone()
    this.#clock.happen(this.#random.between(5, 60), () => this.#leave())
  }

  lose(why: string): void {
    this.#end(why)
    this.#leave()
  }

  /** The connection dies under a stream: told to the client at once, or never. */
  lineDown(told: boolean): void {
    this.#clock.happen(this.#random.between(5_000, 20_000), () => this.#leave())
    if (told) this.#end('connection lost')
    else this.#silent = true
  }

  #end(why: string): void {
    if (this.#deaf) return
    this.#deaf = true
    this.#cancelTimeout()
    this.#gone()
    this.#listener.ended(why)
  }

  #leave(): void {
    this.#cancelTurn()
    this.#stream?.close()
    this.#stream = undefined
  }

  #turnSoon(downMs: number): void {
    this.#cancelTurn()
    const dueMs = this.#stream?.nextDueMs()
    if (dueMs === undefined) return
    this.#cancelTurn = this.#clock.happen(dueMs - this.#clock.worldMs(), () => this.#turn(downMs))
  }

  #turn(downMs: number): void {
    const pieces = this.#stream?.take(this.#clock.worldMs()) ?? []
    if (pieces.length > 0) {
      this.#clock.happen(downMs, () => {
        for (const piece of pieces) {
          if (this.#deaf || this.#silent) return
          if (piece.kind === 'chunk') this.#hear(piece.bytes)
          else this.#end(piece.kind === 'end' ? 'ended by the service' : 'connection lost')
        }
      })
    }
    this.#turnSoon(downMs)
  }

  silentMs(): number {
    return this.#deaf || this.#heardAtMs === undefined ? 0 : this.#clock.monotonicMs() - this.#heardAtMs
  }

  #hear(bytes: Uint8Array): void {
    this.#heardAtMs = this.#clock.monotonicMs()
    if (bytes.length < 2 || !this.#random.chance(0.05)) {
      this.#listener.chunk(bytes)
      return
    }
    const at = 1 + Math.floor(this.#random.next() * (bytes.length - 1))
    this.#listener.chunk(bytes.subarray(0, at))
    if (!this.#deaf) this.#listener.chunk(bytes.subarray(at))
  }
}

function headersOf(headers: WireHeaders): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function serviceRequestOf(request: HttpRequest): ServiceRequest {
  const url = new URL(request.url)
  return {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: request.headers,
    body: request.body ?? '',
  }
}
