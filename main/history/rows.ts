import { type LoggedEvent, loggedEvent } from '../../app/contract/events.ts'
import type { SlotSample } from '../../app/contract/history.ts'
import type { Extent } from '../../app/history/columns.ts'
import type { Rollup } from '../../app/history/rollup.ts'
import type { Sample, SampleSource } from '../../app/history/sample.ts'
import { jsonOf } from '../../app/service/json.ts'

/**
 * Conversion between table columns and the records of app/history. Rows are arrays, because reading them
 * takes half as long as reading objects.
 */

export type Row = readonly unknown[]

/**
 * Narrows a row, which `node:sqlite` types as an object even with `setReturnArrays`. The functions below
 * check columns one by one, because a schema would take two to three times as long for 100,000 rows.
 */
export function asRow(row: unknown): Row {
  if (!Array.isArray(row)) throw new TypeError('a history statement returned a row that is not an array')
  return row
}

const SOURCES: readonly SampleSource[] = ['default', 'modelled', 'header']

const whole = (value: unknown): number => (typeof value === 'number' ? value : 0)
const sourceOf = (value: unknown): SampleSource => SOURCES[whole(value)] ?? 'default'

export const SAMPLE_COLUMNS = 'at, remaining, lim, source, own, elsewhere, rejected'

export const sampleOf = (row: Row): Sample => ({
  atMs: whole(row[0]),
  remaining: whole(row[1]),
  limit: whole(row[2]),
  source: sourceOf(row[3]),
  own: whole(row[4]),
  elsewhere: whole(row[5]),
  rejected: whole(row[6]),
})

export const sampleValues = (sample: Sample): number[] => [
  sample.atMs,
  sample.remaining,
  sample.limit,
  SOURCES.indexOf(sample.source),
  sample.own,
  sample.elsewhere,
  sample.rejected,
]

export const ROLLUP_COLUMNS =
  'at, low, high, low_first, lim, source, own, elsewhere, rejected, known_ms, near_ms'

export const rollupOf = (row: Row): Rollup => ({
  atMs: whole(row[0]),
  low: whole(row[1]),
  high: whole(row[2]),
  lowFirst: row[3] === 1,
  limit: whole(row[4]),
  source: sourceOf(row[5]),
  own: whole(row[6]),
  elsewhere: whole(row[7]),
  rejected: whole(row[8]),
  knownMs: whole(row[9]),
  nearMs: whole(row[10]),
})

/**
 * Converts a row of a `…Columns` statement to one chart column. The row has the values `min(at), max(at),
 * low, high, low_first, source, rejected`. Each rollup is `lengthMs` long.
 */
export const columnOf = (row: Row, lengthMs: number): Extent & Pick<Sample, 'rejected'> => ({
  atMs: whole(row[0]),
  endMs: whole(row[1]) + lengthMs,
  low: whole(row[2]),
  high: whole(row[3]),
  lowFirst: row[4] === 1,
  source: sourceOf(row[5]),
  rejected: whole(row[6]),
})

export const rollupValues = (rollup: Rollup): number[] => [
  rollup.atMs,
  rollup.low,
  rollup.high,
  rollup.lowFirst ? 1 : 0,
  rollup.limit,
  SOURCES.indexOf(rollup.source),
  rollup.own,
  rollup.elsewhere,
  rollup.rejected,
  rollup.knownMs,
  rollup.nearMs,
]

export const SLOT_COLUMNS = 'at, lim, own, elsewhere, free'

export const slotSampleOf = (row: Row): SlotSample => ({
  atMs: whole(row[0]),
  limit: whole(row[1]),
  own: whole(row[2]),
  elsewhere: whole(row[3]),
  free: whole(row[4]),
})

export const slotValues = (sample: SlotSample): number[] => [
  sample.atMs,
  sample.limit,
  sample.own,
  sample.elsewhere,
  sample.free,
]

/**
 * Parses a stored event.
 *
 * `undefined` for damaged text, and for a kind that this version does not know (for example after a
 * downgrade). One bad row therefore does not affect the others.
 */
export function storedEvent(body: unknown): LoggedEvent | undefined {
  return loggedEvent.safeParse(jsonOf(String(body))).data
}
