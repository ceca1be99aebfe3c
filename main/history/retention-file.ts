import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeWhole } from '../data/write-whole.ts'
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

const NAME = 'history.json'

/** How long history is kept, from `history.json` of the data folder. A file that cannot be read means the default. */
export function readRetention(folder: string): Retention {
  try {
    return file.parse(JSON.parse(readFileSync(join(folder, NAME), 'utf8')))
  } catch {
    return DEFAULT_RETENTION // not there, or not as it should be
  }
}

export function writeRetention(folder: string, retention: Retention): ReturnType<typeof writeWhole> {
  return writeWhole(join(folder, NAME), `${JSON.stringify(file.parse(retention), null, 2)}\n`)
}
