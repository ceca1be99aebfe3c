import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type Story, storyOf } from './story.ts'

const FOLDER = fileURLToPath(new URL('regressions/', import.meta.url))

/**
 * A life that once broke an invariant. The whole story is stored, because the same seed gives another story
 * once the code of stories changes.
 */
const regression = z.object({
  seed: z.int(),
  hours: z.number(),
  violation: z.string(),
  date: z.string(),
  story: z.custom<Story>((value) => typeof value === 'object' && value !== null),
})

export type Regression = z.output<typeof regression>

/** A stored life that is longer than this runs in `simulate:ci`, not in the tests. */
export const LONGEST_TESTED_HOURS = 6

/** Returns the file's path. */
export function keepRegression(seed: number, hours: number, violation: string, date: string): string {
  mkdirSync(FOLDER, { recursive: true })
  const path = join(FOLDER, `seed-${seed}.json`)
  const kept: Regression = { seed, hours, violation, date, story: storyOf(seed, hours) }
  writeFileSync(path, `${JSON.stringify(kept)}\n`)
  return path
}

export function keptRegressions(): readonly Regression[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.json'))
    .map(({ name }) => regression.parse(JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))))
}
