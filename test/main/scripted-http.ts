import type {
  Http,
  HttpHeaders,
  HttpOutcome,
  HttpRequest,
  HttpStreamListener,
} from '../../main/ports/ports.ts'

export interface OpenedByTest {
  readonly request: HttpRequest
  readonly listener: HttpStreamListener
  closed: boolean
}

/** The `Http` port, controlled by a test. Each request waits until the test sets its outcome. */
export class ScriptedHttp implements Http {
  readonly requests: HttpRequest[] = []
  readonly streams: OpenedByTest[] = []
  /** Sets the outcome at once. With `undefined`, the request waits for `answer`. */
  reply: (request: HttpRequest) => HttpOutcome | undefined = () => undefined
  readonly #waiting: ((outcome: HttpOutcome) => void)[] = []

  send(request: HttpRequest): Promise<HttpOutcome> {
    this.requests.push(request)
    const outcome = this.reply(request)
    if (outcome) return Promise.resolve(outcome)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  open(request: HttpRequest, listener: HttpStreamListener): () => void {
    const stream: OpenedByTest = { request, listener, closed: false }
    this.streams.push(stream)
    return () => {
      stream.closed = true
    }
  }

  async reach(): Promise<undefined> {}

  /** Answers the request that has waited longest. */
  answer(outcome: HttpOutcome): void {
    const next = this.#waiting.shift()
    if (!next) throw new Error('no request waits for an answer')
    next(outcome)
  }

  get waiting(): number {
    return this.#waiting.length
  }
}

export const answerOf = (status: number, body: unknown = '', headers: HttpHeaders = {}): HttpOutcome => ({
  kind: 'answer',
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

export const NOT_SENT: HttpOutcome = { kind: 'not-sent', why: 'connection refused' }
export const UNKNOWN: HttpOutcome = { kind: 'unknown', why: 'connection lost' }

export const renewal = (accessToken: string, more: Readonly<Record<string, unknown>> = {}): HttpOutcome =>
  answerOf(200, {
    access_token: accessToken,
    expires_in: 1200,
    token_type: 'Bearer',
    scope: 'openid',
    ...more,
  })

export const REFUSAL = answerOf(403, { error: 'invalid_grant', error_description: 'Unknown token.' })
