import type { CommandError, Outcome } from '../../app/contract/outcome.ts'
import type { ProbeSummary, RequestQuota } from '../../app/contract/snapshot.ts'
import type { QuotaSize } from '../../app/quota/ledger.ts'
import {
  budgetOpensAtMs,
  isProbablyEmpty,
  NO_PROBES,
  type ProbeRecord,
  probeDueAtMs,
  probesWithin,
  RECORDED_CHECKS,
} from '../../app/quota/probe-plan.ts'
import { nextRequestAtMs } from '../../app/quota/replenishment.ts'
import { RETRY, retryDelayMs } from '../../app/retry/schedules.ts'
import { PROBED_CATEGORIES, type ProbeSubjects, probePath } from '../../app/service/categories.ts'
import type { Clock, Random } from '../ports/ports.ts'
import type { ProbeSettings } from '../ports/profile.ts'
import type { Timeline } from '../ports/timeline.ts'
import { accountsIn } from './account-list.ts'
import * as checkErrors from './check-errors.ts'
import type { ApiAnswer, ApiRequest } from './client.ts'
import type { SessionDesk } from './session-desk.ts'

export interface ProbedQuotas {
  rowAt(category: string, nowMs: number): RequestQuota | undefined
  sizeOf(category: string): QuotaSize | undefined
  lastHeaderAtMs(category: string): number | undefined
  surprisedAtMs(category: string): number | undefined
  /** The row whose headers count this category's requests. */
  categoryOf(category: string): string | undefined
}

export interface ProberDeps {
  readonly clock: Clock
  readonly timeline: Timeline
  readonly random: Random
  readonly quotas: ProbedQuotas
  readonly request: (request: ApiRequest) => Promise<ApiAnswer>
  readonly mayProbe: () => boolean
  /**
   * The access token of current requests, only for comparison with earlier tokens. `undefined` without a
   * token.
   */
  readonly accessToken?: () => string | undefined
  /** Whether a person is looking at the window. Absent if the host cannot know, which counts as `true`. */
  readonly attended?: () => boolean
  /** The key's desk, whose members share the checks. `undefined` if the key has no desk. */
  readonly desk?: () => Pick<SessionDesk, 'checked' | 'yieldMs' | 'checkBudget'> | undefined
}

/**
 * Interval of regular ticks in milliseconds. A shorter interval would wake the machine too often while no
 * window is open. A check that becomes due between two ticks gets an extra tick.
 */
const TICK_MS = 1000
/** Minimum delay of a timer in milliseconds. A shorter timer could fire before the check is due. */
const MIN_WAIT_MS = 1
const MAX_AT_ONCE = 4
/**
 * Maximum time between evaluations of a row in milliseconds. The row's estimated quota can run out even if no
 * new header arrives.
 */
const LOOK_AGAIN_MS = 5_000
/**
 * Pauses in milliseconds after a failed check. `refusedMs`: the service rejected the check. `faultMs`: the
 * server had an error. `notSentMs`: the check was not sent.
 */
const PAUSE_AFTER = { refusedMs: 10 * 60_000, faultMs: 30_000, notSentMs: 5_000 } as const
const UNAUTHORIZED = 401
const FORBIDDEN = 403

/**
 * The last evaluation of a row. The row is not evaluated again before `atMs`, unless a header arrives or
 * `attended` changes.
 */
interface Look {
  readonly atMs: number
  readonly dueAtMs: number
  readonly headerAtMs: number | undefined
  readonly attended: boolean
}

/** Number of consecutive 401s of a category, and the access token that was current after the last of them. */
interface Unauthorized {
  readonly failures: number
  readonly token: string | undefined
}

/** Sends each category's cheapest request before the row becomes stale, within the check budget. */
export class Prober {
  readonly #deps: ProberDeps
  #settings: ProbeSettings
  readonly #records = new Map<string, ProbeRecord>()
  readonly #looks = new Map<string, Look>()
  readonly #under = new Set<string>()
  readonly #unauthorized = new Map<string, Unauthorized>()
  /** Categories paused by a 401 or 403. A new sign-in can end the pause. */
  readonly #unaccepted = new Set<string>()
  #account: string | undefined
  #signIns = 0
  #stopped = false
  #cancel: () => void = () => {}
  /** When the extra tick is due, on the timeline's clock. There is at most one at a time. */
  #extraTickAtMs = Number.POSITIVE_INFINITY
  #cancelExtraTick: () => void = () => {}

  constructor(settings: ProbeSettings, deps: ProberDeps) {
    this.#settings = settings
    this.#deps = deps
  }

  /** The first account of the key. `undefined` until an accounts response has listed one. */
  get account(): string | undefined {
    return this.#account
  }

  get symbol(): string {
    return this.#settings.symbol ?? DEFAULT_PROBE_SYMBOL
  }

  /** Applies new settings. The budget still counts checks that were already sent. */
  change(settings: ProbeSettings): void {
    this.#changeSubjects(() => {
      this.#settings = settings
    })
    this.#looks.clear()
    this.tick()
  }

  /**
   * Applies a change of the account or symbol. Ends the pauses of the affected checks, because they may
   * succeed with the new account or symbol.
   */
  #changeSubjects(change: () => void): void {
    const paths = () => [...this.#records.keys()].map((category) => this.#requestFor(category)?.path)
    const before = paths()
    change()
    const after = paths()
    this.#endPauses([...this.#records.keys()].filter((_, i) => before[i] !== after[i]))
  }

  /**
   * Call this after a sign-in, which may be another user's or have other scopes. Ends the pauses after a 401
   * or 403.
   */
  signedIn(): void {
    this.#signIns += 1
    this.#endPauses(this.#unaccepted)
    this.#unaccepted.clear()
    this.#unauthorized.clear()
    this.tick()
  }

  /** Keeps the current account if it is listed. Otherwise chooses the first listed account. */
  #listed(accounts: readonly string[]): void {
    const isListed = this.#account !== undefined && accounts.includes(this.#account)
    // After another user has signed in, the former user's account is not listed.
    if (isListed) return
    this.#changeSubjects(() => {
      this.#account = accounts[0] ?? this.#account
    })
  }

  #endPauses(categories: Iterable<string>): void {
    for (const category of categories) {
      this.#records.set(category, { ...this.#recordOf(category), notBeforeMs: NO_PROBES.notBeforeMs })
      this.#looks.delete(category)
    }
  }

  start(): void {
    this.tick()
    this.#cancel = this.#deps.clock.after(TICK_MS, () => this.start())
  }

  stop(): void {
    this.#stopped = true
    this.#cancel()
    this.#cancelExtraTick()
  }

  tick(): void {
    const { timeline, mayProbe } = this.#deps
    if (this.#stopped || !this.#enabled || !mayProbe()) return
    const now = timeline.now()
    const attended = this.#deps.attended?.() ?? true
    for (const category of PROBED_CATEGORIES) {
      if (this.#under.size >= MAX_AT_ONCE) return
      // If another row counts this category's requests, a check would bypass the other row's pause and
      // budget.
      if (this.#under.has(category) || !this.#countsItself(category)) continue
      const request = this.#requestFor(category)
      if (request && this.#isDue(category, attended, now)) void this.#probe(category, request, now)
    }
  }

  /**
   * Sends one check at a person's request. The budget still applies, because it protects the person's
   * programs.
   */
  async checkNow(category: string): Promise<Outcome> {
    const { timeline, quotas, mayProbe } = this.#deps
    const now = timeline.now()
    const counted = quotas.categoryOf(category)
    if (!PROBED_CATEGORIES.includes(category)) return checkErrors.notProbed(category)
    if (counted !== category && counted !== undefined) return checkErrors.countedElsewhere(category, counted)
    const request = this.#requestFor(category)
    if (!request) return checkErrors.needsAccount(category)
    if (this.#stopped || !mayProbe()) return checkErrors.cannotAsk(category)
    if (this.#under.has(category)) return { ok: true }
    const refusal = this.#whyNotNow(category, now)
    if (refusal) return refusal
    const answer = await this.#probe(category, request, now)
    return answer.kind === 'answered' && answer.hasQuota
      ? { ok: true }
      : checkErrors.noHeaders(category, answer, timeline.now())
  }

  /**
   * When the row is next checked, unless a header arrives first, in epoch milliseconds. `undefined` if no
   * check is planned.
   */
  nextCheckAt(row: RequestQuota): number | undefined {
    const { category } = row
    if (!this.#enabled || !this.#countsItself(category) || !this.#requestFor(category)) return undefined
    const now = this.#deps.timeline.now()
    const attended = this.#deps.attended?.() ?? true
    const dueAtMs = this.#dueAtMs(row, attended, now)
    return Number.isFinite(dueAtMs) ? Math.round(Math.max(now, dueAtMs)) : undefined
  }

  /**
   * When this machine checks a row. If the key has a desk, the member with the newest header checks first.
   */
  #dueAtMs(row: RequestQuota, attended: boolean, now: number): number {
    const dueAtMs = probeDueAtMs(row, this.#recordOf(row.category), this.#shared, now, attended)
    return dueAtMs + (this.#deps.desk?.()?.yieldMs(row.category) ?? 0)
  }

  summary(): ProbeSummary {
    const now = this.#deps.timeline.now()
    let perMinute = 0
    let usedFraction = 0
    for (const [category, record] of this.#records) {
      const size = this.#deps.quotas.sizeOf(category)
      perMinute += probesWithin(record, now, 60_000)
      if (size) usedFraction = Math.max(usedFraction, probesWithin(record, now, size.periodMs) / size.limit)
    }
    return {
      enabled: this.#enabled,
      perMinute,
      budgetFraction: this.#settings.budgetFraction,
      usedFraction,
      symbol: this.symbol,
      ...(this.#account !== undefined && { account: this.#account }),
    }
  }

  /** Share of each quota that checks may use. `undefined` if this machine checks nothing by itself. */
  get budget(): number | undefined {
    const { budgetFraction } = this.#settings
    return this.#enabled && budgetFraction > 0 ? budgetFraction : undefined
  }

  /** The settings, with the smallest budget of all machines of the desk. */
  get #shared(): ProbeSettings {
    const settings = this.#settings
    const budgetFraction = this.#deps.desk?.()?.checkBudget ?? Number.POSITIVE_INFINITY
    return budgetFraction < settings.budgetFraction ? { ...settings, budgetFraction } : settings
  }

  get #enabled(): boolean {
    const { enabled = true, budgetFraction, everySeconds } = this.#settings
    return enabled && (budgetFraction > 0 || Object.keys(everySeconds).length > 0)
  }

  #countsItself(category: string): boolean {
    return this.#deps.quotas.categoryOf(category) === category
  }

  #requestFor(category: string): ApiRequest | undefined {
    return probeRequest(category, { account: this.#account, symbol: this.symbol })
  }

  #isDue(category: string, attended: boolean, now: number): boolean {
    const { quotas } = this.#deps
    if (this.#hasOtherToken(category) && this.#whyNotNow(category, now) === undefined) return true
    const headerAtMs = quotas.lastHeaderAtMs(category)
    const look = this.#looks.get(category)
    if (look && now < look.atMs && look.headerAtMs === headerAtMs && look.attended === attended) {
      this.#tickAt(look.dueAtMs, now)
      return false
    }
    const row = quotas.rowAt(category, now)
    if (!row) return false
    const dueAtMs = this.#dueAtMs(row, attended, now)
    if (dueAtMs <= now) return true
    const atMs = Math.min(dueAtMs, now + LOOK_AGAIN_MS)
    this.#looks.set(category, { atMs, dueAtMs, headerAtMs, attended })
    this.#tickAt(dueAtMs, now)
    return false
  }

  /**
   * Schedules an extra tick at `dueAtMs` if that time is soon. Does nothing if an earlier extra tick is
   * scheduled, because that tick will call this method again.
   *
   * With regular ticks alone, checks could stay in phase with a program's timer for minutes. The row would
   * then look full at every check, or at none.
   */
  #tickAt(dueAtMs: number, now: number): void {
    // A row without a budget has an infinite `dueAtMs` and is never due.
    if (!(dueAtMs < Math.min(this.#extraTickAtMs, now + LOOK_AGAIN_MS))) return
    this.#cancelExtraTick()
    this.#extraTickAtMs = dueAtMs
    this.#cancelExtraTick = this.#deps.clock.after(Math.max(MIN_WAIT_MS, dueAtMs - now), () => {
      this.#extraTickAtMs = Number.POSITIVE_INFINITY
      this.tick()
    })
  }

  /**
   * Whether the category's 401s were for an access token that has since been replaced. A check with the
   * current token is then due immediately.
   */
  #hasOtherToken(category: string): boolean {
    const unauthorized = this.#unauthorized.get(category)
    const token = this.#deps.accessToken?.()
    if (unauthorized === undefined || token === undefined || token === unauthorized.token) return false
    return this.#settings.everySeconds[category] !== 0
  }

  #whyNotNow(category: string, now: number): CommandError | undefined {
    const row = this.#deps.quotas.rowAt(category, now)
    if (!row) return checkErrors.notProbed(category)
    if (row.blockedUntil !== undefined) return checkErrors.held(category, row.blockedUntil, now)
    if (row.nextTryAt !== undefined)
      return row.nextTryAt > now ? checkErrors.held(category, row.nextTryAt, now) : undefined
    if (isProbablyEmpty(row))
      return checkErrors.nothingLeft(category, row.nextAt ?? nextRequestAtMs(row, now), now)
    const { budgetFraction } = this.#shared
    if (budgetFraction === 0) return undefined
    const opensAtMs = budgetOpensAtMs(row, this.#recordOf(category), budgetFraction, now)
    return opensAtMs > now ? checkErrors.budgetSpent(category, opensAtMs, now) : undefined
  }

  #recordOf(category: string): ProbeRecord {
    const surprisedAtMs = this.#deps.quotas.surprisedAtMs(category)
    return { ...(this.#records.get(category) ?? NO_PROBES), surprisedAtMs }
  }

  /**
   * Counts a request in the budget although it is not a check, for example the lookup of an order. Such a
   * request may exceed the budget.
   */
  count(category: string): void {
    this.#sent(category, this.#deps.timeline.now())
  }

  #sent(category: string, now: number): void {
    const record = this.#recordOf(category)
    const keptSinceMs = now - Math.max(60_000, this.#deps.quotas.sizeOf(category)?.periodMs ?? 0)
    this.#records.set(category, {
      ...record,
      sentAtMs: [
        ...record.sentAtMs.filter(
          (at, index, { length }) => at > keptSinceMs || length - index < RECORDED_CHECKS,
        ),
        now,
      ],
      jitter: 2 * this.#deps.random.next() - 1,
    })
  }

  async #probe(category: string, request: ApiRequest, now: number): Promise<ApiAnswer> {
    this.#sent(category, now)
    this.#deps.desk?.()?.checked(category)
    this.#looks.delete(category)
    this.#under.add(category)
    const signIns = this.#signIns
    const answer = await this.#deps.request(request).finally(() => this.#under.delete(category))
    const isCurrent = signIns === this.#signIns && request.path === this.#requestFor(category)?.path
    this.#settle(category, answer, isCurrent)
    // The response may enable other checks, such as those that need an account.
    if (answer.kind === 'answered') this.tick()
    return answer
  }

  /** `isCurrent`: false if someone signed in, or the account or symbol changed, since the check was sent. */
  #settle(category: string, answer: ApiAnswer, isCurrent: boolean): void {
    const now = this.#deps.timeline.now()
    const record = this.#recordOf(category)
    const earlier = record.sentAtMs.slice(0, -1)
    if (answer.kind === 'no-token' || (answer.kind === 'unreachable' && !answer.sent)) {
      // A request that was not sent does not count in the budget.
      const notBeforeMs = now + PAUSE_AFTER.notSentMs
      this.#records.set(category, { ...record, sentAtMs: earlier, notBeforeMs })
      return
    }
    // The budget counts a check when its response arrives. The start time would be less exact, because a
    // check may wait for a token before it is sent. With a configured interval, a check counts when it
    // starts, so that the interval stays exact.
    const keepsBeat = this.#settings.everySeconds[category] !== undefined
    const headerAtMs = this.#deps.quotas.lastHeaderAtMs(category)
    const settled: ProbeRecord = {
      ...record,
      sentAtMs: keepsBeat ? record.sentAtMs : [...earlier, now],
      ...(answer.kind === 'answered' &&
        answer.hasQuota &&
        headerAtMs !== undefined && { headerAtMs: Math.round(headerAtMs) }),
    }
    this.#records.set(category, settled)
    if (answer.kind !== 'answered' || !isCurrent) return
    if (category === 'Accounts' && answer.status === 200) this.#listed(accountsIn(answer.body) ?? [])
    const { status, hasQuota } = answer
    if (hasQuota || (status !== UNAUTHORIZED && status !== FORBIDDEN)) this.#unaccepted.delete(category)
    else this.#unaccepted.add(category)
    // If one row accepts a token that was rejected before, the other rows may accept it too.
    if (hasQuota && this.#unauthorized.has(category)) this.#endPauses(this.#unauthorized.keys())
    if (hasQuota || status !== UNAUTHORIZED) this.#unauthorized.delete(category)
    if (status >= 400 && !hasQuota) {
      this.#records.set(category, { ...settled, notBeforeMs: now + this.#pauseMs(category, status) })
    }
  }

  #pauseMs(category: string, status: number): number {
    if (status >= 500) return PAUSE_AFTER.faultMs
    if (status !== UNAUTHORIZED) return PAUSE_AFTER.refusedMs
    const failures = (this.#unauthorized.get(category)?.failures ?? 0) + 1
    this.#unauthorized.set(category, { failures, token: this.#deps.accessToken?.() })
    return retryDelayMs(RETRY.unauthorized, failures, this.#deps.random.next())
  }
}

/** The default symbol. Every account with market data may request it. */
export const DEFAULT_PROBE_SYMBOL = 'MSFT'

/**
 * The cheapest request of a category. `undefined` for streams and for categories whose requests place orders.
 */
export function probeRequest(category: string, subjects: ProbeSubjects): ApiRequest | undefined {
  const path = probePath(category, subjects)
  return path === undefined ? undefined : { method: 'GET', path }
}
