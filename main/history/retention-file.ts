import { z } from 'zod'
import { JsonFile } from '../storage/json-file.ts'
import type { Retention } from './compaction.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Samples at least an hour, so that they are rolled up before they are deleted; a year at most, to bound the file. */
const schema = z.object({
  rawMs: z
    .number()
    .min(HOUR_MS)
    .max(14 * DAY_MS),
  rollupMs: z
    .number()
    .min(DAY_MS)
    .max(366 * DAY_MS),
})

/** How long history is stored: `history.json` of the data folder. */
export const retentionFile = (folder: string): JsonFile<Retention> =>
  new JsonFile({ folder, name: 'history', what: 'History settings', schema })
