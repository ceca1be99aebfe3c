import {
  newStream,
  nextStreamState,
  SILENCE,
  type StreamInput,
  type StreamState,
} from '../../app/streams/life-cycle.ts'
import type { Clock, Random } from '../ports/ports.ts'
import type { Timeline } from '../ports/timeline.ts'

export interface WatchdogDeps {
  readonly clock: Clock
  readonly timeline: Timeline
  readonly random: Random
}

/** Maximum interval between two checks in milliseconds. Detects a changed clock or an unannounced sleep. */
const MAX_WATCH_MS = 5_000
const MIN_WATCH_MS = 10

export interface WatchdogListener {
  /** Called whenever the kind of the state changes. */
  entered(state: StreamState, before: StreamState): void
  /** Called after each check of the time. */
  watched(): void
  /**
   * The earliest time, epoch ms, at which a waiting stream may continue. `undefined` if it may continue now.
   */
  notBeforeMs(state: Extract<StreamState, { kind: 'waiting' }>): number | undefined
}

/**
 * The state of one stream. It changes through inputs, and through a timer that detects silence and ends
 * waits.
 */
export class StreamWatchdog {
  readonly #deps: WatchdogDeps
  readonly #listener: WatchdogListener
  #state: StreamState
  #cancelTimer: () => void = () => {}

  constructor(deps: WatchdogDeps, listener: WatchdogListener) {
    this.#deps = deps
    this.#listener = listener
    this.#state = newStream(deps.timeline.now())
  }

  get state(): StreamState {
    return this.#state
  }

  feed(input: StreamInput): void {
    const before = this.#state
    const { timeline, random } = this.#deps
    this.#state = nextStreamState(before, input, timeline.now(), random.next())
    if (this.#state.kind !== before.kind) this.#listener.entered(this.#state, before)
  }

  /**
   * Checks whether a wait is over, or whether the last frame is too old. Only frames show that a stream is
   * alive. An open socket does not.
   */
  watch(): void {
    const state = this.#state
    if (state.kind === 'closed') return
    if (state.kind === 'waiting') {
      if (state.retryAtMs <= this.#deps.timeline.now()) this.#endWait(state)
    } else this.feed({ kind: 'tick' })
    this.#listener.watched()
    if (this.#state.kind !== 'closed') this.watchOn()
  }

  /** Sets the timer for the next check: at the end of a wait, or when silence becomes too long. */
  watchOn(): void {
    const inMs = this.#nextWatchMs()
    this.unwatch()
    this.#cancelTimer = this.#deps.clock.after(inMs, () => this.watch())
  }

  unwatch(): void {
    this.#cancelTimer()
  }

  /** Ends a wait at a random time within `ms` milliseconds. */
  tryWithin(ms: number): void {
    if (this.#state.kind !== 'waiting') return
    const at = this.#deps.timeline.now() + this.#deps.random.next() * ms
    this.#state = { ...this.#state, retryAtMs: Math.min(this.#state.retryAtMs, at) }
    this.watchOn()
  }

  #endWait(state: Extract<StreamState, { kind: 'waiting' }>): void {
    const retryAtMs = this.#listener.notBeforeMs(state)
    if (retryAtMs === undefined) this.feed({ kind: 'retry' })
    else this.#state = { ...state, retryAtMs }
  }

  #nextWatchMs(): number {
    const dueMs = this.#dueMs() ?? Number.POSITIVE_INFINITY
    return Math.max(MIN_WATCH_MS, Math.min(MAX_WATCH_MS, dueMs - this.#deps.timeline.now()))
  }

  /** When the state will change if there is no input, epoch ms. `undefined` if it will not change. */
  #dueMs(): number | undefined {
    const state = this.#state
    switch (state.kind) {
      case 'waiting':
        return state.retryAtMs
      case 'snapshot':
      case 'live':
        return state.lastFrameAtMs + SILENCE.staleMs
      case 'stale':
      case 'restarting':
        return state.lastFrameAtMs + SILENCE.deadMs
      case 'opening':
      case 'closed':
        return undefined
    }
  }
}
