import type { RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import { categoryOf } from '../../app/service/categories.ts'
import type { HttpHeaders, HttpOutcome, HttpRequest } from '../../main/ports/ports.ts'
import type { AllInvariants } from './all-invariants.ts'
import { count } from './count.ts'
import type { Machine } from './machine.ts'
import type { VirtualClock } from './virtual-clock.ts'
import type { Wiretap } from './virtual-http.ts'

export interface WireWatchDeps {
  readonly clock: VirtualClock
  readonly invariants: AllInvariants
  readonly machine: () => Machine
  readonly snapshot: () => Snapshot
  readonly budgetFraction: number
}

/** Checks the network traffic against the invariants, and kills the process when it passes a chosen step. */
export class WireWatch implements Wiretap {
  readonly requests: Record<string, number> = {}
  readonly #deps: WireWatchDeps
  readonly #inFlight = new Map<string, number>()
  /** The rows as they were when the last request for them was sent. */
  readonly #asked = new Map<string, RequestQuota>()
  readonly #sentAtMs = new Map<HttpRequest, number>()

  constructor(deps: WireWatchDeps) {
    this.#deps = deps
  }

  /** Categories with a request in flight, which may or may not be counted yet. */
  get busy(): ReadonlySet<string> {
    const busy = new Set<string>()
    for (const [category, inFlight] of this.#inFlight) if (inFlight > 0) busy.add(category)
    return busy
  }

  restarted(): void {
    this.#inFlight.clear()
    this.#asked.clear()
    this.#sentAtMs.clear()
  }

  asked(request: HttpRequest, path: string): void {
    const { clock, invariants, snapshot } = this.#deps
    const machine = this.#deps.machine()
    if (path === '/oauth/token') {
      count(this.requests, 'token')
      invariants.tokens.asked(request, clock.monotonicMs())
      invariants.revocation.refreshAsked(invariants.tokens.isAnswerLost)
      machine.passes('refresh-sent')
      return
    }
    if (path === '/oauth/revoke') {
      invariants.revocation.revokeAsked()
      machine.passes('revoke-sent')
      return
    }
    const category = categoryOf(request.method, path)
    count(this.requests, category ?? path)
    invariants.revocation.resourceAsked(path)
    invariants.tokens.used(bearerOf(request), snapshot, () => machine.durableToken())
    if (category !== undefined) {
      invariants.quotas.requestAsked(category, this.#rowOf(category), clock.worldMs())
      if (!path.includes('/stream/')) {
        this.#inFlight.set(category, (this.#inFlight.get(category) ?? 0) + 1)
        this.#sentAtMs.set(request, clock.worldMs())
      }
    }
    machine.passes('handed-out')
  }

  done(request: HttpRequest, path: string, outcome: HttpOutcome): void {
    const { clock, invariants, budgetFraction } = this.#deps
    if (path === '/oauth/token') {
      if (outcome.kind === 'answer') invariants.quotas.learnFrom(outcome.body)
      invariants.tokens.done(request, outcome, clock.monotonicMs())
      this.#deps.machine().passes('refresh-received')
      return
    }
    if (path === '/oauth/revoke') {
      invariants.revocation.revokeDone(outcome)
      this.#deps.machine().passes('revoke-received')
      return
    }
    const category = categoryOf(request.method, path)
    const sentAtMs = this.#sentAtMs.get(request)
    if (category === undefined || sentAtMs === undefined) return
    this.#sentAtMs.delete(request)
    this.#inFlight.set(category, Math.max(0, (this.#inFlight.get(category) ?? 0) - 1))
    if (outcome.kind === 'not-sent') return
    if (outcome.kind === 'answer') {
      this.opened(path, outcome.status, outcome.headers)
      if (outcome.status === 401) {
        invariants.tokens.rejected(bearerOf(request))
        invariants.quotas.unauthorized(category)
        return
      }
    }
    if (outcome.kind === 'answer' && outcome.status === 429) return
    invariants.quotas.probeCounted(this.#asked.get(category), budgetFraction, sentAtMs)
  }

  /** The head of an answer came in. */
  opened(path: string, status: number, headers: HttpHeaders): void {
    const { invariants } = this.#deps
    const category = categoryOf('GET', path)
    if (category === undefined) return
    const nowMs = this.#deps.clock.worldMs()
    const hasQuota = 'x-ratelimit-remaining' in headers
    // A 429 of the service shows that nothing is left. A 429 of a proxy in front of it does not show that.
    const isOfService = headers['content-type'] !== 'text/html'
    if (hasQuota || (status === 429 && isOfService)) invariants.alerts.evidence(category, nowMs)
    if (status !== 429) return
    // A 429 of a stream without headers may be due to the slots, so the wait for bare 429s does not apply.
    // The stream may try again as soon as a slot is free.
    invariants.quotas.refused(category, !hasQuota && !path.includes('/stream/'), nowMs)
    invariants.alerts.refused(category)
  }

  /** The row that counts a request that is about to be sent. */
  #rowOf(category: string): RequestQuota | undefined {
    const row = this.#deps.snapshot().requests.find((one) => one.category === category)
    if (row !== undefined) this.#asked.set(category, row)
    return row
  }
}

const bearerOf = ({ headers }: HttpRequest): string => headers['authorization']?.slice('Bearer '.length) ?? ''
