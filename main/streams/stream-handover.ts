import type { Observation } from '../../app/service/headers.ts'
import type { FramesRead } from '../../app/streams/frame-reader.ts'
import type { StreamInput } from '../../app/streams/life-cycle.ts'
import type { AcquireStreamPermit, NoPermit, Permit } from '../api/permit.ts'
import type { Bearer } from '../tokens/keeper.ts'
import { type ConnectionDeps, type OpeningPass, StreamConnection } from './stream-connection.ts'
import type { RefusedStream } from './stream-readers.ts'

export interface HandoverDeps extends ConnectionDeps, Bearer {
  /**
   * Returns the function that queues a connection together with all other requests of Headroom and of
   * programs. `undefined` while the gateway is off.
   */
  readonly turns?: () => AcquireStreamPermit | undefined
}

/** Callbacks of a handover. */
export interface HandoverListener {
  /** Whether programs read the stream. */
  isRead(): boolean
  /**
   * Whether the service has announced the end of the current connection, and the successor is not open yet.
   */
  isHandingOver(): boolean
  opened(observation: Observation): void
  /** Called with bytes of the connection in use. */
  heard(bytes: Uint8Array): void
  /** Called with frames. Frames of a connection that is over must be ignored. */
  frames(read: FramesRead, from: StreamConnection): void
  refused(answer: RefusedStream, isSuccessor: boolean): void
  /** Called when a connection ended, or when no connection could be opened. */
  lost(why: StreamInput): void
}

/**
 * The connections of one stream: the current one and, during an announced restart, its successor.
 *
 * While the gateway is on, a new connection waits in the queue of all requests. While the gateway is off, a
 * new connection waits until its category is not paused and has more requests left than the reserve. A
 * connection uses the access token that is valid when it opens.
 */
export class StreamHandover {
  readonly #category: string
  readonly #path: string
  readonly #deps: HandoverDeps
  readonly #listener: HandoverListener
  #current: StreamConnection | undefined
  /** The new connection. After opening, it replaces the current connection. */
  #successor: StreamConnection | undefined
  /**
   * Counts attempts and calls of `hangUp`. If the count changes while an attempt waits for a token, the
   * attempt is outdated.
   */
  #attempt = 0

  constructor(category: string, path: string, deps: HandoverDeps, listener: HandoverListener) {
    this.#category = category
    this.#path = path
    this.#deps = deps
    this.#listener = listener
  }

  /** Number of connections that have no response yet. */
  get opening(): number {
    return [this.#current, this.#successor].filter((one) => one?.isOpening).length
  }

  /** When the current connection got its slot, in epoch milliseconds. `undefined` while it has none. */
  get openedAtMs(): number | undefined {
    return this.#current?.isOver === false ? this.#current.openedAtMs : undefined
  }

  /**
   * When the stream's category may be requested again, epoch ms. `undefined` if it may be requested now, or
   * if the gateway decides.
   */
  get heldUntilMs(): number | undefined {
    return this.#takeTurn === undefined ? this.#deps.tap.notBeforeMs('GET', this.#path, 'normal') : undefined
  }

  get #takeTurn(): AcquireStreamPermit | undefined {
    return this.#deps.turns?.()
  }

  /** Opens a connection. `turn` is its permit, if already granted. */
  async connect(turn?: Permit): Promise<void> {
    this.#attempt += 1
    const attempt = this.#attempt
    await this.#deps.access()
    const taken = turn ?? (this.#attempt === attempt ? await this.#turn() : undefined)
    const isRefused = typeof taken === 'object'
    const token = this.#deps.usable()
    if (this.#attempt === attempt && !isRefused && token.kind === 'token') {
      const connection = this.#newConnection({ token: token.value, turn: taken })
      if (this.#listener.isHandingOver()) this.#successor = connection
      else this.#current = connection
      return
    }
    if (!isRefused) taken?.({ kind: 'not-sent' })
    if (this.#attempt !== attempt) return
    if (token.kind === 'none')
      return this.#listener.lost({ kind: 'ended', reason: 'no access token', code: 'no-token' })
    if (isRefused)
      this.#listener.lost({ kind: 'refused', reason: '429: rate quota', code: 'rate-limited', ...taken })
  }

  /**
   * A permit to open a connection, or the time of the next try. `undefined` if no permit is needed, or if
   * there is no access token.
   */
  async #turn(): Promise<Permit | NoPermit | undefined> {
    const acquirePermit = this.#takeTurn
    if (this.#deps.usable().kind === 'none') return undefined
    if (acquirePermit !== undefined) return acquirePermit(this.#path, this.#listener.isRead())
    const retryAtMs = this.heldUntilMs
    return retryAtMs === undefined ? undefined : { retryAtMs }
  }

  hangUp(): void {
    this.#attempt += 1
    this.#current?.close()
    this.#successor?.close()
    this.#current = undefined
    this.#successor = undefined
  }

  #newConnection(pass: OpeningPass): StreamConnection {
    const listener = this.#listener
    const connection: StreamConnection = new StreamConnection(this.#category, this.#path, pass, this.#deps, {
      opened: (observation) => {
        if (connection === this.#successor) this.#succeed(connection)
        listener.opened(observation)
      },
      heard: (bytes) => listener.heard(bytes),
      frames: (read) => listener.frames(read, connection),
      refused: (status, tapped, answer) => {
        if (status === 401) void this.#deps.rejected(pass.token, this.#path)
        listener.refused({ ...answer, tapped }, connection === this.#successor)
      },
      ended: (reason, code) => {
        const isFormer = connection === this.#current && listener.isHandingOver()
        listener.lost(isFormer ? { kind: 'former-ended' } : { kind: 'ended', reason, code })
      },
    })
    return connection
  }

  #succeed(connection: StreamConnection): void {
    this.#current?.close()
    this.#current = connection
    this.#successor = undefined
  }

  /** Closes the former connection, if there is one, without waiting until its successor has opened. */
  dropFormer(): void {
    this.#current?.close()
    this.#current = this.#successor
    this.#successor = undefined
  }
}
