/** Requests and answers as the simulated service sees them, whatever carries them. */
export interface ServiceRequest {
  readonly method: string
  /** Without the query, percent-encoded as it came. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type WireHeaders = Readonly<Record<string, string>>

export type ServiceReply =
  | Answer
  | {
      readonly kind: 'stream'
      readonly status: 200
      readonly headers: WireHeaders
      readonly stream: OpenedStream
    }
  /** The socket dies before a byte of the answer. */
  | { readonly kind: 'reset' }
  /** The answer's headers and `sentBytes` of its body, then the socket dies. */
  | { readonly kind: 'cut'; readonly answer: Answer; readonly sentBytes: number }
  /** The socket stays open and nothing comes. */
  | { readonly kind: 'silence' }

export interface Answer {
  readonly kind: 'answer'
  readonly status: number
  readonly headers: WireHeaders
  readonly body: string
  /** How long the service takes; absent: no time. */
  readonly delayMs?: number
  /** Only the headers given here may be on the wire. */
  readonly bare?: true
}

/** What a stream puts on the wire. `end` finishes the body, `reset` kills the socket inside it. */
export type StreamPiece =
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'reset' }

/** An open stream that is asked what is due, so that real and virtual time can both drive it. */
export interface OpenedStream {
  readonly id: string
  readonly category: string
  /** When `take` has something to give; `undefined` once it has ended. */
  nextDueMs(): number | undefined
  /** Everything due up to `atMs`, in order. */
  take(atMs: number): readonly StreamPiece[]
  /** The client is gone: the slot is free at once. */
  close(): void
  /** Called when `nextDueMs` moved without `take`, as when the stream is cut from outside. */
  whenMoved(moved: () => void): void
}

export function jsonAnswer(status: number, body: unknown, headers: WireHeaders = {}): Answer {
  return {
    kind: 'answer',
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  }
}

/** The shape of every error of a resource (service 2.3). */
export const errorAnswer = (status: number, error: string, message: string, headers?: WireHeaders): Answer =>
  jsonAnswer(status, { Error: error, Message: message }, headers)

export const htmlAnswer = (status: number, body: string, headers: WireHeaders = {}): Answer => ({
  kind: 'answer',
  status,
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  body,
})

export const textAnswer = (status: number, body: string, headers: WireHeaders = {}): Answer => ({
  kind: 'answer',
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
  body,
})
