import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Crash } from './judge.ts'
import { gatewayKeys } from './programs.ts'

const LAUNCH = fileURLToPath(new URL('../../main/launch.js', import.meta.url))
const READY_WITHIN_MS = 60_000
const ENDED_WITHIN_MS = 30_000
const AFTER_CRASH_MS = 500
/** Output that shows an unexpected error of a process. */
const UNEXPECTED = /uncaught|unhandled|\bat .+:\d+:\d+\)?$/i

export interface GatewayAt {
  readonly signInOrigin: string
  readonly resourceOrigin: string
  readonly clientId: string
  readonly refreshToken: string
  readonly dataFolder: string
  readonly onSnapshot: (snapshot: Snapshot) => void
  readonly say: (line: string) => void
}

/** `headroom gateway` as a user starts it. It is started again after a crash, so that the storm continues. */
export class GatewayProcess {
  readonly crashes: Crash[] = []
  port = 0
  readonly #at: GatewayAt
  #child: ChildProcess | undefined
  /** Whether the storm itself ends the process. */
  #mayEnd = false
  #lastLines: string[] = []
  #saidUnexpected = false

  constructor(at: GatewayAt) {
    this.#at = at
  }

  /** Resolves once it serves. It uses the same port as before, if it had one. */
  async start(): Promise<void> {
    const { signInOrigin, resourceOrigin, clientId, refreshToken, dataFolder } = this.#at
    const flags = ['--auth-url', signInOrigin, '--base-url', resourceOrigin, '--client-id', clientId]
    const args = ['gateway', '--port', String(this.port), '--data', dataFolder, '--json', ...flags]
    const child = spawn(process.execPath, [LAUNCH, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        HEADROOM_REFRESH_TOKEN: refreshToken,
        HEADROOM_CLIENT_SECRET: '',
        HEADROOM_PASSPHRASE: 'correct horse battery staple of a storm',
        HEADROOM_GATEWAY_KEYS: gatewayKeys(),
      },
    })
    this.#child = child
    this.#mayEnd = false
    this.#lastLines = []
    this.#saidUnexpected = false
    createInterface({ input: child.stderr }).on('line', (line) => this.#onError(line))
    const ready = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the gateway was not ready')), READY_WITHIN_MS)
      createInterface({ input: child.stdout }).on('line', (line) => {
        const said = JSON.parse(line) as { type: string; url?: string }
        if (said.type === 'snapshot') this.#at.onSnapshot(said as unknown as Snapshot)
        if (said.type !== 'gateway-ready') return
        clearTimeout(timer)
        this.port = Number(new URL(said.url ?? '').port)
        resolve()
      })
      child.once('exit', (code) => {
        clearTimeout(timer)
        reject(new Error(`the gateway ended with ${code}: ${this.#lastLines.join(' | ')}`))
      })
    })
    child.once('exit', (code, signal) => this.#onExit(child, code, signal))
    await ready
  }

  /** Sends SIGKILL. Resolves once the process is gone. */
  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  /** Sends SIGTERM. Any exit code other than 0 counts as a crash. */
  async stop(): Promise<void> {
    const child = this.#child
    await Promise.race([this.#end('SIGTERM'), pause(ENDED_WITHIN_MS)])
    if (child === undefined || child.exitCode === 0) return
    this.#crashed(
      child.exitCode === null ? 'did not end at SIGTERM' : `ended with ${child.exitCode} at SIGTERM`,
    )
    child.kill('SIGKILL')
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal)
  }

  #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#mayEnd = true
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
    const gone = new Promise<void>((resolve) => void child.once('exit', () => resolve()))
    child.kill(signal)
    return gone
  }

  #onError(line: string): void {
    this.#lastLines = [...this.#lastLines, line].slice(-12)
    this.#at.say(`  gateway: ${line}`)
    if (!UNEXPECTED.test(line) || this.#saidUnexpected) return
    // The lines of a stack belong to one error, whose name is in the line above them.
    this.#saidUnexpected = true
    this.#crashed(`said ${this.#lastLines.findLast((one) => /error/i.test(one))?.trim() ?? line.trim()}`)
  }

  #onExit(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#mayEnd || child !== this.#child) return
    this.#crashed(`ended with ${signal ?? code}`)
    setTimeout(() => {
      if (!this.#mayEnd) this.start().catch((error: unknown) => this.#crashed(`no restart: ${String(error)}`))
    }, AFTER_CRASH_MS)
  }

  #crashed(what: string): void {
    this.crashes.push({ atMs: Date.now(), what })
  }
}
