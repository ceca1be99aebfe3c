import { observe } from '../../app/service/headers.ts'
import { senderOfAnswer } from '../../app/service/sender.ts'
import type { Reachability } from '../monitor/reachability.ts'
import type { Http } from '../ports/ports.ts'
import type { Access } from '../tokens/keeper.ts'
import type { QuotaTap } from './quota-tap.ts'

export interface ApiClientDeps {
  readonly baseUrl: string
  readonly http: Http
  readonly tap: QuotaTap
  readonly reachability: Reachability
  readonly access: () => Promise<Access>
  /** See `TokenKeeper.usable`. */
  readonly usable: () => Access
  readonly rejected: (value: string) => Promise<void>
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST'
  /** Path and query, relative to `{base_url}`. */
  readonly path: string
  readonly body?: string
}

export type ApiAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string; readonly hasQuota: boolean }
  | { readonly kind: 'limited'; readonly retryAtMs: number }
  | { readonly kind: 'no-token'; readonly why: string }
  /** `sent`: whether the request may have reached the service. */
  | { readonly kind: 'unreachable'; readonly why: string; readonly sent: boolean }

const TIMEOUT_MS = 15_000

const STOPPED: ApiAnswer = { kind: 'no-token', why: 'Headroom no longer watches this key' }

/**
 * Sends requests to resources: adds the bearer, passes answers to the quota tap, and retries once with a new token
 * after a 401 (service 5).
 */
export class ApiClient {
  readonly #deps: ApiClientDeps
  #isStopped = false

  constructor(deps: ApiClientDeps) {
    this.#deps = deps
  }

  /** Drops requests that still wait for a token: after a disconnect their quota use would no longer be counted. */
  stop(): void {
    this.#isStopped = true
  }

  async request(request: ApiRequest): Promise<ApiAnswer> {
    await this.#deps.access()
    if (this.#isStopped) return STOPPED
    const first = this.#deps.usable()
    if (first.kind === 'none') return { kind: 'no-token', why: first.why }
    const answer = await this.#send(request, first.value)
    if (answer.kind !== 'answered' || answer.status !== 401) return answer
    await this.#deps.rejected(first.value)
    await this.#deps.access()
    const second = this.#deps.usable()
    // Retrying with the same token would give another 401.
    if (this.#isStopped || second.kind === 'none' || second.value === first.value) return answer
    const again = await this.#send(request, second.value)
    return again.kind === 'unreachable' ? { ...again, sent: true } : again
  }

  async #send({ method, path, body }: ApiRequest, token: string): Promise<ApiAnswer> {
    const { http, tap, reachability, baseUrl } = this.#deps
    const ticket = tap.sent(method, path)
    const url = `${baseUrl}${path}`
    const outcome = await http.send({
      method,
      url,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      timeoutMs: TIMEOUT_MS,
    })
    if (outcome.kind !== 'answer') {
      if (outcome.kind === 'not-sent') tap.notSent(ticket)
      else tap.lost(ticket)
      reachability.failed(hostOf(baseUrl), outcome.why)
      return { kind: 'unreachable', why: outcome.why, sent: outcome.kind === 'unknown' }
    }
    const observation = observe(outcome.status, outcome.headers)
    const sender = senderOfAnswer(observation, url, outcome.body)
    if (sender.kind === 'other') {
      tap.notTheService(ticket, outcome.status, sender.why)
      reachability.failed(hostOf(baseUrl), sender.why)
      return { kind: 'unreachable', why: sender.why, sent: true }
    }
    reachability.answered(hostOf(baseUrl))
    const tapped = tap.answered(ticket, observation, outcome.body)
    if (tapped.retryAtMs !== undefined) return { kind: 'limited', retryAtMs: tapped.retryAtMs }
    return {
      kind: 'answered',
      status: outcome.status,
      body: outcome.body,
      hasQuota: tapped.reading.rate !== undefined,
    }
  }
}

/** The host and port of a URL. */
export const hostOf = (url: string): string => new URL(url).host
