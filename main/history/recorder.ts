import type { DeskMember } from '../../app/contract/desk.ts'
import type { SlotSample } from '../../app/contract/history.ts'
import type {
  Environment,
  ProgramSummary,
  RequestQuota,
  SlotQuota,
  Snapshot,
} from '../../app/contract/snapshot.ts'
import { REPEAT_MS, type Sample } from '../../app/history/sample.ts'
import { isUnchecked } from '../../app/status/quota-status.ts'
import type { Entry } from './history-file.ts'

/** Interval in milliseconds at which unchanged slots are recorded. */
const SLOTS_REPEAT_MS = 3_600_000

interface Counted {
  readonly own: number
  readonly elsewhere: number
  readonly rejected: number
}

const NOTHING: Counted = { own: 0, elsewhere: 0, rejected: 0 }

type Level = Pick<Sample, 'remaining' | 'source'>

/**
 * The lowest level in a category's headers that arrived after `afterMs` and up to `untilMs`. Both are epoch
 * ms. `undefined` if no header arrived.
 */
export type LowestHeader = (category: string, afterMs: number, untilMs: number) => number | undefined

/** Turns snapshots into history entries, for example samples of request quotas. */
export class Recorder {
  readonly #add: (entry: Entry) => void
  /** Each row's counters, as of its last entry. They start at zero when a profile is connected. */
  readonly #counted = new Map<string, Counted>()
  readonly #samples = new Map<string, Sample>()
  readonly #slots = new Map<string, SlotSample>()
  /** Each program's counter in each category, as of the last entry. */
  readonly #forwarded = new Map<string, number>()
  /** The request counters of the desk's other machines, by machine and row, as of the last entry. */
  readonly #byDesk = new Map<string, number>()
  /** The time of each profile's last snapshot. */
  readonly #lookedAtMs = new Map<string, number>()
  readonly #environments = new Map<string, Environment>()

  constructor(add: (entry: Entry) => void) {
    this.#add = add
  }

  /**
   * Takes a sample. Call this about once a second.
   *
   * If headers have arrived since the previous call, the lowest level among them is recorded. Otherwise the
   * current level is recorded, which may have risen since the last header or may be an estimate.
   */
  observe(snapshot: Snapshot, lowestHeader: LowestHeader): void {
    const { id: profile, environment } = snapshot.profile
    if (this.#environments.get(profile) !== environment) {
      this.#environments.set(profile, environment)
      this.#add({ kind: 'profile', profile, environment })
    }
    const lookedAtMs = this.#lookedAtMs.get(profile)
    this.#lookedAtMs.set(profile, snapshot.at)
    for (const row of snapshot.requests) {
      const seen = lookedAtMs === undefined ? undefined : lowestHeader(row.category, lookedAtMs, snapshot.at)
      const source = isUnchecked(row, snapshot.at) ? 'default' : row.source
      const level: Level =
        seen === undefined ? { remaining: row.remaining, source } : { remaining: seen, source: 'header' }
      this.#request(profile, row, level, snapshot.at)
    }
    for (const member of snapshot.desk?.members ?? []) this.#member(profile, member, snapshot.at)
    // While the gateway is off, the counters are dropped, because they start from zero when the gateway is
    // turned on again.
    if (snapshot.programs === undefined) forgetOf(profile, this.#forwarded)
    for (const program of snapshot.programs ?? []) this.#program(profile, program, snapshot.at)
    for (const row of snapshot.slots) this.#slot(profile, row, snapshot.at)
  }

  /** Drops the counters of a disconnected profile. If the profile is connected again, they start at zero. */
  forget(profile: string): void {
    this.#environments.delete(profile)
    this.#lookedAtMs.delete(profile)
    for (const map of [this.#counted, this.#samples, this.#slots, this.#forwarded, this.#byDesk])
      forgetOf(profile, map)
  }

  #request(profile: string, row: RequestQuota, { remaining, source }: Level, atMs: number): void {
    const { category, limit, rejected } = row
    const key = `${profile}\n${category}`
    const before = this.#counted.get(key) ?? NOTHING
    const counted: Counted = { ...(row.used ?? NOTHING), rejected }
    const sample: Sample = {
      atMs,
      remaining,
      limit,
      source,
      own: since(before.own, counted.own),
      elsewhere: since(before.elsewhere, counted.elsewhere),
      rejected: since(before.rejected, counted.rejected),
    }
    if (!isWorthKeeping(sample, this.#samples.get(key))) return
    this.#counted.set(key, counted)
    this.#samples.set(key, sample)
    this.#add({ kind: 'sample', profile, category, sample })
  }

  /** Records another machine's requests. The first call for a machine only stores its current count. */
  #member(profile: string, { id, name, counted = {} }: DeskMember, atMs: number): void {
    for (const [category, total] of Object.entries(counted)) {
      const key = `${profile}\n${id}\n${category}`
      const requests = since(this.#byDesk.get(key) ?? total, total)
      this.#byDesk.set(key, total)
      if (requests === 0) continue
      this.#add({ kind: 'desk', profile, category, sample: { atMs, machine: name, requests } })
    }
  }

  #program(profile: string, { id, name, class: own, use }: ProgramSummary, atMs: number): void {
    for (const { category, forwarded } of use) {
      // The name is part of the key, because a new program can get the id of a revoked program.
      const key = `${profile}\n${id}\n${name}\n${category}`
      const requests = since(this.#forwarded.get(key) ?? 0, forwarded)
      if (requests === 0) continue
      this.#forwarded.set(key, forwarded)
      this.#add({
        kind: 'program',
        profile,
        category,
        sample: { atMs, program: name, class: own, requests },
      })
    }
  }

  #slot(profile: string, row: SlotQuota, atMs: number): void {
    if (row.source === 'default' && row.own === 0) return
    const { category, limit, own, free, desk = 0 } = row
    const elsewhere = row.elsewhere + desk
    const key = `${profile}\n${category}`
    const last = this.#slots.get(key)
    const same = last && last.limit === limit && last.own === own && last.elsewhere === elsewhere
    if (same && atMs >= last.atMs && atMs - last.atMs < SLOTS_REPEAT_MS) return
    const sample: SlotSample = { atMs, limit, own, elsewhere, free }
    this.#slots.set(key, sample)
    this.#add({ kind: 'slots', profile, category, sample })
  }
}

function forgetOf(profile: string, map: Map<string, unknown>): void {
  for (const key of map.keys()) if (key.startsWith(`${profile}\n`)) map.delete(key)
}

/** The growth of a counter. A smaller value means that the counter was reset, for example by a reconnect. */
const since = (before: number, now: number): number => (now >= before ? now - before : now)

function isWorthKeeping(sample: Sample, last: Sample | undefined): boolean {
  if (sample.own > 0 || sample.elsewhere > 0 || sample.rejected > 0) return true
  if (sample.source === 'default') return false
  return (
    last === undefined ||
    sample.remaining !== last.remaining ||
    sample.limit !== last.limit ||
    sample.source !== last.source ||
    // True if the clock was set back.
    sample.atMs < last.atMs ||
    sample.atMs - last.atMs >= REPEAT_MS
  )
}
