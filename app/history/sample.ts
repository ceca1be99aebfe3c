import type { ProgramClass } from '../contract/programs.ts'

/**
 * Source of a level. `default`: no measured level, because the row had no header yet or was not checked.
 * Stored only if requests were counted.
 */
export type SampleSource = 'header' | 'modelled' | 'default'

const TRUST: Readonly<Record<SampleSource, number>> = { default: 0, modelled: 1, header: 2 }

/** Positive if `a` is more reliable than `b`, 0 if they are equal. Headers are the most reliable source. */
export const byTrust = (a: SampleSource, b: SampleSource): number => TRUST[a] - TRUST[b]

/** One sample of a request quota. It counts the requests since the previous sample. */
export interface Sample {
  /** Epoch milliseconds. */
  readonly atMs: number
  readonly remaining: number
  readonly limit: number
  readonly source: SampleSource
  /** Requests of this app, and of others on the same key. */
  readonly own: number
  readonly elsewhere: number
  /** 429s because of the request rate. */
  readonly rejected: number
}

/**
 * Requests of one program behind the gateway in one category since the previous sample. `Sample.own` includes
 * them.
 */
export interface ProgramSample {
  /** Epoch milliseconds. */
  readonly atMs: number
  readonly program: string
  readonly class: ProgramClass
  readonly requests: number
}

/**
 * Requests of one of the desk's other machines in one category, since the previous sample. `Sample.own` does
 * not include them.
 */
export interface DeskSample {
  /** Epoch milliseconds. */
  readonly atMs: number
  /** The machine's name. */
  readonly machine: string
  readonly requests: number
}

/** A sample is valid until the next one, at most this long: after a longer gap the app was not running. */
export const HOLD_MS = 12_000
/** Interval for repeating unchanged samples, in milliseconds. Well below `HOLD_MS`. */
export const REPEAT_MS = 10_000
