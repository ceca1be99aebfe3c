/**
 * Checks how documents, texts, comments and commit subjects are written: `npm run lint` runs it after Biome.
 *
 * `prose.json` counts the remaining older faults, by file. `-- --update` lowers these counts to what is
 * there.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { countsOf, faultsOf, type Leftovers, newFaults } from './prose.ts'

const file = fileURLToPath(new URL('prose.json', import.meta.url))
const { base, faults: recorded }: Leftovers = JSON.parse(readFileSync(file, 'utf8'))
const faults = faultsOf(fileURLToPath(new URL('../..', import.meta.url)), base)
const { 'commit subjects': _, ...countable } = faults
const counts = Object.fromEntries(Object.entries(countable).map(([rule, all]) => [rule, countsOf(all)]))
if (process.argv.includes('--update'))
  writeFileSync(file, `${JSON.stringify({ base, faults: counts }, undefined, 2)}\n`)
else {
  const lines = newFaults(faults, recorded)
  for (const line of lines) process.stdout.write(`${line}\n`)
  if (lines.length > 0) {
    process.stdout.write('More faults than test/structure/prose.json allows. Rewrite the new ones.\n')
    process.exitCode = 1
  }
}
