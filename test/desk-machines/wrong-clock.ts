import { spawnSync } from 'node:child_process'

const HOUR_MS = 3_600_000

/**
 * Environment variables for a process whose wall clock is `hours` off. With libfaketime, this affects the
 * whole process. Without it, only the clock that scripts read is changed.
 */
export function wrongClock(hours: number): Readonly<Record<string, string>> {
  const { stdout } = spawnSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' })
  const library = stdout?.trim()
  const off = `${hours < 0 ? '' : '+'}${hours}h`
  if (library) return { LD_PRELOAD: library, FAKETIME: off, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
  console.warn('faketime is not installed: only the clock that scripts read is set, not that of the process')
  const script = `const%20now=Date.now.bind(Date);Date.now=()=>now()+${hours * HOUR_MS}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${script}` }
}
