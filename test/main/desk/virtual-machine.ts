import type { Clock } from '../../../main/ports/ports.ts'

/** The world's time, which passes for all machines. `VirtualClock` implements it. */
export interface WorldTime {
  worldMs(): number
  /** Runs something after so many milliseconds of the world. Returns a function that cancels it. */
  happen(afterMs: number, run: () => void): () => void
}

export interface MachineTraits {
  /** How much faster the monotonic clock runs than the world's time, in parts per million. */
  readonly driftPpm?: number
  /** What the monotonic clock shows at the start, in milliseconds. */
  readonly startedMs?: number
  /** By how much the wall clock is wrong, in milliseconds. */
  readonly wallErrorMs?: number
}

/** One machine of several in one world: its clocks, and whether it runs, is frozen, or sleeps. */
export class VirtualMachine implements Clock {
  readonly #world: WorldTime
  readonly #rate: number
  #wallErrorMs: number
  /** The monotonic clock showed `#shownMs` at the world's time `#atMs`. */
  #shownMs: number
  #atMs: number
  #state: 'running' | 'frozen' | 'asleep' = 'running'
  /** Callbacks that became due while the machine did not run, in order. */
  #held: (() => void)[] = []
  #isOn = true

  constructor(world: WorldTime, { driftPpm = 0, startedMs = 0, wallErrorMs = 0 }: MachineTraits = {}) {
    this.#world = world
    this.#rate = 1 + driftPpm / 1e6
    this.#wallErrorMs = wallErrorMs
    this.#shownMs = startedMs
    this.#atMs = world.worldMs()
  }

  wallMs(): number {
    return this.#world.worldMs() + this.#wallErrorMs
  }

  monotonicMs(): number {
    if (this.#state === 'asleep') return this.#shownMs
    return this.#shownMs + (this.#world.worldMs() - this.#atMs) * this.#rate
  }

  after(ms: number, run: () => void): () => void {
    let isCancelled = false
    const dueMs = this.monotonicMs() + Math.max(0, ms)
    const wait = () => {
      if (isCancelled) return
      const leftMs = dueMs - this.monotonicMs()
      // After a sleep, time is left on the monotonic clock, because it stood still meanwhile.
      if (leftMs > 1e-6) cancel = this.#world.happen(leftMs / this.#rate, () => this.run(wait))
      else run()
    }
    let cancel = this.#world.happen((dueMs - this.monotonicMs()) / this.#rate, () => this.run(wait))
    return () => {
      isCancelled = true
      cancel()
    }
  }

  /**
   * Runs `what` on this machine: now, or as soon as the machine runs again. A machine that is off runs
   * nothing any more.
   */
  run(what: () => void): void {
    if (!this.#isOn) return
    if (this.#state === 'running') what()
    else this.#held.push(what)
  }

  /** Sets the wall clock `errorMs` off. */
  setWall(errorMs: number): void {
    this.#wallErrorMs = errorMs
  }

  /** Stops the process. Its clocks continue. */
  freeze(): void {
    this.#setState('frozen')
  }

  /** Suspends the machine. Its monotonic clock stops. */
  sleep(): void {
    this.#setState('asleep')
  }

  /** Continues. Everything that became due meanwhile runs at once. */
  wake(): void {
    this.#setState('running')
    const held = this.#held
    this.#held = []
    for (const what of held) this.run(what)
  }

  /** Kills the process. None of its code runs any more. */
  kill(): void {
    this.#isOn = false
    this.#held = []
  }

  get isOn(): boolean {
    return this.#isOn
  }

  #setState(state: 'running' | 'frozen' | 'asleep'): void {
    this.#shownMs = this.monotonicMs()
    this.#atMs = this.#world.worldMs()
    this.#state = state
  }
}
