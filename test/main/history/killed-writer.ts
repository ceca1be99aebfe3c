import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

const WRITER = fileURLToPath(new URL('./history-writer.ts', import.meta.url))

export interface Killed {
  /** How much of the history before the kill is not in the file. */
  readonly lostMs: number
  /** The longest stretch without a sample while the process was writing. */
  readonly gapMs: number
  readonly integrity: string
  readonly samples: number
}

/** Lets a process write for a while, kills it outright and looks at what it left. */
export async function killedWriter(folder: string, afterMs: number): Promise<Killed> {
  const child = spawn(process.execPath, [WRITER, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const said = await Promise.race([once(child.stdout, 'data'), ended])
  if (String(said[0]) !== 'writing\n') throw new Error(`the writer did not begin: ${said[0]}`)
  const startedMs = Date.now()
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  const killedMs = Date.now()
  child.kill('SIGKILL')
  await ended
  return left(folder, startedMs, killedMs)
}

function left(folder: string, startedMs: number, killedMs: number): Killed {
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

/** Lets a process write where no file may be larger than so many blocks of 1024 bytes; returns what it said. */
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
