import type { FramesRead } from '../../app/streams/frame-reader.ts'
import type { StreamInput } from '../../app/streams/life-cycle.ts'
import type { Tapped } from '../api/quota-tap.ts'
import type { Access } from '../tokens/keeper.ts'
import { type ConnectionDeps, StreamConnection } from './stream-connection.ts'

export interface SuccessionDeps extends ConnectionDeps {
  readonly access: () => Promise<Access>
  /** See `TokenKeeper.usable`. */
  readonly usable: () => Access
  readonly rejected: (value: string) => Promise<void>
}

export interface SuccessionListener {
  /** Whether the connection that is read was told to go away, and is read until the next one stands. */
  isHandingOver(): boolean
  opened(): void
  /** Nothing of `from` counts any more once it is over. */
  frames(read: FramesRead, from: StreamConnection): void
  refused(status: number, tapped: Tapped, isSuccessor: boolean): void
  /** There is no connection, or one less. */
  without(why: StreamInput): void
}

/**
 * The connections of one stream: the one that is read, and the one that takes its place.
 *
 * Each is asked for with a token of its own time, and not before its category may be asked.
 */
export class Succession {
  readonly #category: string
  readonly #path: string
  readonly #deps: SuccessionDeps
  readonly #listener: SuccessionListener
  /** The connection that is read, or is to be. */
  #current: StreamConnection | undefined
  /** Takes its place once it is opened: a stream told to go away is not dropped before that. */
  #successor: StreamConnection | undefined
  /** Grows whenever what was begun is given up: who waited for a token meanwhile is not heard. */
  #attempt = 0

  constructor(category: string, path: string, deps: SuccessionDeps, listener: SuccessionListener) {
    this.#category = category
    this.#path = path
    this.#deps = deps
    this.#listener = listener
  }

  /** Connections whose answer is still to come. */
  get opening(): number {
    return [this.#current, this.#successor].filter((one) => one?.isOpening).length
  }

  /** Since when the one that is read holds a slot, if it does. */
  get openedAtMs(): number | undefined {
    return this.#current?.isOver === false ? this.#current.openedAtMs : undefined
  }

  /** When its category may be asked again. */
  get heldUntilMs(): number | undefined {
    return this.#deps.tap.notBeforeMs('GET', this.#path)
  }

  async connect(): Promise<void> {
    this.#attempt += 1
    const attempt = this.#attempt
    await this.#deps.access()
    if (this.#attempt !== attempt) return
    const token = this.#deps.usable()
    if (token.kind === 'none')
      return this.#listener.without({ kind: 'ended', reason: 'no access token', code: 'no-token' })
    const notBeforeMs = this.heldUntilMs
    if (notBeforeMs !== undefined) {
      return this.#listener.without({
        kind: 'refused',
        reason: '429: rate quota',
        code: 'rate-limited',
        retryAtMs: notBeforeMs,
      })
    }
    const connection = this.#newConnection(token.value)
    if (this.#listener.isHandingOver()) this.#successor = connection
    else this.#current = connection
  }

  hangUp(): void {
    this.#attempt += 1
    this.#current?.close()
    this.#successor?.close()
    this.#current = undefined
    this.#successor = undefined
  }

  #newConnection(token: string): StreamConnection {
    const listener = this.#listener
    const connection: StreamConnection = new StreamConnection(this.#category, this.#path, token, this.#deps, {
      opened: () => {
        if (connection === this.#successor) this.#succeed(connection)
        listener.opened()
      },
      frames: (read) => listener.frames(read, connection),
      refused: (status, tapped) => {
        if (status === 401) void this.#deps.rejected(token)
        listener.refused(status, tapped, connection === this.#successor)
      },
      ended: (reason, code) => {
        if (connection === this.#current && listener.isHandingOver()) this.#formerEnded()
        else listener.without({ kind: 'ended', reason, code })
      },
    })
    return connection
  }

  #succeed(connection: StreamConnection): void {
    this.#current?.close()
    this.#current = connection
    this.#successor = undefined
  }

  #formerEnded(): void {
    this.#current = this.#successor
    this.#successor = undefined
    this.#listener.without({ kind: 'former-ended' })
  }
}
