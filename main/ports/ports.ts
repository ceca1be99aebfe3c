import type { HttpHeaders, HttpOutcome } from '../../app/service/answer.ts'

export type { HttpHeaders, HttpOutcome }

/**
 * What the services of main/ need from the world, as narrow interfaces.
 *
 * Real ones are made in the three hosts (`node-ports.ts`), virtual ones in test/simulation. Nothing outside
 * the ports reads the clock, sets a timer, draws a random number or opens a socket.
 */

/** `after` returns its own cancel. `wallMs` may jump; `monotonicMs` never goes back. */
export interface Clock {
  wallMs(): number
  monotonicMs(): number
  after(ms: number, run: () => void): () => void
}

/** Uniform in [0, 1). */
export interface Random {
  next(): number
}

/** Cryptographically strong random bytes, unlike `Random`. */
export type RandomBytes = (size: number) => Uint8Array

/** One line of a log. Fields pass one redactor before anything is written. */
export interface Log {
  note(line: string, fields?: Readonly<Record<string, unknown>>): void
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Until the answer's headers, and for `send` until its last byte. */
  readonly timeoutMs: number
}

export interface HttpStreamListener {
  /** Once, first, with the status line and headers. */
  opened(status: number, headers: HttpHeaders): void
  chunk(bytes: Uint8Array): void
  /** Once, last, unless closed by the caller. */
  ended(why: string): void
}

/** HTTP/1.1 with the system's certificates and proxies; no redirects, no retries. */
export interface Http {
  send(request: HttpRequest): Promise<HttpOutcome>
  /** Opens a body that is read as it comes. Returns its close, which frees the socket at once. */
  open(request: HttpRequest, listener: HttpStreamListener): () => void
}
