import { type ChildProcess, spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'

export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  /** Resolves once stdout holds `text`. */
  said(text: string): Promise<void>
  /** The first whole address of this computer in stdout after `text`. */
  addressAfter(text: string): Promise<string>
  readonly ended: Promise<Ended>
}

export interface NodeStreams {
  /** A file descriptor for stdout. Without it, stdout is a pipe that is read. */
  readonly stdoutFile?: number
  /** The content of stdin. Empty by default. */
  readonly input?: string
}

/** This Node on a script, as a process of the running test's own. */
export function runNode(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  { stdoutFile, input }: NodeStreams = {},
): Running {
  const child = spawn(process.execPath, args, {
    stdio: [input === undefined ? 'ignore' : 'pipe', stdoutFile ?? 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  child.stdin?.end(input)
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
  })
  const found = <T>(text: string, find: () => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      const check = () => {
        const value = find()
        if (value !== undefined) resolve(value)
      }
      child.stdout?.on('data', check)
      child.on('close', () => reject(new Error(`it ended without "${text}":\n${stdout}${stderr}`)))
      check()
    })
  const after = (text: string) => {
    const at = stdout.indexOf(text)
    return at < 0 ? undefined : stdout.slice(at)
  }
  return {
    child,
    said: async (text) => void (await found(text, () => after(text))),
    addressAfter: (text) => found(text, () => /http:\/\/127\.0\.0\.1:\d+(?=\D)/.exec(after(text) ?? '')?.[0]),
    ended,
  }
}
