import type { LoggedEvent } from '../../app/contract/events.ts'
import type { Announcer } from '../../main/alerts/announcer.ts'
import type { CrashStep } from './crash-steps.ts'
import type { VirtualClock } from './virtual-clock.ts'
import { type DiskHealth, type OnDisk, VirtualDisk } from './virtual-disk.ts'
import type { VirtualHttp } from './virtual-http.ts'
import { type ProcessDeps, VirtualProcess } from './virtual-process.ts'
import type { VirtualRandom } from './virtual-random.ts'

export interface MachineDeps {
  readonly clock: VirtualClock
  readonly random: VirtualRandom
  readonly http: VirtualHttp
  readonly profile: string
  readonly noted: (line: string, fields: unknown) => void
  readonly told: (event: LoggedEvent) => void
  readonly announcer: Announcer
  readonly crashed: (step: CrashStep) => void
  /** Called when a process has ended, with the data that it leaves on disk. */
  readonly gone: (disk: OnDisk) => void
  /** Called when a start fails, which must never happen. */
  readonly broke: (problem: unknown) => void
}

/**
 * A machine on which the app runs: a disk that outlives its processes, and processes that may die at any
 * labelled step.
 */
export class Machine {
  process: VirtualProcess
  readonly #deps: MachineDeps
  readonly #keptAlerts = new Map<string, string>()
  #disk: VirtualDisk | undefined
  #isUp = true
  #armed: { readonly step: CrashStep; readonly downMs: number } | undefined
  #cancelStart: () => void = () => {}

  constructor(deps: MachineDeps) {
    this.#deps = deps
    this.process = VirtualProcess.inMemory(this.#processDeps())
  }

  get isUp(): boolean {
    return this.#isUp
  }

  async takeDisk(): Promise<void> {
    this.#disk = new VirtualDisk()
    this.process = await this.#processOn(this.#disk)
  }

  diskIs(health: DiskHealth): void {
    if (this.#disk) this.#disk.health = health
  }

  /** Kills the process when it next reaches this step. */
  crashAt(step: CrashStep, downMs: number): void {
    if (step === 'anywhere') this.#crash(step, downMs)
    else this.#armed = { step, downMs }
  }

  passes(step: CrashStep): void {
    if (this.#armed?.step !== step) return
    const { downMs } = this.#armed
    this.#armed = undefined
    this.#crash(step, downMs)
  }

  /** Ends the app as a user does, and starts it again after `downMs`. */
  quit(downMs: number): void {
    if (!this.#isUp || this.#disk === undefined) return
    const { process } = this
    this.#isUp = false
    const disk = this.#disk
    void process.quit().then(() => this.#over(disk, downMs))
  }

  /** From now on, the disk accepts writes, no process dies, and stopped processes start. */
  putRight(): void {
    this.diskIs('ok')
    this.#armed = undefined
    if (!this.process.isOver || this.#isUp) return
    this.#cancelStart()
    this.#start()
  }

  /** The refresh token that a start now would find. */
  durableToken(): string | undefined {
    return this.process.storedToken(this.#deps.profile)
  }

  #crash(step: CrashStep, downMs: number): void {
    if (!this.#isUp || this.#disk === undefined) return
    this.#isUp = false
    this.process.die()
    this.#deps.crashed(step)
    this.#over(this.#disk, downMs)
  }

  #over(disk: VirtualDisk, downMs: number): void {
    this.#deps.http.processDied()
    this.#deps.gone(disk.holds(this.#deps.profile))
    this.#cancelStart = this.#deps.clock.happen(downMs, () => this.#start())
  }

  #start(): void {
    const disk = this.#disk
    if (disk === undefined) return
    this.#processOn(disk)
      .then((process) => {
        this.process = process
        if (process.restore() !== 1) throw new Error('a start did not find the stored key')
        this.#isUp = true
      })
      .catch(this.#deps.broke)
  }

  #processOn(disk: VirtualDisk): Promise<VirtualProcess> {
    const file = disk.open((when, what) => this.passes(`${when} ${what}`))
    return VirtualProcess.onDisk(this.#processDeps(), file)
  }

  #processDeps(): ProcessDeps {
    const { clock, random, http, noted, told, announcer } = this.#deps
    return {
      clock,
      random: random.fork(),
      http,
      log: { note: noted },
      listener: { changed: () => {}, event: told, removed: () => {} },
      announcer,
      keptAlerts: this.#keptAlerts,
    }
  }
}
