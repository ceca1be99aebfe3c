import { join } from 'node:path'
import { z } from 'zod'
import { readSettings } from '../storage/settings-file.ts'
import { writeWhole } from '../storage/write-whole.ts'
import { DEFAULT_RETENTION, type Retention } from './compaction.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** An hour at least, so that what is rolled up is never what goes; a year at most, so that the disk is not the limit. */
const file = z.object({
  rawMs: z
    .number()
    .min(HOUR_MS)
    .max(14 * DAY_MS),
  rollupMs: z
    .number()
    .min(DAY_MS)
    .max(366 * DAY_MS),
})

/** How long history is kept, from `history.json` of the data folder; the default where it does not say, or not readably. */
export function readRetention(folder: string, nowMs: number, problem: (sentence: string) => void): Retention {
  const reading = readSettings({ folder, name: 'history', what: 'History settings', schema: file }, nowMs)
  switch (reading.kind) {
    case 'read':
      return reading.value
    case 'missing':
      return DEFAULT_RETENTION
    case 'unusable':
      problem(reading.notice)
      return DEFAULT_RETENTION
  }
}

export function writeRetention(folder: string, retention: Retention): ReturnType<typeof writeWhole> {
  return writeWhole(join(folder, 'history.json'), `${JSON.stringify(file.parse(retention), null, 2)}\n`)
}
