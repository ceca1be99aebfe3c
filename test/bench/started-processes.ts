import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The key of the one program behind the gateway of a bench. */
export const PROGRAM_KEY = 'a-key-of-the-bench-0123456789'

/** A process that is ready, and the port or address that its ready line names. */
export interface Started {
  readonly said: string
  readonly pid: number
  readonly child: ChildProcess
  /** All of its stdout so far. */
  readonly out: () => string
}

const children: ChildProcess[] = []
const READY_WITHIN_MS = 60_000

/** Starts a process of a bench; resolves once stdout matches. */
export function started(
  args: readonly string[],
  ready: RegExp,
  environment: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      HEADROOM_REFRESH_TOKEN: 'a-refresh-token-of-the-bench',
      HEADROOM_GATEWAY_KEYS: `bench=${PROGRAM_KEY}`,
      ...environment,
    },
  })
  children.push(child)
  return new Promise((resolve, reject) => {
    let out = ''
    setTimeout(() => reject(new Error(`${args.join(' ')} is not ready`)), READY_WITHIN_MS).unref()
    child.on('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      const [, said] = ready.exec(out) ?? []
      if (said !== undefined && child.pid !== undefined)
        resolve({ said, pid: child.pid, child, out: () => out })
    })
  })
}

/** Starts the gateway as a user does, before a service at `origin`. */
export const startedGateway = (origin: string): Promise<Started> =>
  started(
    [
      fileURLToPath(new URL('../../main/hosts/terminal/headroom.ts', import.meta.url)),
      ...['gateway', '--port', '0', '--probe', 'none'],
      ...['--auth-url', origin, '--base-url', origin, '--client-id', 'bench'],
    ],
    /^gateway ready: (\S+)$/m,
  )

export function endProcesses(): void {
  for (const child of children) child.kill()
}
