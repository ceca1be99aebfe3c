import type { QuotaState, RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import type { SimulatedService } from '../../main/simulator/simulated-service.ts'
import { violation } from './violation.ts'

/**
 * The app does not notice a shorter sleep when it occurs. Until then, an upper bound may lack this much
 * refill, and a fixed window may have ended this much earlier.
 */
const UNNOTICED_SLEEP_SECONDS = 2
/** Allows for whole milliseconds at the service, and for the network delay of a header. */
const IN_FLIGHT_MS = 60
const FIFTH = 0.2
const WARNED_AHEAD_LOOKS = 15

/** The totals of all checks of quotas that others use. */
export interface TruthCounts {
  looks: number
  /** Looks at which the true level was within `low`…`high`. */
  covered: number
  underFifth: number
  okUnderFifth: number
  emptyings: number
  emptyingsWarned: number
}

interface Watched {
  /** Time of the last header, and whether the true level has been below a fifth ever since. */
  headerAt: number
  isUnderSinceHeader: boolean
  /** Whether at least a tenth was left at some time since the quota was last empty. */
  wasThere: boolean
  readonly states: QuotaState[]
}

/**
 * Compares displayed quotas with the service's own counts, while others use them.
 *
 * At every look, the service's level must be at most `high`. A row whose last header showed less than a fifth
 * must not be called ok, as long as less than a fifth has been left since.
 *
 * `counts` has how often the range contained the level, how often a low row was called ok, and how often a
 * warning preceded an emptying. A test judges these counts over many lives, because one life may be unlucky.
 */
export class TruthInvariants {
  checked = 0
  readonly counts: TruthCounts = {
    ...{ looks: 0, covered: 0, underFifth: 0, okUnderFifth: 0, emptyings: 0, emptyingsWarned: 0 },
  }
  readonly #rows = new Map<string, Watched>()

  /** To be called for a new process, which knows nothing yet. */
  restarted(): void {
    this.#rows.clear()
  }

  /**
   * Called once a second. `busy`: categories with a request in flight, which may or may not be counted yet.
   */
  seen(snapshot: Snapshot, service: SimulatedService, busy: ReadonlySet<string>): void {
    this.checked += 1
    const nowMs = service.nowMs()
    for (const row of snapshot.requests) {
      if (row.observedAt === undefined) continue
      const truth = service.quotas.reading(row.category, nowMs)
      if (!truth || truth.limit !== row.limit || truth.periodSeconds !== row.period) continue
      const before = service.quotas.reading(row.category, nowMs - IN_FLIGHT_MS)
      // Until a service with fixed windows sends a Reset for this row, the app assumes that the row refills
      // gradually.
      const isMistaken = row.model === 'rolling' && service.options.window === 'fixed'
      if (!busy.has(row.category) && !isMistaken)
        this.#isNotAbove(row, Math.min(truth.remaining, before?.remaining ?? 0))
      const { accepted } = service.quotas.elsewhere(row.category, nowMs)
      // If only this app used a quota, another invariant checks it exactly.
      if (accepted > 0) this.#count(row, truth.remaining)
    }
  }

  #isNotAbove(row: RequestQuota, remaining: number): void {
    const { windowEndsAt = Number.POSITIVE_INFINITY } = row
    if (windowEndsAt - row.asOf <= UNNOTICED_SLEEP_SECONDS * 1000) return
    const slack = Math.ceil((UNNOTICED_SLEEP_SECONDS * row.limit) / row.period)
    if (remaining > row.high + slack) {
      violation(`${row.category}: the service has ${remaining}, and at most ${row.high} are told`)
    }
  }

  #count(row: RequestQuota, remaining: number): void {
    const watched = this.#watched(row)
    const isUnder = remaining < row.limit * FIFTH
    const headerAt = row.observedAt ?? 0
    if (headerAt !== watched.headerAt) {
      watched.headerAt = headerAt
      watched.isUnderSinceHeader = (row.seen ?? row.limit) < row.limit * FIFTH
    }
    watched.isUnderSinceHeader &&= isUnder
    if (watched.isUnderSinceHeader && row.state === 'ok') {
      violation(
        `${row.category} is called ok with ${remaining} of ${row.limit}, and its header said ${row.seen}`,
      )
    }
    const { counts } = this
    counts.looks += 1
    counts.covered += Number(remaining >= row.low && remaining <= row.high)
    counts.underFifth += Number(isUnder)
    counts.okUnderFifth += Number(isUnder && row.state === 'ok')
    this.#countEmptying(row, remaining, watched)
  }

  #countEmptying(row: RequestQuota, remaining: number, watched: Watched): void {
    watched.states.push(row.state)
    if (watched.states.length > WARNED_AHEAD_LOOKS + 1) watched.states.shift()
    if (remaining >= row.limit / 10) watched.wasThere = true
    if (remaining >= 1 || !watched.wasThere) return
    watched.wasThere = false
    if (watched.states.length <= WARNED_AHEAD_LOOKS) return
    const told = watched.states[0]
    this.counts.emptyings += 1
    this.counts.emptyingsWarned += Number(told === 'running-out' || told === 'empty' || told === 'blocked')
  }

  #watched(row: RequestQuota): Watched {
    const known = this.#rows.get(row.category)
    if (known) return known
    const watched: Watched = { headerAt: 0, isUnderSinceHeader: false, wasThere: false, states: [] }
    this.#rows.set(row.category, watched)
    return watched
  }
}
