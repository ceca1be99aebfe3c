import { readFileSync } from 'node:fs'

/**
 * Preloaded into a process under test: its timers and its monotonic clock run 60 times as fast, so that what
 * happens once a minute happens once a second. Where `WALL_OFFSET_FILE` is set, the wall clock is off by the
 * milliseconds in that file.
 */
const TIMES = 60

const startedMs = performance.now()
const now = performance.now.bind(performance)
Object.defineProperty(performance, 'now', { value: () => startedMs + (now() - startedMs) * TIMES })

const { setTimeout: wait } = globalThis
globalThis.setTimeout = Object.assign(
  (run: () => void, ms = 0, ...given: []) => wait(run, ms / TIMES, ...given),
  wait,
) as typeof wait

const file = process.env['WALL_OFFSET_FILE']
if (file !== undefined) {
  const wall = Date.now.bind(Date)
  Date.now = () => wall() + Number(readFileSync(file, 'utf8'))
}
