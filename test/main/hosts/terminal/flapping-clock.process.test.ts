import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { HistoryStore } from '../../../../main/history/history-store.ts'
import { nodeClock } from '../../../../main/ports/node-clock.ts'
import { startSimulatorServer } from '../../../../main/simulator/server.ts'
import { proves } from '../../../proof/proves.ts'
import { CATEGORY, PROFILE, sampleAt } from '../../history/started-store.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'
import { runNode } from './run-node.ts'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const HEADROOM = path('../../../../main/hosts/terminal/headroom.ts')
const HURRIED = path('hurried-timers.ts')

const HEADROOM_PASSPHRASE = 'correct horse battery staple of mine'
const MINUTE_MS = 60_000
const DAYS = 400
const DAY_MS = 24 * 60 * MINUTE_MS

/** A wall clock of a process that this test sets. */
interface WallClock {
  readonly environment: Readonly<Record<string, string>>
  aheadBy(days: number): void
}

/**
 * The clock is changed by libfaketime for the whole process. Without it, only the clock that Node's scripts
 * read is changed.
 */
function wallClock(folder: string): WallClock {
  const file = join(folder, 'wall')
  const set = (text: string) => writeFileSync(file, text)
  const { stdout } = spawnSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' })
  const library = stdout?.trim()
  if (library) {
    const aheadBy = (days: number) => set(`+${days}d`)
    const FAKETIME = {
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
    return { environment: { LD_PRELOAD: library, ...FAKETIME }, aheadBy }
  }
  console.warn('faketime is not installed: only the clock that scripts read is set, not that of the process')
  return { environment: { WALL_OFFSET_FILE: file }, aheadBy: (days) => set(String(days * DAY_MS)) }
}

/** History of the last two hours, a sample a minute. */
function writeHistory(folder: string): number {
  const store = new HistoryStore({ folder, clock: nodeClock, log: { note: () => {} }, problem: () => {} })
  const nowMs = Date.now()
  for (let minute = 120; minute > 0; minute -= 1) {
    const sample = sampleAt(nowMs - minute * MINUTE_MS, 200 + (minute % 40))
    store.add({ kind: 'sample', profile: PROFILE, category: CATEGORY, sample })
  }
  store.close()
  return nowMs
}

function storedUpTo(folder: string, toMs: number): number {
  const database = new DatabaseSync(join(folder, 'history.db'), { readOnly: true })
  const row = database.prepare('SELECT count(*) AS n FROM samples WHERE at <= ?').get(toMs)
  database.close()
  return Number(row?.['n'])
}

test('a process whose wall clock is 400 days ahead for minutes keeps its history, and recovers the time without a restart', async () => {
  const folder = temporaryFolder()
  const clock = wallClock(temporaryFolder())
  clock.aheadBy(0)
  const untilMs = writeHistory(folder)
  const stored = storedUpTo(folder, untilMs)
  expect(stored).toBe(120)
  const simulator = await startSimulatorServer({ clientId: 'key-1', refreshToken: 'token-1' })
  onTestFinished(() => simulator.close())
  const service = ['--auth-url', simulator.origin, '--base-url', simulator.origin, '--client-id', 'key-1']
  const { child, ended } = runNode(
    ['--import', HURRIED, HEADROOM, 'watch', '--json', '--data', folder, ...service],
    {
      ...clock.environment,
      HEADROOM_REFRESH_TOKEN: 'token-1',
      HEADROOM_CLIENT_SECRET: '',
      HEADROOM_PASSPHRASE,
    },
  )
  const { stdout } = child
  if (!stdout) throw new Error('stdout is a pipe')
  const lines = createInterface({ input: stdout })
  /**
   * Resolves to true once the process has run 70 s of its own time with its clock `days` ahead. Resolves to
   * false if it has run five minutes with another time before that, or has ended.
   */
  const livesAhead = (days: number) =>
    new Promise<boolean>((resolve) => {
      const sinceMs = new Map<boolean, number>()
      const look = (line: string) => {
        const { at } = JSON.parse(line)
        const isThere = Math.abs((at - Date.now()) / DAY_MS - days) < 0.1
        if (!sinceMs.has(isThere)) sinceMs.set(isThere, at)
        if (at - (sinceMs.get(isThere) ?? at) > (isThere ? 70_000 : 300_000)) resolve(isThere)
      }
      lines.on('line', look)
      lines.once('close', () => resolve(false))
    })
  expect(await livesAhead(0)).toBe(true)
  clock.aheadBy(DAYS)
  expect(await livesAhead(DAYS)).toBe(true)
  clock.aheadBy(0)
  expect(await livesAhead(0)).toBe(true)
  child.kill('SIGTERM')
  const { exitCode, stderr } = await ended
  expect(exitCode).toBe(0)
  expect(storedUpTo(folder, untilMs)).toBe(stored)
  // The new history is that of the process itself.
  expect(storedUpTo(folder, Number.MAX_SAFE_INTEGER)).toBeGreaterThan(stored)
  expect(stderr).not.toMatch(/history|clock/i)
  proves(['D2', 'T9'], { level: 3, cases: 1 })
}, 60_000)
