import { readFileSync } from 'node:fs'
import type { SeenProcess } from './processes.ts'

/**
 * The memory of the processes in MB, as proportional set size: a page that several processes share counts
 * once. Needs Linux and root, because Chromium hides its processes from their own user.
 */
export function memoryMB(processes: readonly SeenProcess[]): number {
  return processes.reduce((sum, { pid }) => sum + proportionalKB(pid), 0) / 1024
}

function proportionalKB(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1])
}

/**
 * The sum of resident set sizes, in MB: what most task managers add up, with shared pages counted several
 * times.
 */
export function residentMB(processes: readonly SeenProcess[]): number {
  return processes.reduce((sum, { pid }) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
  }, 0)
}

/** The processor time that the processes have used so far, in ms; NaN if not on Linux. */
export function cpuMs(processes: readonly Pick<SeenProcess, 'pid'>[]): number {
  if (process.platform !== 'linux') return Number.NaN
  return processes.reduce((sum, { pid }) => sum + ticks(pid), 0) * MS_A_TICK
}

/** Linux counts in hundredths of a second on every machine for which Electron is built. */
const MS_A_TICK = 10

function ticks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The fields after the program's name, which may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}
