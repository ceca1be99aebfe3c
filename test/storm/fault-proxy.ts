import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { chanceFrom } from '../app/quota/chance.ts'

/**
 * What happens to a response on its way. Except with `away`, the service has received and counted the
 * request.
 */
export type Trouble =
  | '503'
  /** The connection is reset before the head, or within the body. */
  | 'reset'
  /** One byte per second until the fault ends, then the rest at once. */
  | 'slow-head'
  /** A status that no real response can have. */
  | 'status'
  | 'garbage'
  /** A 401 of one endpoint only. */
  | '401'
  /** Connections are reset as they open. */
  | 'away'

const DRIP_MS = 1_000
const STATUSES = ['099', '000', '700']
const JSON_TYPE = 'Content-Type: application/json\r\n'
/** With `reset`, a share of the responses is cut within the body. */
const CUT_SHARE = 0.25

/** A proxy in front of a host of the service. It can spoil the data that it passes on. */
export class FaultProxy {
  readonly #server = createServer((incoming, response) => this.#forward(incoming, response))
  // Each request has its own connection. A shared one that the simulator has just closed would be an
  // additional fault.
  readonly #agent = new Agent({ keepAlive: false })
  readonly #to: number
  readonly #chance: () => number
  /** The connections whose answer is a stream. */
  readonly #streams = new Set<Socket>()
  readonly #drips = new Set<() => void>()
  #troubleOf: (path: string) => Trouble | undefined = () => undefined
  #spoilt = 0
  #port = 0
  #isAway = false

  private constructor(to: number, seed: number) {
    this.#to = to
    this.#chance = chanceFrom(seed)
    this.#server.requestTimeout = 0
    this.#server.on('connection', (socket: Socket) => {
      if (this.#isAway) socket.resetAndDestroy()
    })
    this.#server.on('clientError', (_, socket) => void socket.destroy())
  }

  /** Starts a proxy in front of port `to` of this machine. */
  static async start(to: number, seed: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(to, seed)
    await new Promise<void>((resolve) => void proxy.#server.listen(0, '127.0.0.1', resolve))
    proxy.#port = (proxy.#server.address() as AddressInfo).port
    return proxy
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Spoils responses from now on. Open streams continue; see `cutStreams`. */
  strike(trouble: Trouble | ((path: string) => Trouble | undefined)): void {
    this.#troubleOf = typeof trouble === 'function' ? trouble : () => trouble
    this.#isAway = trouble === 'away'
    if (this.#isAway) this.#server.closeAllConnections()
  }

  lift(): void {
    this.#troubleOf = () => undefined
    this.#isAway = false
    for (const finish of [...this.#drips]) finish()
  }

  /** Resets every open stream, within a frame or between two frames. */
  cutStreams(): void {
    for (const socket of [...this.#streams]) socket.resetAndDestroy()
  }

  /** Stops listening, so that connections are rejected. */
  async leave(): Promise<void> {
    const closed = new Promise((resolve) => void this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  /** Listens again on the same port. */
  async comeBack(): Promise<void> {
    await new Promise<void>((resolve) => void this.#server.listen(this.#port, '127.0.0.1', resolve))
  }

  close(): Promise<void> {
    this.lift()
    this.#agent.destroy()
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, url = '/', headers } = incoming
    const trouble = this.#troubleOf(url)
    response.on('error', () => {})
    const sent = request(
      { host: '127.0.0.1', port: this.#to, method, path: url, headers, agent: this.#agent },
      (answer) => {
        answer.on('error', () => {})
        if (trouble === undefined) this.#pass(answer, response)
        else this.#spoil(trouble, answer, response)
      },
    )
    sent.on('error', () => incoming.socket.resetAndDestroy())
    response.on('close', () => sent.destroy())
    incoming.pipe(sent)
  }

  #pass(answer: IncomingMessage, response: ServerResponse): void {
    const { socket } = response
    const { statusCode = 502, rawHeaders } = answer
    response.writeHead(statusCode, rawHeaders)
    response.flushHeaders()
    if (socket && isStream(answer)) this.#track(socket)
    answer.on('close', () => {
      if (!answer.complete) socket?.resetAndDestroy()
    })
    answer.pipe(response)
  }

  #track(socket: Socket): void {
    this.#streams.add(socket)
    socket.once('close', () => this.#streams.delete(socket))
  }

  #spoil(trouble: Trouble, answer: IncomingMessage, response: ServerResponse): void {
    const { socket } = response
    if (socket === null) return
    this.#spoilt += 1
    switch (trouble) {
      case '503':
        socket.end(
          plain('503 Service Unavailable', '{"Error":"ServiceUnavailable","Message":"Try again later."}'),
        )
        return
      case '401':
        socket.end(plain('401 Unauthorized', '{"Error":"Unauthorized","Message":"The token is not valid."}'))
        return
      case 'status':
        socket.end(plain(`${STATUSES[this.#spoilt % STATUSES.length]} Odd`, '{}'))
        return
      case 'garbage':
        socket.end(this.#garbage())
        return
      case 'reset':
        if (this.#chance() < CUT_SHARE) this.#cutWithin(answer, socket)
        else socket.resetAndDestroy()
        return
      case 'slow-head':
        this.#drip(answer, socket)
        return
      case 'away':
        socket.resetAndDestroy()
    }
  }

  #cutWithin(answer: IncomingMessage, socket: Socket): void {
    socket.write(headOf(answer))
    answer.once('data', (bytes: Buffer) => {
      socket.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => socket.resetAndDestroy())
    })
  }

  /** Data that is not an HTTP response, or a response that contradicts itself. */
  #garbage(): string | Buffer {
    const noise = Buffer.from(Array.from({ length: 400 }, () => Math.floor(this.#chance() * 256)))
    const odd = [
      noise,
      '\r\n\r\n\r\nSSH-2.0-OpenSSH_9.9\r\n',
      `HTTP/1.1 200 OK\r\n${JSON_TYPE}Content-Length: banana\r\n\r\n{}`,
      Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${JSON_TYPE}Content-Length: 400\r\n\r\n`), noise]),
      `HTTP/1.1 200 OK\r\n${JSON_TYPE}Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!`,
      `HTTP/1.1 200 OK\r\n${JSON_TYPE}X-RateLimit-Limit: -1\r\nX-RateLimit-Period: x\r\nX-RateLimit-Remaining: NaN\r\n` +
        'X-RateLimit-Reset: 1e309\r\nContent-Length: 4\r\n\r\n[[[[',
      `HTTP/1.1 200 OK\r\n${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
    ]
    return odd[this.#spoilt % odd.length] ?? noise
  }

  #drip(answer: IncomingMessage, socket: Socket): void {
    let head = headOf(answer)
    if (isStream(answer)) this.#track(socket)
    answer.pause()
    const finish = () => {
      clearInterval(timer)
      this.#drips.delete(finish)
      if (socket.destroyed) return
      socket.write(head)
      answer.pipe(socket)
    }
    const timer = setInterval(() => {
      socket.write(head.slice(0, 1))
      head = head.slice(1)
      if (head === '') finish()
    }, DRIP_MS)
    socket.once('close', () => {
      clearInterval(timer)
      this.#drips.delete(finish)
    })
    this.#drips.add(finish)
  }
}

const isStream = ({ headers }: IncomingMessage): boolean => /streams/.test(headers['content-type'] ?? '')

const plain = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\n${JSON_TYPE}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`

/** The head as received, but its body has no length and ends with the connection. */
function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (!/^(connection|keep-alive|transfer-encoding)$/i.test(name))
      lines.push(`${name}: ${rawHeaders[at + 1]}`)
  }
  return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`
}
