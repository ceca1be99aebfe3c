import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { tried } from '../../proof/tried.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { runCommitter } from './run-committer.ts'

const KILLS = 200
/** Two processes run at the same time on separate folders, because small machines have two cores. */
const CHAINS = 2
/** Each start continues where the previous one was killed, so that a few commits each add up. */
const MAX_COMMITS = 6

interface Chain {
  readonly wrong: readonly string[]
  /** Processes that a SIGKILL ended. */
  readonly killed: number
}

/** Kills one process after another while it commits. Returns what went wrong. */
async function chain(kills: number, first: number, compileCache: string): Promise<Chain> {
  const folder = temporaryFolder()
  let killed = 0
  const wrong: string[] = []
  let acknowledged = 0
  for (let kill = 0; kill < kills; kill += 1) {
    // The kill comes before the first commit, or during one of the next commits.
    const killAfter = (first + kill * 5) % (MAX_COMMITS + 1)
    let commits = 0
    const { lines, signal } = await runCommitter(folder, {
      compileCache,
      control: (line, child) => {
        if (line.startsWith('found') ? killAfter === 0 : ++commits >= killAfter) child.kill('SIGKILL')
      },
    })
    const [, generation, ...text] = lines[0]?.split(' ') ?? []
    const token = text.slice(0, 2).join(' ')
    if (signal === 'SIGKILL') killed += 1
    else wrong.push(`start ${kill}: it ended by itself: ${lines.at(-1)}`)
    if (!lines[0]?.startsWith('found')) wrong.push(`start ${kill}: ${lines[0]}`)
    else if (Number(generation) < acknowledged) wrong.push(`start ${kill}: lost ${acknowledged}: ${lines[0]}`)
    else if (token !== `token ${generation}`) wrong.push(`start ${kill}: mixed: ${lines[0]}`)
    const said = lines
      .filter((line) => line.startsWith('committed'))
      .map((line) => Number(line.split(' ')[1]))
    acknowledged = Math.max(acknowledged, Number(generation), ...said)
    const damage = damageOf(folder)
    if (damage !== 'ok') wrong.push(`start ${kill}: ${damage}`)
  }
  return { wrong, killed }
}

/** The result of SQLite's full check, including indexes, with the journal that the killed process left. */
function damageOf(folder: string): string {
  const database = new DatabaseSync(join(folder, 'vault.db'))
  const rows = [
    ...database.prepare('PRAGMA integrity_check').all(),
    ...database.prepare('PRAGMA foreign_key_check').all(),
  ]
  database.close()
  return rows.map((row) => String(row['integrity_check'] ?? 'a row without its profile')).join('; ')
}

test(`after ${KILLS} kills during commits, nothing acknowledged is lost and nothing is damaged`, async () => {
  const compileCache = temporaryFolder()
  await runCommitter(temporaryFolder(), { until: 2, compileCache })
  const chains = Array.from({ length: CHAINS }, (_, index) => chain(KILLS / CHAINS, index * 3, compileCache))
  const ended = await Promise.all(chains)
  expect(ended.flatMap(({ wrong }) => wrong)).toEqual([])
  for (const { killed } of ended) tried(killed)
  proves('D1', { level: 3, cases: KILLS })
}, 120_000)
