import { contract } from '../../../app/contract/contract.ts'
import { pushesToEach } from '../../../app/contract/ipc.ts'
import { digestOf, newSecret } from '../../network/random-secret.ts'
import type { Clock, RandomBytes } from '../../ports/ports.ts'
import type { AdmittedWindows } from '../admitted-windows.ts'
import type { WindowSession, Windows } from '../window-session.ts'
import { type PushSink, PushStream } from './push-stream.ts'

/**
 * Time in milliseconds after which a window without a push stream ends its session. A reload or a short sleep
 * takes less time.
 */
export const GRACE_MS = 30_000
const MAX_WINDOWS = 32
/**
 * Maximum number of streams per bearer. A duplicated tab shares its original's bearer, so a bearer may need
 * several streams, but a person needs only a few.
 */
const MAX_STREAMS_PER_WINDOW = 4

export interface BrowserWindowsDeps {
  readonly windows: Windows
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  readonly admitted: AdmittedWindows
}

/** The windows admitted since the app started. */
export class BrowserWindows {
  readonly #deps: BrowserWindowsDeps
  /** The windows by the digest of their bearer, in order of last use. */
  readonly #byDigest = new Map<string, BrowserWindow>()

  constructor(deps: BrowserWindowsDeps) {
    this.#deps = deps
  }

  /** Admits a window and returns its bearer. `undefined` while `MAX_WINDOWS` are open. */
  admit(): string | undefined {
    if (this.#byDigest.size >= MAX_WINDOWS && !this.#forgetLongestUnused()) return undefined
    const bearer = newSecret(this.#deps.randomBytes)
    const digest = digestOf(bearer)
    const window: BrowserWindow = new BrowserWindow(this.#deps, () => this.#byDigest.delete(digest))
    this.#byDigest.set(digest, window)
    return bearer
  }

  find(bearer: string): BrowserWindow | undefined {
    const digest = digestOf(bearer)
    const window = this.#byDigest.get(digest)
    if (window === undefined) return undefined
    this.#byDigest.delete(digest)
    this.#byDigest.set(digest, window)
    window.used()
    return window
  }

  close(): void {
    for (const window of this.#byDigest.values()) window.close()
    this.#byDigest.clear()
  }

  #forgetLongestUnused(): boolean {
    for (const [digest, window] of this.#byDigest) {
      if (window.isOpen) continue
      this.#byDigest.delete(digest)
      window.forget()
      return true
    }
    return false
  }
}

/**
 * The window of one bearer.
 *
 * The session opens at first use, and closes `GRACE_MS` after the push stream has ended. The bearer stays
 * valid, so that a page can resume after a long sleep without a new code.
 */
export class BrowserWindow {
  readonly #deps: BrowserWindowsDeps
  readonly #streams = new Set<PushStream>()
  #session: WindowSession | undefined
  #cancelGrace: () => void = () => {}
  #isClosed = false
  readonly #id: string

  /** `ended` is called when a person ends the window. It must make the bearer invalid. */
  constructor(deps: BrowserWindowsDeps, ended: () => void) {
    this.#deps = deps
    this.#id = deps.admitted.add({
      isOpen: () => this.isOpen,
      end: () => {
        ended()
        this.close()
      },
    })
  }

  used(): void {
    this.#deps.admitted.used(this.#id)
  }

  /** Removes the window from the list. */
  forget(): void {
    this.#deps.admitted.remove(this.#id)
  }

  get isOpen(): boolean {
    return this.#session !== undefined
  }

  /** The open session. Opens one if needed, because commands may arrive before the push stream. */
  session(): WindowSession {
    if (this.#isClosed) throw new Error('the host is closing')
    if (this.#session === undefined) {
      this.#session = this.#deps.windows.open(
        pushesToEach(contract, () => [...this.#streams].map(({ pushes }) => pushes)),
        this.#id,
      )
      this.#startGrace()
    }
    return this.#session
  }

  stream(sink: PushSink): void {
    // If the response is already closed, no `close` event follows, and the stream would never be removed.
    if (this.#isClosed || sink.destroyed) {
      sink.end()
      return
    }
    const stream: PushStream = new PushStream(sink, this.#deps.clock, () => this.#lost(stream))
    this.#streams.add(stream)
    if (this.#streams.size > MAX_STREAMS_PER_WINDOW) this.#endOldest()
    this.session()
    this.#cancelGrace()
  }

  close(): void {
    this.#isClosed = true
    this.#cancelGrace()
    for (const stream of this.#streams) stream.end()
    this.#streams.clear()
    this.#closeSession()
  }

  #lost(stream: PushStream): void {
    if (this.#streams.delete(stream) && this.#streams.size === 0) this.#startGrace()
  }

  #startGrace(): void {
    this.#cancelGrace()
    this.#cancelGrace = this.#deps.clock.after(GRACE_MS, () => this.#closeSession())
  }

  #closeSession(): void {
    this.#session?.close()
    this.#session = undefined
  }

  #endOldest(): void {
    for (const oldest of this.#streams) {
      this.#streams.delete(oldest)
      oldest.end()
      return
    }
  }
}
