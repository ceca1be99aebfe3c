import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

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

/** A wall clock of a process that a test sets while the process runs. */
export interface SettableClock {
  readonly environment: Readonly<Record<string, string>>
  aheadBy(seconds: number): void
}

/** `undefined` without libfaketime. `file`: where the process reads its clock from. */
export function settableClock(file: string): SettableClock | undefined {
  const { LD_PRELOAD } = wrongClock(0)
  if (LD_PRELOAD === undefined) return undefined
  const aheadBy = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}`)
  aheadBy(0)
  const environment = {
    LD_PRELOAD,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  return { environment, aheadBy }
}
