import type { ProbeSummary, RequestQuota } from '../../app/contract/snapshot.ts'
import {
  NO_PROBES,
  type ProbeRecord,
  type ProbeRules,
  probeIsDue,
  probesWithin,
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

/** Once a second at most: with every window closed, nothing in the process should wake the machine more often. */
const TICK_MS = 1000
const MOST_AT_ONCE = 4
/** A probe that the key may not make is not made again soon; one that met a fault is, a little later. */
const PAUSE_AFTER = { refusedMs: 10 * 60_000, faultMs: 30_000 } as const

/** Sends the cheapest request of a category where its row would otherwise grow stale, within the budget. */
export class Prober {
  readonly #deps: ProberDeps
  readonly #rules: ProbeRules
  readonly #records = new Map<string, ProbeRecord>()
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
      const record = this.#records.get(row.category) ?? NO_PROBES
      if (!probeIsDue(row, record, this.#rules, now)) continue
      const keptSinceMs = now - Math.max(60, row.period) * 1000
      const kept = record.sentAtMs.filter((at) => at > keptSinceMs)
      this.#records.set(row.category, { ...record, sentAtMs: [...kept, now] })
      void this.#probe(row.category, request)
    }
  }

  summary(): ProbeSummary {
    const now = this.#deps.timeline.now()
    const probes = (category: string, spanMs: number) =>
      probesWithin(this.#records.get(category) ?? NO_PROBES, now, spanMs)
    const rows = this.#deps.rows()
    return {
      enabled: this.#enabled,
      perMinute: rows.reduce((sum, row) => sum + probes(row.category, 60_000), 0),
      budgetFraction: this.#rules.budgetFraction,
      usedFraction: Math.max(0, ...rows.map((row) => probes(row.category, row.period * 1000) / row.limit)),
    }
  }

  get #enabled(): boolean {
    return this.#rules.budgetFraction > 0 || Object.keys(this.#rules.everySeconds).length > 0
  }

  /**
   * A probe may wait for a token before it goes out, so the budget counts it at its answer: two that are a period
   * apart here are one apart at the service too. An interval that was asked for keeps its beat.
   */
  #countedBy(category: string, nowMs: number): void {
    const record = this.#records.get(category)
    if (!record || this.#rules.everySeconds[category] !== undefined) return
    this.#records.set(category, { ...record, sentAtMs: [...record.sentAtMs.slice(0, -1), nowMs] })
  }

  async #probe(category: string, request: ApiRequest): Promise<void> {
    this.#under.add(category)
    const answer = await this.#deps.request(request).finally(() => this.#under.delete(category))
    this.#countedBy(category, this.#deps.timeline.now())
    if (answer.kind !== 'answered') return
    if (category === 'Accounts' && answer.status === 200) this.#account ??= firstAccount(answer.body)
    if (answer.status >= 400 && !answer.hasQuota) {
      const record = this.#records.get(category) ?? NO_PROBES
      const pauseMs = answer.status >= 500 ? PAUSE_AFTER.faultMs : PAUSE_AFTER.refusedMs
      this.#records.set(category, { ...record, notBeforeMs: this.#deps.timeline.now() + pauseMs })
    }
    // What this answer made possible (an account for the other rows) need not wait for the next tick.
    this.tick()
  }
}
