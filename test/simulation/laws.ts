import type { LoggedEvent } from '../../app/contract/events.ts'
import type { RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import type { HttpOutcome } from '../../main/ports/ports.ts'
import type { SimulatedService } from '../../main/simulator/simulated-service.ts'
import { Secrets } from './secrets.ts'

/** What holds at every moment of every story. Each breach throws with one sentence. */
export class Laws {
  readonly #secrets: Secrets
  readonly #probes = new Map<string, number[]>()
  /** How often a law was held against something. */
  checked = 0
  #revision = 0
  #eventSeq = 0
  #refreshes = 0
  #refusals = 0

  constructor(secrets: readonly string[]) {
    this.#secrets = new Secrets(secrets)
  }

  refreshAsked(): void {
    this.checked += 1
    this.#refreshes += 1
    if (this.#refreshes > 1) breach('two refreshes are in flight at once')
  }

  refreshDone(outcome: HttpOutcome): void {
    this.#refreshes -= 1
    if (outcome.kind !== 'answer') return
    if (outcome.body.includes('"invalid_grant"')) this.#refusals += 1
    this.#secrets.learnFrom(outcome.body)
  }

  /** An own request is about to go out; `row` is the quota it counts against. */
  requestAsked(row: RequestQuota | undefined): void {
    this.checked += 1
    if (!row) return
    if (row.blockedUntil !== undefined) breach(`a request went into ${row.category}, which is held`)
    if (row.source !== 'default' && row.low < 1) {
      breach(`a request went into ${row.category}, whose lower bound is ${row.low}`)
    }
  }

  /** A probe that the service counted, or may have: not one it turned away with a 401. */
  probeCounted(row: RequestQuota | undefined, budgetFraction: number, sentAtMs: number): void {
    if (!row) return
    const since = sentAtMs - row.period * 1000
    const recent = [...(this.#probes.get(row.category) ?? []).filter((at) => at > since), sentAtMs]
    this.#probes.set(row.category, recent)
    const most = Math.max(1, row.limit * budgetFraction)
    if (recent.length > most) {
      breach(`${recent.length} probes of ${row.category} in one period, the budget is ${most}`)
    }
  }

  /** A wall clock set forward looks like sleep to whoever lives on the machine: for the app that time passed. */
  wallJumped(ms: number): void {
    if (ms > 0) this.#probes.clear()
  }

  told(event: LoggedEvent): void {
    this.checked += 1
    if (event.seq <= this.#eventSeq) breach('events are not in order')
    this.#eventSeq = event.seq
    this.#noSecretIn(event, `the event ${event.kind}`)
    if (event.kind === 'sign-in-required' && this.#refusals === 0) {
      breach('the session ended without an answered invalid_grant')
    }
  }

  seen(snapshot: Snapshot): void {
    this.checked += 1
    if (snapshot.revision < this.#revision) breach('the revision went back')
    this.#revision = snapshot.revision
    for (const { category, own, elsewhere, free, limit } of snapshot.slots) {
      if (own + elsewhere + free !== limit) breach(`${category}: ${own} + ${elsewhere} + ${free} ≠ ${limit}`)
      if (Math.min(own, elsewhere, free) < 0) breach(`${category}: a slot count is below 0`)
    }
    for (const row of snapshot.requests) {
      if (!(row.low <= row.remaining && row.remaining <= row.high && row.high <= row.limit && row.low >= 0)) {
        breach(`${row.category}: ${row.low} ≤ ${row.remaining} ≤ ${row.high} ≤ ${row.limit} does not hold`)
      }
    }
    if (snapshot.probes.usedFraction > snapshot.probes.budgetFraction + 1e-9) {
      const tightest = Math.min(...snapshot.requests.map((row) => row.limit))
      if (snapshot.probes.usedFraction > 1 / tightest + 1e-9) {
        breach(`probes used ${snapshot.probes.usedFraction} of a budget of ${snapshot.probes.budgetFraction}`)
      }
    }
  }

  scanned(snapshot: Snapshot): void {
    this.checked += 1
    this.#noSecretIn(snapshot, 'a snapshot')
  }

  /** Only while nobody else is on the key: the bounds hold what the service would say. */
  bounded(snapshot: Snapshot, service: SimulatedService, busy: ReadonlySet<string>): void {
    this.checked += 1
    for (const row of snapshot.requests) {
      if (row.source === 'default' || busy.has(row.category)) continue
      const truth = service.quotas.reading(row.category, service.nowMs())
      // Services count in whole milliseconds; a floor may fall on either side of one.
      const before = service.quotas.reading(row.category, service.nowMs() - 60)
      if (!truth || !before || truth.limit !== row.limit) continue
      if (row.low > truth.remaining || row.high < before.remaining) {
        breach(
          `${row.category}: the service has ${truth.remaining}, the bounds are ${row.low} to ${row.high}`,
        )
      }
    }
  }

  /** Once nothing opens or closes any more. */
  slotsAgree(snapshot: Snapshot, service: SimulatedService): void {
    this.checked += 1
    for (const { category, own } of snapshot.slots) {
      const counted = service.slots.own(category)
      if (own !== counted) breach(`${category}: ${own} own slots here, ${counted} at the service`)
    }
  }

  get refreshesInFlight(): number {
    return this.#refreshes
  }

  #noSecretIn(value: unknown, where: string): void {
    if (this.#secrets.isIn(JSON.stringify(value))) breach(`${where} holds a secret or a part of one`)
  }
}

function breach(what: string): never {
  throw new Error(what)
}
