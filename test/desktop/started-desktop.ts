import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SimulatorServer } from '../../main/simulator/server.ts'
import type { Order, Report } from './page/talk.ts'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const MAIN = at('../../dist/desktop/main.js')

/** A desktop session whose D-Bus reports a tray. double/bin/busctl plays it. */
const DOUBLE_SESSION = {
  PATH: [at('./double/bin'), process.env['PATH']].join(delimiter),
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
}

/** Why the built host can't run here. `undefined` if it can. */
export function obstacleToRunning(): string | undefined {
  const files = ['desktop/main.js', 'desktop/preload.cjs', 'window/index.html']
  return files.every((file) => existsSync(at(`../../dist/${file}`))) ? undefined : 'dist/ is not built'
}

/** Why the double can't run here. `undefined` if it can. */
export function obstacleToDouble(): string | undefined {
  // The second start and the end of the app are signals.
  return process.platform === 'win32' ? 'Windows has no signals' : obstacleToRunning()
}

/** The built desktop host, unmodified, in a process whose `electron` is the double. */
export class StartedDesktop {
  readonly reports: Report[] = []
  readonly ended: Promise<number | null>
  readonly #child: ChildProcess
  readonly #waiting = new Set<() => void>()
  #said = ''
  #orders = 0

  constructor(
    dataFolder: string,
    flags: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ) {
    this.#child = fork(MAIN, ['--data', dataFolder, ...flags], {
      execArgv: ['--import', at('./double/register.ts')],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, ...DOUBLE_SESSION, ...environment },
    })
    this.#child.on('message', (report: Report) => {
      this.reports.push(report)
      for (const look of this.#waiting) look()
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#said += text
      })
    this.ended = new Promise((resolve) => {
      this.#child.on('exit', (code) => {
        resolve(code)
        for (const look of this.#waiting) look()
      })
    })
  }

  /** What it wrote on stdout and stderr. */
  get said(): string {
    return this.#said
  }

  /** Stops reading stdout and stderr, as when the terminal or the program that started the app is closed. */
  closeOutput(): void {
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.destroy()
  }

  /** The first report of this kind that `fits` accepts. Waits for it if it has not arrived yet. */
  report<K extends Report['kind']>(
    kind: K,
    fits: (report: Extract<Report, { kind: K }>) => boolean = () => true,
  ): Promise<Extract<Report, { kind: K }>> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.reports.find(
          (report): report is Extract<Report, { kind: K }> =>
            report.kind === kind && fits(report as Extract<Report, { kind: K }>),
        )
        if (found === undefined && this.#child.exitCode === null) return
        this.#waiting.delete(look)
        if (found === undefined) reject(new Error(`it ended before it said ${kind}: ${this.#said}`))
        else resolve(found)
      }
      this.#waiting.add(look)
      look()
    })
  }

  /** Runs an expression in the page of a window, the youngest one without an id. */
  evaluate(expression: string, window?: number): Promise<unknown> {
    return this.order({ kind: 'evaluate', expression, ...(window !== undefined && { window }) })
  }

  /** Resolves with the answer once the order has been carried out. */
  async order(order: Order): Promise<unknown> {
    const id = ++this.#orders
    this.#child.send({ ...order, id })
    const { value, error } = await this.report('answered', (report) => report.id === id)
    if (error !== undefined) throw new Error(error)
    return value
  }

  /** Connects a key of `simulator` as the window's form does, and waits until the tray has it. */
  async connectKey(simulator: SimulatorServer): Promise<void> {
    const { clientId, refreshToken } = simulator.service.options
    const hosts = { environment: 'custom', authUrl: simulator.origin, baseUrl: simulator.origin }
    const key = { name: 'A key', ...hosts, clientId, refreshToken }
    const connected = await this.evaluate(`window.headroom.connect(${JSON.stringify(key)})`)
    if (!isAccepted(connected)) throw new Error(`the key was refused: ${JSON.stringify(connected)}`)
    await this.trayMenu('A key · CUSTOM — ')
  }

  /** The first menu of the tray that contains the text `holds`. */
  trayMenu(holds: string): Promise<Report> {
    return this.report(
      'called',
      ({ what, value }) => what === 'Tray.menu' && JSON.stringify(value).includes(holds),
    )
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** The exit code. If the app has not ended within `ms`, kills it and returns 'running'. */
  async endedWithin(ms: number): Promise<number | null | 'running'> {
    const late = Promise.withResolvers<'running'>()
    const timer = setTimeout(() => late.resolve('running'), ms)
    const end = await Promise.race([this.ended, late.promise])
    clearTimeout(timer)
    if (end === 'running') this.#child.kill('SIGKILL')
    return end
  }

  async stop(): Promise<number | null> {
    this.signal('SIGTERM')
    return this.ended
  }
}

const isAccepted = (outcome: unknown) =>
  typeof outcome === 'object' && outcome !== null && 'ok' in outcome && outcome.ok === true
