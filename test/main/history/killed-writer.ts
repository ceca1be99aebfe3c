import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

const WRITER = fileURLToPath(new URL('./history-writer.ts', import.meta.url))

export interface Killed {
  /** The time before the kill for which the file has no history. */
  readonly lostMs: number
  /** The longest time without a sample in the remaining file. */
  readonly gapMs: number
  /**
   * The longest time in which the process added no sample, up to the kill. Its writes may have been as late.
   */
  readonly lateMs: number
  readonly integrity: string
  readonly samples: number
}

/** Lets a process write for a while, kills it, and checks the file that it left. */
export async function killedWriter(folder: string, afterMs: number): Promise<Killed> {
  const child = spawn(process.execPath, [WRITER, folder, 'tell'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  await Promise.race([once(child.stdout, 'data'), closed])
  if (!said.startsWith('writing\n')) throw new Error(`the writer did not begin: ${said}`)
  const startedMs = Date.now()
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  const killedMs = Date.now()
  child.kill('SIGKILL')
  await closed
  const added = [startedMs, ...said.split('\n').slice(1, -1).map(Number), killedMs]
  const lateMs = Math.max(...added.slice(1).map((atMs, index) => atMs - (added[index] ?? atMs)))
  return { ...left(folder, startedMs, killedMs), lateMs }
}

function left(folder: string, startedMs: number, killedMs: number): Omit<Killed, 'lateMs'> {
  const database = new DatabaseSync(join(folder, 'history.db'))
  try {
    const integrity = String(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'])
    const times = database
      .prepare(`SELECT DISTINCT at FROM samples WHERE at >= ? ORDER BY at`)
      .all(startedMs)
      .map(({ at }) => Number(at))
    const last = times.at(-1) ?? startedMs
    let gapMs = 0
    for (const [index, at] of times.entries()) gapMs = Math.max(gapMs, at - (times[index - 1] ?? startedMs))
    return { lostMs: killedMs - last, gapMs, integrity, samples: times.length }
  } finally {
    database.close()
  }
}

/**
 * Lets a process write while no file may be larger than this many blocks of 1024 bytes. Returns its output.
 */
export async function writerWithin(folder: string, blocks: number): Promise<string> {
  const child = spawn(
    'bash',
    ['-c', `ulimit -f ${blocks} && exec "$0" "$@"`, process.execPath, WRITER, folder],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  await once(child, 'close')
  return text
}
