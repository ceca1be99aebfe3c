import type { HttpHeaders, HttpOutcome } from '../../app/service/headers.ts'

export type { HttpHeaders, HttpOutcome }

/**
 * Ports: narrow interfaces to time, chance and the network.
 *
 * Hosts implement them with the operating system, and test/simulation with virtual time and chance. Only
 * ports read the clock, set timers, draw random numbers or open sockets.
 */

/**
 * Time in milliseconds. `wallMs` is epoch time and may jump. `monotonicMs` never goes back. `after` returns a
 * function that cancels the timer.
 */
export interface Clock {
  wallMs(): number
  monotonicMs(): number
  after(ms: number, run: () => void): () => void
}

/** Random numbers, uniform in [0, 1), not for secrets. */
export interface Random {
  next(): number
}

/** Cryptographically strong random bytes, unlike `Random`. */
export type RandomBytes = (size: number) => Uint8Array

/** A log of single lines. A redactor cleans every field first. */
export interface Log {
  note(line: string, fields?: Readonly<Record<string, unknown>>): void
}

/** One HTTP request. Secrets may be in a header or the body, never in `url`. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * Timeout in milliseconds. For `open`, it applies to the response's headers. For `send`, it applies to the
   * whole response.
   */
  readonly timeoutMs: number
}

/** The callbacks of one open response, in the order in which they are called. */
export interface HttpStreamListener {
  /** Called once, first, with the status line and headers. */
  opened(status: number, headers: HttpHeaders): void
  chunk(bytes: Uint8Array): void
  /**
   * Called once, after all other calls. Not called if the caller closed the stream. `broken-head` means that
   * bytes arrived without a usable head.
   */
  ended(why: string, how?: 'broken-head'): void
}

/** HTTP/1.1 with the system's certificates and proxies. No redirects, no retries. */
export interface Http {
  send(request: HttpRequest): Promise<HttpOutcome>
  /**
   * Opens a response whose body is read as it arrives. Returns a function that closes it and frees the socket
   * immediately.
   */
  open(request: HttpRequest, listener: HttpStreamListener): () => void
  /**
   * Connects to the host of a URL without sending anything. Resolves with the reason if it can't be reached.
   */
  reach(url: string, timeoutMs: number): Promise<string | undefined>
}

/** One system notification. */
export interface Notice {
  readonly title: string
  readonly body: string
  /** A later notification with the same tag replaces the current one. */
  readonly tag: string
  readonly isUrgent: boolean
}

/**
 * Shows a system notification. A host without notifications ignores the call. The window's events have the
 * same information.
 */
export type Notify = (notice: Notice) => void

/**
 * Opens an address in the person's browser. Only for addresses that Headroom itself built. Rejects if a
 * browser can't be opened.
 *
 * Resolves with a function to call when the address has been used. The function deletes any file that was
 * written to open the address.
 */
export type OpenUrl = (url: string) => Promise<() => void>
