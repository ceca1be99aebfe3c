import type { ProbeSummary, RequestQuota } from '../../app/contract/snapshot.ts'
import {
  earned,
  newCredit,
  type ProbeCredit,
  type ProbeRules,
  probeIsDue,
} from '../../app/quota/probe-plan.ts'
import type { Clock } from '../ports/ports.ts'
import type { Timeline } from '../timeline.ts'
import type { ApiAnswer, ApiRequest } from './client.ts'
import { DEFAULT_PROBE_SYMBOL, firstAccount, probeRequest } from './probe-requests.ts'

export interface ProberDeps {
  readonly clock: Clock
  readonly timeline: Timeline
  readonly rows: () => readonly RequestQuota[]
  /** The row that really counts a category's requests, as headers have shown. */
  readonly countsAgainst: (category: string) => string | undefined
  readonly request: (request: ApiRequest) => Promise<ApiAnswer>
  /** Whether a request of our own making should go out at all now. */
  readonly mayProbe: () => boolean
}

const TICK_MS = 500
const MOST_AT_ONCE = 4
/** A probe that the key may not make is not made again soon; one that met a fault is, a little later. */
const PAUSE_AFTER = { refusedMs: 10 * 60_000, faultMs: 30_000 } as const

/** Sends the cheapest request of a category where its row would otherwise grow stale, within the budget. */
export class Prober {
  readonly #deps: ProberDeps
  readonly #rules: ProbeRules
  readonly #credits = new Map<string, ProbeCredit>()
  readonly #probedAtMs = new Map<string, number[]>()
  readonly #under = new Set<string>()
  #account: string | undefined
  #stopped = false
  #cancel: () => void = () => {}

  constructor(rules: ProbeRules, deps: ProberDeps) {
    this.#rules = rules
    this.#deps = deps
  }

  start(): void {
    this.tick()
    this.#cancel = this.#deps.clock.after(TICK_MS, () => this.start())
  }

  stop(): void {
    this.#stopped = true
    this.#cancel()
  }

  tick(): void {
    const { timeline, rows, mayProbe } = this.#deps
    if (this.#stopped || !this.#enabled || !mayProbe()) return
    const now = timeline.now()
    for (const row of rows()) {
      if (this.#under.size >= MOST_AT_ONCE) return
      if (this.#under.has(row.category)) continue
      // Another row counts this one's requests: its hold and its budget would be passed by.
      if (this.#deps.countsAgainst(row.category) !== row.category) continue
      const request = probeRequest(row.category, { account: this.#account, symbol: DEFAULT_PROBE_SYMBOL })
      if (!request) continue
      const credit = earned(
        this.#credits.get(row.category) ?? newCredit(now),
        row,
        this.#rules.budgetFraction,
        now,
      )
      this.#credits.set(row.category, credit)
      if (!probeIsDue(row, credit, this.#rules, now, row.source === 'default')) continue
      if (this.#isOverBudget(row, now)) continue
      this.#credits.set(row.category, { ...credit, credit: Math.max(0, credit.credit - 1), lastAtMs: now })
      this.#probedAtMs.set(row.category, [...this.#recent(row, now), now])
      void this.#probe(row.category, request)
    }
  }

  summary(): ProbeSummary {
    const now = this.#deps.timeline.now()
    const rows = this.#deps.rows()
    const used = rows.map((row) => this.#recent(row, now).length / row.limit)
    const minute = rows.flatMap((row) => this.#recent(row, now)).filter((at) => now - at <= 60_000)
    return {
      enabled: this.#enabled,
      perMinute: minute.length,
      budgetFraction: this.#rules.budgetFraction,
      usedFraction: Math.max(0, ...used),
    }
  }

  get #enabled(): boolean {
    return this.#rules.budgetFraction > 0 || Object.keys(this.#rules.everySeconds).length > 0
  }

  /** Credit evens probes out; this is the promise: in no period more than the share, or one where it is less. */
  #isOverBudget(row: RequestQuota, now: number): boolean {
    if (this.#rules.everySeconds[row.category] !== undefined) return false
    const most = Math.max(1, Math.floor(row.limit * this.#rules.budgetFraction))
    return this.#recent(row, now).length >= most
  }

  #recent(row: RequestQuota, now: number): number[] {
    const sinceMs = now - row.period * 1000
    return (this.#probedAtMs.get(row.category) ?? []).filter((at) => at >= sinceMs)
  }

  async #probe(category: string, request: ApiRequest): Promise<void> {
    this.#under.add(category)
    const answer = await this.#deps.request(request).finally(() => this.#under.delete(category))
    if (answer.kind !== 'answered') return
    if (category === 'Accounts' && answer.status === 200) this.#account ??= firstAccount(answer.body)
    if (answer.status >= 400 && !answer.hasQuota) {
      const credit = this.#credits.get(category)
      const pauseMs = answer.status >= 500 ? PAUSE_AFTER.faultMs : PAUSE_AFTER.refusedMs
      const notBeforeMs = this.#deps.timeline.now() + pauseMs
      if (credit) this.#credits.set(category, { ...credit, notBeforeMs })
    }
    // What this answer made possible (an account for the other rows) need not wait for the next tick.
    this.tick()
  }
}
