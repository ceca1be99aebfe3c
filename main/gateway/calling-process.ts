import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Clock } from '../ports/ports.ts'
import type { PeerSocket } from './peer-user.ts'

/**
 * Minimum time in milliseconds between two scans for the same program. A scan reads all processes, which
 * takes milliseconds.
 */
const LOOK_AGAIN_MS = 30_000
/** Maximum length of a displayed process name. */
const MAX_NAME = 40
const SCRIPT = /\.(?:[cm]?[jt]s|py|rb|pl|sh|r|jl|lua|php|jar|exe|dll)$/i

/** The system's process list. */
export interface ProcessTable {
  /** Ids of the processes, as text. */
  ids(): Promise<readonly string[]>
  /**
   * The link targets of a process's file descriptors. Rejects if the process has ended or belongs to another
   * user.
   */
  openFiles(id: string): Promise<readonly string[]>
  commandLine(id: string): Promise<readonly string[]>
}

/** The process list from Linux's `/proc`. On other systems, `ids` rejects. */
export const linuxProcesses: ProcessTable = {
  ids: async () => (await readdir('/proc')).filter((name) => /^\d+$/.test(name)),
  openFiles: async (id) => {
    const folder = `/proc/${id}/fd`
    const links = await Promise.allSettled(
      (await readdir(folder)).map((name) => readlink(`${folder}/${name}`)),
    )
    return links.flatMap((link) => (link.status === 'fulfilled' ? link.value : []))
  },
  commandLine: async (id) => (await readFile(`/proc/${id}/cmdline`, 'utf8')).split('\0'),
}

/**
 * The process that owns a socket: its program, its script and its id, such as `python3 scan.py (4123)`.
 * `undefined` if no process is found. `formerName` is the result for an earlier connection.
 *
 * The rest of the command line can contain secrets and is left out.
 */
export async function processOf(
  { inode }: PeerSocket,
  table: ProcessTable = linuxProcesses,
  formerName?: string,
): Promise<string | undefined> {
  // Inode 0 means that the socket has been closed.
  if (!/^[1-9]\d*$/.test(inode)) return undefined
  try {
    const former = formerName === undefined ? undefined : / \((\d+)\)$/.exec(formerName)?.[1]
    // The process of the earlier connection is tried first, because most calls come from the same process.
    for (const id of former === undefined ? await table.ids() : [former, ...(await table.ids())]) {
      const files = await table.openFiles(id).catch((): readonly string[] => [])
      if (!files.includes(`socket:[${inode}]`)) continue
      const [command = '', ...args] = await table.commandLine(id)
      const script = args.find((arg) => !arg.startsWith('-'))
      const named = script !== undefined && SCRIPT.test(script) ? [command, script] : [command]
      const words = named.map((word) =>
        basename(word)
          .replace(/[^\x20-\x7e]/g, '?')
          .slice(0, MAX_NAME),
      )
      return `${words.join(' ')} (${id})`
    }
  } catch {
    // No /proc, or the process has ended.
  }
  return undefined
}

interface Caller {
  readonly inode: string
  readonly atMs: number
  name: string | undefined
}

/** For each program, the process that was last found to call with the program's key. */
export class CallingProcesses {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #changed: () => void
  readonly #processOf: (peer: PeerSocket, formerName?: string) => Promise<string | undefined>
  readonly #callers = new Map<string, Caller>()

  /** `changed` is called when a process has been found. */
  constructor(
    clock: Pick<Clock, 'monotonicMs'>,
    changed: () => void,
    find: (peer: PeerSocket, formerName?: string) => Promise<string | undefined> = (peer, former) =>
      processOf(peer, linuxProcesses, former),
  ) {
    this.#clock = clock
    this.#changed = changed
    this.#processOf = find
  }

  of(program: string): string | undefined {
    return this.#callers.get(program)?.name
  }

  forget(program: string): void {
    this.#callers.delete(program)
  }

  /** Called for each request. Looks up the calling process, at most once in `LOOK_AGAIN_MS` per program. */
  called(program: string, peer: PeerSocket): void {
    const known = this.#callers.get(program)
    const atMs = this.#clock.monotonicMs()
    if (known?.inode === peer.inode || (known !== undefined && atMs - known.atMs < LOOK_AGAIN_MS)) return
    const caller: Caller = { inode: peer.inode, atMs, name: known?.name }
    this.#callers.set(program, caller)
    void this.#processOf(peer, known?.name).then((name) => {
      if (name === undefined || this.#callers.get(program) !== caller || name === caller.name) return
      caller.name = name
      this.#changed()
    })
  }
}
