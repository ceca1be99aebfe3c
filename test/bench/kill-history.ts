import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Killed, killedWriter } from '../main/history/killed-writer.ts'

/**
 * Kills a process that writes history, again and again: `node test/bench/kill-history.ts [--rounds 200]`.
 *
 * Each lane continues with the file of the previous round, as a person's next start does.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } })
const rounds = Number(values.rounds)
const LANES = 2
const LONGEST_MS = 1_600

async function lane(name: number): Promise<readonly Killed[]> {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-kill-'))
  const killed: Killed[] = []
  try {
    for (let round = name; round < rounds; round += LANES) {
      // The kill times are spread evenly, so that some are just after a flush and some just before the next
      // one.
      killed.push(await killedWriter(folder, 550 + ((round * 617) % (LONGEST_MS - 550))))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return killed
}

const all = (await Promise.all(Array.from({ length: LANES }, (_, name) => lane(name)))).flat()
const lost = all.map(({ lostMs }) => lostMs).sort((a, b) => a - b)
const damaged = all.filter(({ integrity }) => integrity !== 'ok')
const late = all.filter(({ lostMs }) => lostMs > 1_000)
process.stdout.write(
  `${all.length} kills: ${damaged.length} damaged files, ${late.length} lost more than a second\n` +
    `lost history: median ${lost[Math.floor(lost.length / 2)]} ms, most ${lost.at(-1)} ms\n`,
)
process.exitCode = damaged.length === 0 && late.length === 0 ? 0 : 1
