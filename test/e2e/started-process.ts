import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const LAUNCH = fileURLToPath(new URL('../../main/launch.js', import.meta.url))
const READY_LIMIT_MS = 30_000
const STOP_LIMIT_MS = 5000

/** One `headroom` process of a test's own. */
export interface StartedProcess {
  readonly pid: number
  /** The rest of each line that begins with `readyPrefix`, so far. */
  readonly ready: readonly string[]
  /** Every line of stdout so far. */
  readonly lines: readonly string[]
  /** Everything it said on stderr. */
  errors(): string
  /** Resolves with the value of the `count`th ready line. */
  waitForReady(count: number): Promise<string>
  stop(): Promise<void>
}

/** Starts `headroom ARGS` and waits until a stdout line begins with `readyPrefix`. */
export async function startProcess(
  args: readonly string[],
  readyPrefix: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<StartedProcess> {
  const child = spawn(process.execPath, [LAUNCH, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  const ready: string[] = []
  const lines: string[] = []
  const waiters = new Set<() => void>()
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    if (!line.startsWith(readyPrefix)) return
    ready.push(line.slice(readyPrefix.length).trim())
    for (const wake of [...waiters]) wake()
  })

  const waitForReady = async (count: number): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const check = () => {
      const value = ready[count - 1]
      if (value !== undefined) resolve(value)
    }
    const fail = (why: string) => reject(new Error(`headroom ${args.join(' ')} ${why}:\n${errors}`))
    const ended = () => fail('ended before it was ready')
    const timer = setTimeout(() => fail('was not ready in time'), READY_LIMIT_MS)
    waiters.add(check)
    child.once('exit', ended).once('error', ended)
    check()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      waiters.delete(check)
      child.off('exit', ended).off('error', ended)
    }
  }

  try {
    await waitForReady(1)
  } catch (error) {
    await stop(child)
    throw error
  }
  return { pid: child.pid ?? 0, ready, lines, errors: () => errors, waitForReady, stop: () => stop(child) }
}

/** Asks the process to end, so that its streams are closed. Kills it if it does not respond. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  child.kill('SIGTERM')
  await exited
  clearTimeout(timer)
}
