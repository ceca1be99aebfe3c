import { readdirSync, readFileSync } from 'node:fs'

/** A process as Linux's /proc describes it. */
export interface SeenProcess {
  readonly pid: number
  readonly parent: number
  readonly uid: number
  /** Mode of seccomp. 0: none, 1: strict, 2: a filter. */
  readonly seccomp: number
  /** Its arguments, separated by one space, because Chromium overwrites its own command line in that form. */
  readonly commandLine: string
}

/** `root` and its descendants that still run. */
export function processTree(root: number): readonly SeenProcess[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => seen(Number(name)) ?? [])
  const below = (pid: number): readonly SeenProcess[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...below(child.pid)])
  return [...all.filter(({ pid }) => pid === root), ...below(root)]
}

/** `undefined` if the process has ended in the meantime. */
function seen(pid: number): SeenProcess | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return { pid, parent: field('PPid'), uid: field('Uid'), seccomp: field('Seccomp'), commandLine }
  } catch {
    return undefined
  }
}
