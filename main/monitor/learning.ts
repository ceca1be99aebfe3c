import { z } from 'zod'
import { RATE_COUNT } from '../../app/quota/candidates.ts'
import type { LearnedQuota, LearnedQuotas, LoadStart } from '../../app/quota/learned.ts'
import { MAX_STARTS } from '../../app/quota/load-starts.ts'
import { CANDIDATE_COUNT } from '../../app/quota/others-use.ts'
import { SPELL_COUNT } from '../../app/quota/spells.ts'
import { UTILIZATIONS } from '../../app/quota/utilization.ts'
import { JsonFile } from '../storage/json-file.ts'
import { SAVED, type Saved } from '../storage/storage-error.ts'
import { markOf, type PinOwner } from '../streams/pinned-streams.ts'

/** Maximum length of one key's part of the file. A category takes 2 to 4 kB. */
const MAX_KEY_LENGTH = 64 << 10
const MAX_KEYS = 64
const MAX_NAME_LENGTH = 256
/**
 * Upper limit for a stored poller's period in seconds and for its number of calls. Recognized pollers are far
 * below this limit.
 */
const MAX_POLL = 600
const SCHEMA_VERSION = 1
/** Significant digits of a stored number. */
const DIGITS = 4

/**
 * Schema of a list of non-negative numbers. The list is stored as one string, which is half as long as a JSON
 * list.
 */
const numbers = (count: number) =>
  z
    .string()
    .max(count * 24)
    .refine((text) => {
      const all = fromText(text)
      return all.length === count && all.every((one) => Number.isFinite(one) && one >= 0)
    })
const count = z.number().min(0)
const storedQuota = z.object({
  limit: z.number().positive(),
  periodSeconds: z.number().positive(),
  model: z.enum(['rolling', 'fixed']),
  atMs: z.number(),
  isShared: z.boolean(),
  emptyings: z.object({ came: count, predicted: count }),
  margin: z.object({ share: count.max(1), surprise: count }),
  utilization: numbers(UTILIZATIONS),
  rates: numbers(CANDIDATE_COUNT),
  jumps: numbers(RATE_COUNT),
  spells: numbers(SPELL_COUNT),
  poller: z.exactOptional(
    z.object({
      everySeconds: z.number().positive().max(MAX_POLL),
      calls: z.number().int().positive().max(MAX_POLL),
      mayBeMore: z.boolean(),
      sinceMs: z.number(),
    }),
  ),
  /** For each load, the time (epoch seconds) and rate of its start, in one string like `numbers`. */
  starts: z.exactOptional(
    z
      .string()
      .max(MAX_STARTS * 24)
      .regex(/^\d+:[\d.]+( \d+:[\d.]+)*$/)
      .refine((text) => startsFrom(text).every(({ perSecond }) => perSecond > 0)),
  ),
})
const storedKey = z.object({
  owner: z.string().max(64),
  quotas: z.record(z.string().max(MAX_NAME_LENGTH), storedQuota),
})
const stored = z.object({
  schemaVersion: z.literal(SCHEMA_VERSION),
  keys: z.record(z.string(), storedKey),
})
type StoredQuota = z.output<typeof storedQuota>
type StoredKey = z.output<typeof storedKey>
type Stored = z.output<typeof stored>

/**
 * Data about others' requests, learned from headers, by API key and category. Stored in `learned.json` in the
 * data folder, without accounts and tokens. Without a folder, the data is lost when the process ends.
 *
 * A file that is damaged, unknown or from a newer version is set aside, and learning starts again. Only the
 * key that wrote an entry can read it. If a key is only in memory, its data is not written.
 */
export class Learning {
  readonly #file: JsonFile<Stored>
  readonly #keys: Map<string, StoredKey>
  readonly #owners = new Map<string, PinOwner>()
  #written: string

  /** `problem` is called with one sentence if the file can't be read. */
  constructor(folder: string | undefined, nowMs: number, problem: (sentence: string) => void = () => {}) {
    this.#file = new JsonFile({
      ...{ folder, name: 'learned', what: 'Learned traffic', schema: stored },
      ...{ maxLength: MAX_KEYS * MAX_KEY_LENGTH, schemaVersion: SCHEMA_VERSION },
    })
    const found = this.#file.read(undefined, nowMs, problem)?.keys ?? {}
    this.#keys = new Map(Object.entries(found))
    this.#written = JSON.stringify(found)
  }

  of(owner: PinOwner) {
    const { id } = owner
    return {
      read: (): LearnedQuotas => {
        const key = this.#keys.get(id)
        if (key?.owner !== markOf(owner)) return {}
        return Object.fromEntries(
          Object.entries(key.quotas).map(([category, quota]) => [category, fromStored(quota)]),
        )
      },
      /** Replaces the learned data in memory. `flush` writes it. */
      keep: (learned: LearnedQuotas): void => {
        this.#owners.set(id, owner)
        this.#keys.delete(id)
        this.#keys.set(id, { owner: markOf(owner), quotas: bounded(learned) })
      },
      forget: (): Saved => {
        this.#owners.delete(id)
        return this.#keys.delete(id) ? this.flush() : SAVED
      },
    }
  }

  /** Writes the file if its content has changed. */
  flush(): Saved {
    const keys = [...this.#keys].filter(([id]) => this.#owners.get(id)?.isKept() ?? true).slice(-MAX_KEYS)
    const next = Object.fromEntries(keys)
    const text = JSON.stringify(next)
    if (text === this.#written) return SAVED
    const saved = this.#file.write({ schemaVersion: SCHEMA_VERSION, keys: next })
    if (saved.ok) this.#written = text
    return saved
  }
}

/** The categories that fit into the file. Those with the newest headers are preferred. */
function bounded(learned: LearnedQuotas): StoredKey['quotas'] {
  const newest = Object.entries(learned)
    .filter(([category]) => category.length <= MAX_NAME_LENGTH)
    .toSorted(([, a], [, b]) => b.atMs - a.atMs)
  const kept: [string, StoredQuota][] = []
  let length = 0
  for (const [category, quota] of newest) {
    const one = toStored(quota)
    // The length includes the indentation in the file.
    length += JSON.stringify({ keys: { id: { quotas: { [category]: one } } } }, null, 2).length
    if (length > MAX_KEY_LENGTH) break
    kept.push([category, one])
  }
  return Object.fromEntries(kept)
}

const toText = (all: readonly number[]): string =>
  all.map((one) => String(Number(one.toPrecision(DIGITS)))).join(' ')
const fromText = (text: string): readonly number[] => text.split(' ').map(Number)

const startsText = (starts: readonly LoadStart[]): string =>
  starts.map(({ atMs, perSecond }) => `${Math.round(atMs / 1000)}:${toText([perSecond])}`).join(' ')
const startsFrom = (text: string): readonly LoadStart[] =>
  text.split(' ').map((start) => {
    const [seconds, perSecond] = start.split(':').map(Number)
    return { atMs: 1000 * (seconds ?? 0), perSecond: perSecond ?? 0 }
  })

const toStored = ({ starts, ...quota }: LearnedQuota): StoredQuota => ({
  ...quota,
  utilization: toText(quota.utilization),
  rates: toText(quota.rates),
  jumps: toText(quota.jumps),
  spells: toText(quota.spells),
  ...(starts && { starts: startsText(starts) }),
})
const fromStored = ({ starts, ...quota }: StoredQuota): LearnedQuota => ({
  ...quota,
  utilization: fromText(quota.utilization),
  rates: fromText(quota.rates),
  jumps: fromText(quota.jumps),
  spells: fromText(quota.spells),
  ...(starts !== undefined && { starts: startsFrom(starts) }),
})
