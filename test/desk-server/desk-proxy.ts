import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net'
import { NatsWire, type WirePiece } from './nats-wire.ts'

/** Decides how often a message from the server arrives at a client. Usually once. */
export type Fate = (message: WirePiece) => number

interface Pair {
  readonly client: Socket
  /** Absent while the network is cut. */
  server: Socket | undefined
  /**
   * Whether the network was cut while the connection was open. Such a connection transfers nothing any more.
   */
  isDead: boolean
}

/**
 * A TCP proxy on this computer between clients and a NATS server. It can count, record, cut and corrupt the
 * traffic.
 */
export class DeskProxy {
  /** Bytes of both directions so far. */
  bytes = 0
  readonly #server: Server
  readonly #to: number
  readonly #records: boolean
  readonly #chunks: Buffer[] = []
  readonly #pairs = new Set<Pair>()
  #isCut = false
  #isHeld = false
  #fate: Fate | undefined

  private constructor(to: number, records: boolean) {
    this.#to = to
    this.#records = records
    this.#server = createServer((client) => this.#opened(client))
  }

  /**
   * Starts a proxy to a port of this computer. `records`: whether it stores every byte. The caller closes it.
   */
  static async start(to: number, { records = false } = {}): Promise<DeskProxy> {
    const proxy = new DeskProxy(to, records)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** An address for a desk. */
  get url(): string {
    return `nats://127.0.0.1:${this.port}`
  }

  /** All bytes so far, of both directions. */
  recorded(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** Stops all transfer, but leaves connections open, as in a network partition. */
  cut(): void {
    this.#isCut = true
    for (const pair of this.#pairs) pair.isDead = true
  }

  /** Delays all data until the network works again. */
  hold(): void {
    this.#isHeld = true
    for (const { client, server } of this.#pairs) {
      client.pause()
      server?.pause()
    }
  }

  /**
   * Ends the partition. Closes connections that were cut. Connections opened in the meantime now reach the
   * server.
   */
  heal(): void {
    this.#isCut = false
    this.#isHeld = false
    for (const pair of this.#pairs) {
      pair.client.resume()
      pair.server?.resume()
      if (pair.isDead) end(pair)
      else this.#connect(pair)
    }
  }

  /** Decides the fate of each message to a client from now on. With `undefined`, all arrive once. */
  spoil(fate: Fate | undefined): void {
    this.#fate = fate
  }

  /** Sends bytes to all clients that the server did not send. */
  inject(bytes: string): void {
    for (const { client } of this.#pairs) client.write(bytes)
  }

  close(): void {
    this.#server.close()
    for (const pair of this.#pairs) end(pair)
  }

  #opened(client: Socket): void {
    const pair: Pair = { client, server: undefined, isDead: false }
    this.#pairs.add(pair)
    client.on('error', () => {})
    client.on('close', () => {
      this.#pairs.delete(pair)
      pair.server?.destroy()
    })
    client.on('data', (chunk: Buffer) => {
      if (pair.isDead) return
      this.#seen(chunk)
      pair.server?.write(chunk)
    })
    // A client may be connected later, because it sends nothing before the server does.
    if (!this.#isCut && !this.#isHeld) this.#connect(pair)
  }

  #connect(pair: Pair): void {
    if (pair.server !== undefined) return
    const { client } = pair
    const wire = new NatsWire()
    const server = createConnection({ host: '127.0.0.1', port: this.#to, noDelay: true })
    pair.server = server
    server.on('error', () => {})
    server.on('close', () => {
      if (!pair.isDead) client.destroy()
    })
    server.on('data', (chunk: Buffer) => {
      if (pair.isDead) return
      for (const piece of wire.push(chunk)) {
        const times = piece.kind === 'message' ? (this.#fate?.(piece) ?? 1) : 1
        for (let time = 0; time < times; time += 1) {
          this.#seen(piece.bytes)
          client.write(piece.bytes)
        }
      }
    })
  }

  #seen(chunk: Buffer): void {
    this.bytes += chunk.length
    if (this.#records) this.#chunks.push(chunk)
  }
}

function end({ client, server }: Pair): void {
  client.destroy()
  server?.destroy()
}
