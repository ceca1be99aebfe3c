import type { OpenStream } from './open-stream.ts'

/** A request to the simulated service, independent of the transport. */
export interface ServiceRequest {
  readonly method: string
  /** Without the query, percent-encoded as received. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The body as received. Absent without a socket. */
  readonly bodyBytes?: Buffer
  /** Number of the connection, in order of acceptance. Absent without a socket. */
  readonly connection?: number
}

export type WireHeaders = Readonly<Record<string, string>>

export type ServiceReply =
  | Answer
  | {
      readonly kind: 'stream'
      readonly status: 200
      readonly headers: WireHeaders
      readonly stream: OpenStream
    }
  /** The socket is reset before any byte of the answer. */
  | { readonly kind: 'reset' }
  /** The socket is reset after the headers and `sentBytes` of the body. */
  | { readonly kind: 'cut'; readonly answer: Answer; readonly sentBytes: number }
  /** The socket stays open without an answer. */
  | { readonly kind: 'silence' }

export interface Answer {
  readonly kind: 'answer'
  readonly status: number
  readonly headers: WireHeaders
  readonly body: string
  /** The delay of the answer, in milliseconds. Absent if there is no delay. */
  readonly delayMs?: number
  /** Set if the answer has exactly these headers. Every other answer gets additional headers. */
  readonly bare?: true
}

/** One piece of a stream's output. `end` completes the body. `reset` resets the socket before the end. */
export type StreamPiece =
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'reset' }

export function jsonAnswer(status: number, body: unknown, headers: WireHeaders = {}): Answer {
  return {
    kind: 'answer',
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  }
}

/** An error of a resource (service 2.3). */
export const errorAnswer = (status: number, error: string, message: string, headers?: WireHeaders): Answer =>
  jsonAnswer(status, { Error: error, Message: message }, headers)

export const NOT_FOUND = errorAnswer(404, 'NotFound', 'No such resource.')

/** `allowed`: the methods of the resource, separated by commas. */
export const methodNotAllowed = (allowed: string): Answer =>
  errorAnswer(405, 'MethodNotAllowed', `Use ${allowed}.`, { Allow: allowed })

export const htmlAnswer = (status: number, body: string, headers: WireHeaders = {}): Answer => ({
  kind: 'answer',
  status,
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  body,
})
