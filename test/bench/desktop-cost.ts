import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cpuMs, memoryMB, residentMB } from '../electron/process-cost.ts'
import type { SeenProcess } from '../electron/processes.ts'
import { desktopRun } from './desktop-run.ts'
import { benchFlags, median, round, tell } from './result.ts'

/**
 * Environment variables that make the app believe that the desktop shows tray icons: `busctl` in `folder`
 * reports a tray on the bus. Without a tray, the app opens its window after a while, because it could not be
 * reached otherwise.
 */
function shownTray(folder: string): Readonly<Record<string, string>> {
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  const answering = join(programs, 'busctl')
  writeFileSync(answering, '#!/bin/sh\necho "b true"\n')
  for (const path of [programs, answering]) chmodSync(path, 0o755)
  return {
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
  }
}

/**
 * The memory and processor time of the desktop app: `node test/bench/desktop-cost.ts --of memory|shown|idle
 * [--minutes 2] [--json]`.
 *
 * `memory`: the memory of all its processes with one window. `shown`: their processor time with that window.
 * `idle`: their processor time without a window. No debugger is attached. Needs Linux and root, because
 * Chromium hides the memory of its processes from their own user. Exit 1 if the aim is missed.
 */
const { of, minutes } = benchFlags({ of: 'memory', minutes: 2 })
const SAMPLE_MS = 5_000
const SETTLE_MS = 30_000
const MAX_MB = 450
const MAX_IDLE_PERCENT = 1
/** Per cent of one core. Without a graphics processor, most of it is spent on drawing changes. */
const MAX_SHOWN_PERCENT = 15

if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new Error('needs Linux, and root')
const { host, runtime, close } = await desktopRun()
const where = `The packaged app on ${runtime} under Xvfb, without a graphics processor, on the built-in simulator, which is in its main process`
try {
  if (of === 'memory') await memory()
  else if (of === 'shown') await shown()
  else await idle()
} finally {
  await close()
}

async function memory(): Promise<void> {
  await host.start(host.newFolder()).ready()
  const samples = Math.max(6, Math.round((minutes * 60_000) / SAMPLE_MS))
  const proportional: number[] = []
  const resident: number[] = []
  for (let sample = 0; sample < samples; sample += 1) {
    await wait(SAMPLE_MS)
    const processes = host.processes()
    proportional.push(memoryMB(processes))
    resident.push(residentMB(processes))
  }
  const lastThird = Math.floor((2 * samples) / 3)
  const ours = round(median(proportional.slice(lastThird)))
  tell({
    what: `Memory of all processes after ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} with one window`,
    unit: 'MB (proportional set size)',
    better: 'less',
    ours,
    details: {
      'most at any time, MB': round(Math.max(...proportional)),
      'resident set sizes added up, shared pages several times, MB': round(median(resident.slice(lastThird))),
      ...perKind(host.processes()),
    },
    aims: [{ what: `at most ${MAX_MB} MB`, isMet: ours <= MAX_MB }],
    how: `${where}; a page of memory that several of its processes share counts once; sampled every ${SAMPLE_MS / 1000} s, median of the last third.`,
  })
}

async function shown(): Promise<void> {
  await host.start(host.newFolder()).ready()
  const { perCent, processes } = await processorTime()
  if (!processes.some(isPage)) throw new Error('no window was shown')
  tell({
    what: 'Processor time of all processes with one idle window',
    unit: 'per cent of one core',
    better: 'less',
    ours: perCent,
    details: { minutes, processes: processes.length },
    aims: [{ what: `at most ${MAX_SHOWN_PERCENT} %`, isMet: perCent <= MAX_SHOWN_PERCENT }],
    how: `${where}; over ${minutes} min after ${SETTLE_MS / 1000} s.`,
  })
}

async function idle(): Promise<void> {
  await host.start(host.newFolder(), ['--in-tray'], shownTray(host.newFolder())).ready()
  const { perCent, processes } = await processorTime()
  if (processes.some(isPage)) throw new Error('a window was shown: that is no idle app')
  tell({
    what: 'Processor time of all processes while no window is shown',
    unit: 'per cent of one core',
    better: 'less',
    ours: perCent,
    details: { minutes, processes: processes.length },
    aims: [{ what: `at most ${MAX_IDLE_PERCENT} %`, isMet: perCent <= MAX_IDLE_PERCENT }],
    how: `${where}, started to the tray; over ${minutes} min after ${SETTLE_MS / 1000} s.`,
  })
}

function isPage({ commandLine }: SeenProcess): boolean {
  return commandLine.includes(' --type=renderer')
}

/** The processor time of all processes after the start, in per cent of one core. */
async function processorTime(): Promise<{
  readonly perCent: number
  readonly processes: readonly SeenProcess[]
}> {
  await wait(SETTLE_MS)
  const before = cpuMs(host.processes())
  const fromMs = performance.now()
  await wait(minutes * 60_000)
  const processes = host.processes()
  return { perCent: round(((cpuMs(processes) - before) / (performance.now() - fromMs)) * 100), processes }
}

/** The processes grouped by purpose. */
function perKind(processes: readonly SeenProcess[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const one of processes) {
    const kind = / --type=(\S+)/.exec(one.commandLine)?.[1] ?? 'main'
    const key = `${kind}, MB`
    sums[key] = round((sums[key] ?? 0) + memoryMB([one]))
  }
  return sums
}
