import type { LoggedEvent } from '../../app/contract/events.ts'
import type { QuotaState, RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import type { SimulatedService } from '../../main/simulator/simulated-service.ts'
import { Secrets } from './secrets.ts'
import { violation } from './violation.ts'

/** Wait after a 429 that names no time (service 7). */
const FALLBACK_MS = 60_000
/**
 * The app does not notice a shorter sleep when it occurs. It is corrected after the next one that is noticed.
 */
const UNNOTICED_SLEEP_MS = 2_000
const LONGEST_PERIOD_MS = 300_000
/** Minimum time between checks of an empty row (PROMISES Q6). */
const MIN_INTO_EMPTY_MS = 15_000
/**
 * Checks that are allowed beyond the rate of the budget. Waits vary by a fifth at random, so the deviation
 * grows like a random walk.
 */
const [PROBES_AT_ONCE, PROBES_BY_CHANCE] = [3, 0.5]
const MAX_PROBES_KEPT = 200
/**
 * A stream is closed after 30 s of silence. The silence is checked once a second, and a frame takes one
 * network delay.
 */
const LONGEST_SILENCE_MS = 33_000

/** The rules that hold at every moment of every story. Each violation throws one sentence. */
export class QuotaInvariants {
  readonly #secrets: Secrets
  readonly #probes = new Map<string, number[]>()
  /** How often an invariant was checked. */
  checked = 0
  /**
   * The displayed state of each row at the last look, and the time of the last request into a row that was
   * shown as empty.
   */
  readonly #states = new Map<string, QuotaState>()
  readonly #askedEmptyAtMs = new Map<string, number>()
  readonly #limits = new Map<string, number>()
  #limitsChangedAtMs = 0
  #revision = 0
  #eventSeq = 0
  /** Categories that got a 429, and the time of the last 429 without headers. */
  readonly #refused = new Set<string>()
  readonly #throttledAtMs = new Map<string, number>()

  constructor(secrets: readonly string[]) {
    this.#secrets = new Secrets(secrets)
  }

  /** From here on, every response of a token endpoint is a secret. */
  learnFrom(body: string): void {
    this.#secrets.learnFrom(body)
  }

  /**
   * To be called when another process starts. It numbers its snapshots from 0, and does not know the requests
   * of the previous process.
   */
  restarted(): void {
    this.#revision = 0
    this.#eventSeq = 0
    this.#probes.clear()
    this.#throttledAtMs.clear()
    this.#refused.clear()
    this.#states.clear()
    this.#askedEmptyAtMs.clear()
    this.#limits.clear()
  }

  /** To be called when a 429 arrives. `isBare`: it had no quota headers. */
  refused(category: string, isBare: boolean, worldMs: number): void {
    this.#refused.add(category)
    if (isBare) this.#throttledAtMs.set(category, worldMs)
  }

  /** A 401 arrived. The request is sent again with a new token, and shows nothing about an empty row. */
  unauthorized(category: string): void {
    this.#askedEmptyAtMs.delete(category)
  }

  /** An own request is about to be sent. `row` is the quota that counts it. */
  requestAsked(category: string, row: RequestQuota | undefined, worldMs: number): void {
    this.checked += 1
    const throttledAtMs = this.#throttledAtMs.get(category)
    if (throttledAtMs !== undefined && worldMs - throttledAtMs < FALLBACK_MS - UNNOTICED_SLEEP_MS) {
      violation(`${category} was asked ${worldMs - throttledAtMs} ms after a 429 that named no time`)
    }
    if (!row) return
    if (row.blockedUntil !== undefined) violation(`a request went into ${row.category}, which is held`)
    this.#intoEmpty(row, worldMs)
  }

  /** A 429 uses no quota, so an empty row may be checked occasionally. */
  #intoEmpty({ category }: RequestQuota, worldMs: number): void {
    if (this.#states.get(category) !== 'empty') {
      this.#askedEmptyAtMs.delete(category)
      return
    }
    const agoMs = worldMs - (this.#askedEmptyAtMs.get(category) ?? Number.NEGATIVE_INFINITY)
    if (agoMs < MIN_INTO_EMPTY_MS - UNNOTICED_SLEEP_MS) {
      violation(`${category}, which is empty, was asked twice in ${agoMs} ms`)
    }
    this.#askedEmptyAtMs.set(category, worldMs)
  }

  /**
   * To be called for a check that the service counted or may have counted: one without a 401 or a 429.
   *
   * On average, checks stay within the budget. Over any time, they may exceed its rate only by the few checks
   * that a row needs to show others' use, and by the random part of the waits.
   */
  probeCounted(row: RequestQuota | undefined, budgetFraction: number, sentAtMs: number): void {
    if (!row) return
    const probes = [...(this.#probes.get(row.category) ?? []).slice(1 - MAX_PROBES_KEPT), sentAtMs]
    this.#probes.set(row.category, probes)
    const perMs = Math.max(1, row.limit * budgetFraction) / (row.period * 1000)
    for (const [index, fromMs] of probes.entries()) {
      const count = probes.length - index
      const paid = perMs * (sentAtMs - fromMs + UNNOTICED_SLEEP_MS)
      const most = paid + PROBES_AT_ONCE + PROBES_BY_CHANCE * Math.sqrt(paid)
      if (count > most) {
        const seconds = Math.round((sentAtMs - fromMs) / 1000)
        violation(
          `${count} probes of ${row.category} in ${seconds} s, the budget pays for ${most.toFixed(1)}`,
        )
      }
    }
  }

  /** For the app, a wall clock that is set forward is a sleep of that length. */
  wallJumped(ms: number): void {
    if (ms <= 0) return
    this.#probes.clear()
    this.#throttledAtMs.clear()
  }

  told(event: LoggedEvent): void {
    this.checked += 1
    if (event.seq <= this.#eventSeq) violation('events are not in order')
    this.#eventSeq = event.seq
    this.#noSecretIn(event, `the event ${event.kind}`)
  }

  seen(snapshot: Snapshot): void {
    this.checked += 1
    if (snapshot.revision < this.#revision) violation('the revision went back')
    this.#revision = snapshot.revision
    for (const { category, own, elsewhere, free, limit } of snapshot.slots) {
      if (own + elsewhere + free !== limit)
        violation(`${category}: ${own} + ${elsewhere} + ${free} ≠ ${limit}`)
      if (Math.min(own, elsewhere, free) < 0) violation(`${category}: a slot count is below 0`)
    }
    for (const row of snapshot.requests) {
      this.#states.set(row.category, row.state)
      if (row.blockedUntil !== undefined && !this.#refused.has(row.category)) {
        violation(`${row.category} is held without a 429 of its own`)
      }
      if (!(row.low <= row.remaining && row.remaining <= row.high && row.high <= row.limit && row.low >= 0)) {
        violation(`${row.category}: ${row.low} ≤ ${row.remaining} ≤ ${row.high} ≤ ${row.limit} does not hold`)
      }
    }
    this.#limitsKnown(snapshot)
    const isSettled = snapshot.at - this.#limitsChangedAtMs >= LONGEST_PERIOD_MS
    const tightest = Math.min(...snapshot.requests.map((row) => row.limit))
    const { usedFraction, budgetFraction } = snapshot.probes
    if (isSettled && usedFraction > budgetFraction + PROBES_AT_ONCE / tightest) {
      violation(`probes used ${usedFraction} of a budget of ${budgetFraction}`)
    }
  }

  /**
   * Forgets checks from before a header showed another limit. They were within the budget of the assumed
   * limit.
   */
  #limitsKnown({ at, requests }: Snapshot): void {
    for (const { category, limit } of requests) {
      if (this.#limits.get(category) === limit) continue
      this.#limits.set(category, limit)
      this.#probes.delete(category)
      this.#limitsChangedAtMs = at
    }
  }

  scanned(snapshot: Snapshot): void {
    this.checked += 1
    this.#noSecretIn(snapshot, 'a snapshot')
  }

  /** While the key has no other user, the bounds contain the service's level. */
  bounded(snapshot: Snapshot, service: SimulatedService, busy: ReadonlySet<string>): void {
    this.checked += 1
    for (const row of snapshot.requests) {
      if (row.source === 'default' || busy.has(row.category)) continue
      const truth = service.quotas.reading(row.category, service.nowMs())
      // The service counts in whole milliseconds, so its count may change within the delay. The upper bound
      // is compared with an earlier count.
      const before = service.quotas.reading(row.category, service.nowMs() - 60)
      if (!truth || !before || truth.limit !== row.limit) continue
      if (row.low > truth.remaining || row.high < before.remaining) {
        violation(
          `${row.category}: the service has ${truth.remaining}, the bounds are ${row.low} to ${row.high}`,
        )
      }
    }
  }

  /** Use by others is impossible if no other program uses the key. */
  nobodyElse(event: LoggedEvent): void {
    if (event.kind === 'elsewhere') violation(`use elsewhere was invented in ${event.category}`)
  }

  silence(longestMs: number): void {
    this.checked += 1
    if (longestMs > LONGEST_SILENCE_MS)
      violation(`a stream was silent for ${longestMs} ms and nobody closed it`)
  }

  /** To be called when no stream is being opened or closed. */
  slotsAgree(snapshot: Snapshot, service: SimulatedService): void {
    this.checked += 1
    for (const { category, own } of snapshot.slots) {
      const counted = service.slots.own(category)
      if (own !== counted) violation(`${category}: ${own} own slots here, ${counted} at the service`)
    }
  }

  #noSecretIn(value: unknown, where: string): void {
    if (this.#secrets.isIn(JSON.stringify(value))) violation(`${where} holds a secret or a part of one`)
  }
}
