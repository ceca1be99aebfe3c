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
  readonly ended: Promise<Ended>
}

/** This Node on a script, as a process of the running test's own. */
export function runNode(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  /** A file descriptor in the place of the pipe that is read. */
  stdoutFile?: number,
): Running {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', stdoutFile ?? 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
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
  const said = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (stdout.includes(text)) resolve()
      }
      child.stdout?.on('data', check)
      child.on('close', () => reject(new Error(`it ended without "${text}":\n${stdout}${stderr}`)))
      check()
    })
  return { child, said, ended }
}
