import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('committer.ts', import.meta.url))

export interface CommitterRun {
  readonly lines: readonly string[]
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Runs `committer.ts` on a folder. `control` gets each line and may kill the process. */
export async function runCommitter(
  folder: string,
  {
    until = Number.POSITIVE_INFINITY,
    control = () => {},
    shellLimit,
    asOtherUser = false,
    compileCache,
  }: {
    readonly until?: number
    readonly control?: (line: string, child: ChildProcess) => void
    /** A `ulimit` to set first, as in `-f 40`. */
    readonly shellLimit?: string
    /** Changes to the other user once its modules are loaded. */
    readonly asOtherUser?: boolean
    /** The first run that ends by itself fills this cache. The next ones start in a third of the time. */
    readonly compileCache?: string
  } = {},
): Promise<CommitterRun> {
  const args = [SCRIPT, folder, String(until), ...(asOtherUser ? ['as-other-user'] : [])]
  const [command, all] =
    shellLimit === undefined
      ? [process.execPath, args]
      : ['/bin/sh', ['-c', `ulimit ${shellLimit}; exec "$0" "$@"`, process.execPath, ...args]]
  const env = { ...process.env, ...(compileCache !== undefined && { NODE_COMPILE_CACHE: compileCache }) }
  const child = spawn(command, all, { stdio: ['ignore', 'pipe', 'inherit'], env })
  const lines: string[] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      lines.push(line)
      control(line, child)
    }
  })
  // `close` comes after all output has been read, including what a killed process had written.
  const [code, signal] = await once(child, 'close')
  return { lines, code, signal }
}
