import { hostOf } from '../network/reachability.ts'
import type { Http } from '../ports/ports.ts'
import type { Bearer } from '../tokens/keeper.ts'
import { Exchange, type ExchangeDeps, tokenAfter401 } from './exchange.ts'
import type { AcquirePermit, Permit } from './permit.ts'

export interface ApiClientDeps extends Omit<ExchangeDeps, 'host'>, Bearer {
  readonly http: Http
  /**
   * Returns the function that queues own requests with programs' requests. `undefined` while the gateway is
   * off.
   */
  readonly turns?: () => AcquirePermit | undefined
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST'
  /** Path and query, relative to `{base_url}`. */
  readonly path: string
  readonly body?: string
  /** See `AcquirePermit`. */
  readonly isUrgent?: boolean
}

export type ApiAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string; readonly hasQuota: boolean }
  | { readonly kind: 'limited'; readonly retryAtMs: number }
  | { readonly kind: 'no-token'; readonly why: string }
  /** `sent` says whether the request may have reached the service. */
  | { readonly kind: 'unreachable'; readonly why: string; readonly sent: boolean }

const TIMEOUT_MS = 15_000

const STOPPED: ApiAnswer = { kind: 'no-token', why: 'Headroom no longer watches this key' }

/**
 * Sends requests to the service, through the gateway's queue while the gateway is on. Retries once with a new
 * token after a 401 (service 5).
 */
export class ApiClient {
  readonly #deps: ApiClientDeps & ExchangeDeps
  #isStopped = false

  constructor(deps: ApiClientDeps) {
    this.#deps = { ...deps, host: hostOf(deps.baseUrl) }
  }

  /**
   * Call this when the key is disconnected. Requests that still wait for a token are then dropped, because
   * they would use the key's quota without being counted.
   */
  stop(): void {
    this.#isStopped = true
  }

  async request(request: ApiRequest): Promise<ApiAnswer> {
    await this.#deps.access()
    const { answer, token } = await this.#inTurn(request)
    if (token === undefined || answer.kind !== 'answered' || answer.status !== 401) return answer
    // Without another token, a retry is useless and is not queued.
    if ((await tokenAfter401(this.#deps, token, request.path)) === undefined) return answer
    const again = await this.#inTurn(request, token)
    // The retry was not sent. For example, the key was revoked or disconnected while the retry waited.
    if (again.token === undefined) return answer
    if (again.answer.kind === 'answered' && again.answer.status === 401) {
      void this.#deps.rejected(again.token, request.path)
    }
    return again.answer.kind === 'unreachable' ? { ...again.answer, sent: true } : again.answer
  }

  /**
   * Sends a request with a token other than `refused`. Returns the token that was used, or no token if
   * nothing was sent.
   */
  async #inTurn(
    request: ApiRequest,
    refused?: string,
  ): Promise<{ readonly answer: ApiAnswer; readonly token?: string }> {
    const acquirePermit = this.#deps.turns?.()
    const turn = await acquirePermit?.(request.method, request.path, request.isUrgent)
    if (typeof turn === 'object') return { answer: { kind: 'unreachable', why: turn.why, sent: false } }
    const access = this.#isStopped ? undefined : this.#deps.usable()
    if (access?.kind !== 'token' || access.value === refused) {
      turn?.({ kind: 'not-sent' })
      return { answer: access?.kind === 'none' ? { kind: 'no-token', why: access.why } : STOPPED }
    }
    return { answer: await this.#send(request, access.value, turn), token: access.value }
  }

  async #send({ method, path, body }: ApiRequest, token: string, turn?: Permit): Promise<ApiAnswer> {
    const { http, baseUrl } = this.#deps
    const exchange = new Exchange({ method, path, token, turn }, this.#deps)
    const outcome = await http.send({
      method,
      url: `${baseUrl}${path}`,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      timeoutMs: TIMEOUT_MS,
    })
    if (outcome.kind !== 'answer') {
      exchange.failed(outcome.kind === 'not-sent' ? 'not-sent' : 'lost', outcome.why)
      return { kind: 'unreachable', why: outcome.why, sent: outcome.kind === 'unknown' }
    }
    const sender = exchange.judge(outcome.status, outcome.headers, outcome.body)
    if (sender.kind === 'other') return { kind: 'unreachable', why: sender.why, sent: true }
    const { retryAtMs, reading } = exchange.answered(outcome.body)
    if (retryAtMs !== undefined) return { kind: 'limited', retryAtMs }
    return {
      kind: 'answered',
      status: outcome.status,
      body: outcome.body,
      hasQuota: reading.rate !== undefined,
    }
  }
}
