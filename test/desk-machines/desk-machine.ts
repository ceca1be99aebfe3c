import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { LoggedEvent } from '../../app/contract/events.ts'
import type { ProgramClass } from '../../app/contract/programs.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { askRunning } from '../../main/control/ask-running.ts'
import type { ControlAnswer, ControlRequest } from '../../main/control/protocol.ts'
import { socketOf } from '../../main/control/socket-path.ts'
import { invitationText, readInvitation } from '../../main/desk/invitation.ts'
import { nodeClock } from '../../main/ports/node-clock.ts'
import { CLIENT_ID, type SharedKey } from './shared-key.ts'

/** The `headroom` command of a source checkout, and the built one. */
export const FROM_SOURCES: string = fileURLToPath(
  new URL('../../main/hosts/terminal/headroom.ts', import.meta.url),
)
export const BUILT: string = fileURLToPath(new URL('../../main/launch.js', import.meta.url))

/** The profile of a key in `headroom gateway`. */
export const PROFILE = 'watched'
const READY_WITHIN_MS = 60_000
const KEPT_LINES = 20

export interface MachineTraits {
  readonly name: string
  readonly key: SharedKey
  readonly dataFolder: string
  /** Names of the programs behind its gateway. */
  readonly programs: readonly string[]
  /** The class of each program; `normal` if absent. */
  readonly classes?: Readonly<Record<string, ProgramClass>>
  readonly headroom?: string
  /** More flags of `headroom gateway`. */
  readonly flags?: readonly string[]
}

/** One machine: `headroom gateway` on a data folder of its own, and the programs behind it. */
export class DeskMachine {
  readonly name: string
  readonly programs: readonly string[]
  /** All events since the first start. */
  readonly events: LoggedEvent[] = []
  /** Called with each snapshot as it is printed. */
  onSnapshot: (snapshot: Snapshot) => void = () => {}
  readonly #traits: MachineTraits
  #child: ChildProcess | undefined
  #url = ''
  #lines: string[] = []
  #asked = 0
  #isFrozen = false
  #isEnding = false

  constructor(traits: MachineTraits) {
    this.#traits = traits
    this.name = traits.name
    this.programs = traits.programs
  }

  get isRunning(): boolean {
    const child = this.#child
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  /** Whether its gateway is serving and the process is not frozen. */
  get isAwake(): boolean {
    return this.isRunning && !this.#isEnding && !this.#isFrozen && this.#url !== ''
  }

  /** Whether it is being stopped, or was stopped or killed. */
  get isEnding(): boolean {
    return this.#isEnding || !this.isRunning
  }

  /** Number of requests that `get` has sent. The service gets it as the parameter `n`. */
  get asked(): number {
    return this.#asked
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /**
   * Resolves once its gateway serves. `environment`: environment variables, for example for a wrong clock.
   */
  async start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const { key, dataFolder, headroom = FROM_SOURCES, flags = [], name, programs, classes } = this.#traits
    this.#isEnding = false
    const service = ['--auth-url', key.origin, '--base-url', key.origin, '--client-id', CLIENT_ID]
    const child = spawn(
      process.execPath,
      [headroom, 'gateway', '--json', '--port', '0', '--data', dataFolder, ...service, ...flags],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          HEADROOM_REFRESH_TOKEN: key.signIn(name),
          HEADROOM_CLIENT_SECRET: '',
          HEADROOM_METRICS_TOKEN: '',
          HEADROOM_PASSPHRASE: 'correct horse battery staple of a desk',
          HEADROOM_GATEWAY_KEYS: programs
            .map((program) => `${program}:${classes?.[program] ?? 'normal'}=${keyOf(program)}`)
            .join(','),
          ...environment,
        },
      },
    )
    this.#child = child
    this.#url = ''
    createInterface({ input: child.stderr }).on('line', (line) => this.#said(line))
    const lines = createInterface({ input: child.stdout })
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) =>
        reject(new Error(`the gateway of ${name} ${why}:\n${this.#lines.join('\n')}`))
      const timer = setTimeout(() => fail('is not ready'), READY_WITHIN_MS)
      child.once('exit', (code, signal) => fail(`ended with ${signal ?? code}`))
      lines.on('line', (line) => {
        this.#printed(line)
        if (this.#url === '') return
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** Sends SIGKILL. Resolves once the process is gone. */
  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  /** Sends SIGTERM. Resolves to the exit code. */
  async stop(): Promise<number | null> {
    await this.#end('SIGTERM')
    return this.#child?.exitCode ?? null
  }

  freeze(): void {
    this.#isFrozen = true
    this.#child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#isFrozen = false
    this.#child?.kill('SIGCONT')
  }

  /** Sends a command to the running process, as a terminal does. */
  async ask(request: ControlRequest): Promise<ControlAnswer & { readonly ok: true }> {
    const path = socketOf(this.#traits.dataFolder, process.env)
    const asked = await askRunning(request, { clock: nodeClock, path, userId: process.getuid?.() })
    if (asked.kind !== 'answered')
      throw new Error(`${this.name}: ${asked.kind === 'failed' ? asked.why : 'no Headroom is running'}`)
    if (!asked.answer.ok) throw new Error(`${this.name}: ${asked.answer.message}`)
    return asked.answer
  }

  /** Its state now. */
  async snapshot(): Promise<Snapshot> {
    const answer = await this.ask({ do: 'status' })
    const [snapshot] = 'snapshots' in answer ? answer.snapshots : []
    if (snapshot === undefined) throw new Error(`${this.name} has no key`)
    return snapshot
  }

  /** Creates a desk, and returns the invitation. */
  async createDesk(servers: readonly string[]): Promise<string> {
    const created = await this.ask({
      do: 'create-desk',
      profile: PROFILE,
      servers: [...servers],
      name: this.name,
    })
    if (!('invitation' in created)) throw new Error('a desk without an invitation')
    return created.invitation
  }

  /** Joins a desk. `servers`: the addresses of the machine's own way to the server, if it has one. */
  async joinDesk(invitation: string, servers?: readonly string[]): Promise<void> {
    const own = servers === undefined ? invitation : throughServers(invitation, servers)
    await this.ask({ do: 'join-desk', profile: PROFILE, invitation: own, name: this.name })
  }

  /** Sends a request of one of its programs. No two requests are equal. */
  async get(program: string, path: string): Promise<Response> {
    this.#asked += 1
    const query = new URLSearchParams({ by: program, n: String(this.#asked) })
    const answer = await fetch(`${this.#url}${path}?${query}`, {
      headers: { authorization: `Bearer ${keyOf(program)}` },
    })
    return answer
  }

  /** Number of events of a kind, about a member if it is named. */
  told(kind: LoggedEvent['kind'], name?: string): number {
    return this.events.filter(
      (event) => event.kind === kind && (name === undefined || ('name' in event && event.name === name)),
    ).length
  }

  #said(line: string): void {
    this.#lines = [...this.#lines, line].slice(-KEPT_LINES)
  }

  #printed(text: string): void {
    const line = JSON.parse(text) as { readonly type: string; readonly url?: string }
    if (line.type === 'gateway-ready') this.#url = line.url ?? ''
    if (line.type === 'event') this.events.push(line as unknown as LoggedEvent)
    if (line.type === 'snapshot') this.onSnapshot(line as unknown as Snapshot)
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (child === undefined || !this.isRunning) return
    const ended = once(child, 'exit')
    this.#isEnding = true
    child.kill(signal)
    await ended
  }
}

/** The key of a program for its gateway. */
export const keyOf = (program: string): string => `k3y-of-${program}-0123456789abcdef`

/** An invitation to the same desk with other addresses of its server. */
function throughServers(invitation: string, servers: readonly string[]): string {
  const reading = readInvitation(invitation)
  if (reading.kind !== 'read') throw new Error(reading.line)
  return invitationText({ ...reading.invitation, servers })
}
