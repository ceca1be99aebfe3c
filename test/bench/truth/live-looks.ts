import { z } from 'zod'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { RequestQuotas } from '../../../main/simulator/rules/request-quotas.ts'
import { chanceFrom } from '../../app/quota/chance.ts'
import { NO_MODEL } from './aims.ts'
import type { Kind } from './kinds.ts'
import type { OthersCount } from './live-others.ts'
import { type Looks, noLooks } from './looks.ts'
import { Oracles } from './oracles.ts'
import { DrawnTraffic } from './process.ts'
import { chanceOf } from './row-state.ts'

/** The part of the simulator's control response that describes its quotas. */
export const truthOf = z.object({
  at: z.number(),
  requests: z.array(z.object({ category: z.string(), remaining: z.number() })),
})
export type Truth = z.infer<typeof truthOf>

const AHEAD_SECONDS = 600
const MAX_APART_MS = 250

/** The header that arrived since the previous look, if any. Times are seconds since the start. */
interface Seen {
  readonly look: number
  readonly atSeconds: number
  readonly header:
    | { readonly atSeconds: number; readonly remaining: number; readonly isRefused: boolean }
    | undefined
}

/** A separate process's output on one quota, with the simulator's count, second by second. */
export class LiveLooks {
  readonly looks: Looks
  readonly #category: string
  readonly #kind: Kind
  readonly #startMs: number
  readonly #seed: number
  /** Input of the oracles, which run afterwards so that they take no time from the watched process. */
  readonly #seen: Seen[] = []
  #observedAt = Number.NEGATIVE_INFINITY
  #rejected = 0
  #filled = 0

  constructor(kind: Kind, category: string, startMs: number, seconds: number, seed: number) {
    this.looks = noLooks(kind, seconds, AHEAD_SECONDS, [NO_MODEL])
    this.#category = category
    this.#kind = kind
    this.#startMs = startMs
    this.#seed = seed
  }

  /** One look: the snapshot as printed, and the truth a moment later. */
  take(snapshot: Snapshot, truth: Truth, nowMs: number, others: OthersCount): void {
    const row = snapshot.requests.find(({ category }) => category === this.#category)
    const is = truth.requests.find(({ category }) => category === this.#category)?.remaining
    const at = Math.floor((nowMs - this.#startMs) / 1000)
    // On a busy machine, the truth may be read long after the line was printed. Such looks are left out.
    if (truth.at - snapshot.at > MAX_APART_MS) return
    const { looks } = this
    if (!row || is === undefined || at < 0 || at >= looks.count) return
    const refused = row.rejected - this.#rejected
    this.#rejected = row.rejected
    let header: Seen['header']
    if (row.observedAt !== undefined && row.seen !== undefined && row.observedAt > this.#observedAt) {
      this.#observedAt = row.observedAt
      header = {
        ...{ atSeconds: (row.observedAt - this.#startMs) / 1000, remaining: row.seen },
        isRefused: refused > 0,
      }
    }
    this.#seen.push({ look: at, atSeconds: (nowMs - this.#startMs) / 1000, header })
    // A second without a look repeats the previous one, and does not count.
    for (; this.#filled < at; this.#filled += 1) this.#repeat(this.#filled)
    this.#filled = at + 1
    looks.accepted[at] = others.accepted
    looks.refused[at] = others.refused
    looks.truth[at] = this.#without(is, row.high, truth.at - snapshot.at)
    looks.isSeen[at] = row.observedAt === undefined ? 0 : 1
    looks.state[at] = row.state
    looks.chance[at] = chanceOf(row)
    looks.middle[at] = row.remaining
    looks.low[at] = row.low
    looks.high[at] = row.high
    looks.headerAgeSeconds[at] = row.observedAt === undefined ? Number.NaN : (nowMs - row.observedAt) / 1000
    looks.othersLow[at] = row.use?.elsewhereLow ?? Number.NaN
    looks.othersHigh[at] = row.use?.elsewhereHigh ?? Number.NaN
    looks.peers[NO_MODEL]![at] = row.seen ?? Number.NaN
    looks.checks = row.used?.own ?? 0
  }

  /** The truth is read a moment after the snapshot. The refill in between does not count against `high`. */
  #without(remaining: number, high: number, laterMs: number): number {
    if (remaining <= high || laterMs <= 0) return remaining
    const cameBack = (this.#kind.limit * laterMs) / (1000 * this.#kind.periodSeconds)
    return Math.max(high, Math.floor(remaining - cameBack))
  }

  /**
   * Completes the looks with the ten minutes after the last one. The simulator's rules and others' drawn
   * requests decide what would have happened.
   */
  whole(): Looks {
    const { looks } = this
    for (; this.#filled < looks.count; this.#filled += 1) this.#repeat(this.#filled)
    const endMs = this.#startMs + looks.count * 1000
    const { limit, periodSeconds, others } = this.#kind
    const drawn = new DrawnTraffic(others, this.#startMs, looks.rate.length, chanceFrom(this.#seed))
    looks.rate.set(drawn.rates)
    while (drawn.nextAtMs <= endMs) drawn.advance()
    const last = looks.truth[looks.count - 1]!
    const rules = new RequestQuotas(
      {
        ...{ table: 'current', window: 'rolling', traffic: {}, arrivals: 'even', neighbours: [], seed: 1 },
        limits: { [this.#category]: { limit, periodSeconds } },
        alreadySpent: { [this.#category]: limit - last },
      },
      endMs,
      { [this.#category]: [drawn] },
    )
    for (let second = 0; second < AHEAD_SECONDS; second += 1) {
      const reading = rules.reading(this.#category, endMs + (second + 1) * 1000)
      looks.truth[looks.count + second] = reading?.remaining ?? Number.NaN
    }
    this.#askOracles()
    return looks
  }

  #askOracles(): void {
    const oracles = new Oracles(this.#kind, this.#seed + 1, AHEAD_SECONDS, true)
    const seen = new Map(this.#seen.map((one) => [one.look, one]))
    for (let look = 0; look < this.looks.count; look += 1) {
      const { header, atSeconds } = seen.get(look) ?? { header: undefined, atSeconds: look + 1 }
      if (header) oracles.observed(header.atSeconds, header.remaining, header.isRefused)
      oracles.tell(this.looks, look, atSeconds)
    }
  }

  #repeat(at: number): void {
    const { looks } = this
    looks.truth[at] = looks.truth[at - 1] ?? this.#kind.limit
    looks.state[at] = looks.state[at - 1] ?? 'not-checked'
    looks.accepted[at] = looks.accepted[at - 1] ?? 0
    looks.refused[at] = looks.refused[at - 1] ?? 0
  }
}
