import { STREAM_BACKOFF } from '../../app/streams/backoff.ts'
import {
  newStream,
  nextStreamState,
  type StreamInput,
  type StreamState,
} from '../../app/streams/life-cycle.ts'
import type { Clock, Random } from '../ports/ports.ts'
import type { Timeline } from '../timeline.ts'

export interface LifeDeps {
  readonly clock: Clock
  readonly timeline: Timeline
  readonly random: Random
}

const WATCH_MS = 1_000

/** Where one stream stands, moved on by what happens to it and by a look at the time every second. */
export class WatchedLife {
  readonly #deps: LifeDeps
  readonly #entered: (state: StreamState, before: StreamState) => void
  #state: StreamState
  #cancelTimer: () => void = () => {}

  /** `entered` is told of every other kind of state. */
  constructor(deps: LifeDeps, entered: (state: StreamState, before: StreamState) => void) {
    this.#deps = deps
    this.#entered = entered
    this.#state = newStream(deps.timeline.now())
  }

  get state(): StreamState {
    return this.#state
  }

  feed(input: StreamInput): void {
    const before = this.#state
    const { timeline, random } = this.#deps
    this.#state = nextStreamState(before, input, timeline.now(), STREAM_BACKOFF, random.next())
    if (this.#state.kind !== before.kind) this.#entered(this.#state, before)
  }

  /** Frames are what says that a stream lives: looked at every second, whatever the socket thinks. */
  watch(): void {
    const state = this.#state
    if (state.kind === 'closed') return
    if (state.kind === 'waiting') {
      if (state.retryAtMs <= this.#deps.timeline.now()) this.feed({ kind: 'retry' })
    } else this.feed({ kind: 'tick' })
    if (this.#state.kind !== 'closed') this.watchOn()
  }

  /** The next look: when a wait is over, if that is sooner than a second. */
  watchOn(): void {
    const inMs = this.#nextWatchMs()
    this.unwatch()
    this.#cancelTimer = this.#deps.clock.after(inMs, () => this.watch())
  }

  unwatch(): void {
    this.#cancelTimer()
  }

  /** Ends a wait sooner, at a moment drawn by chance. */
  tryWithin(ms: number): void {
    if (this.#state.kind !== 'waiting') return
    const at = this.#deps.timeline.now() + this.#deps.random.next() * ms
    this.#state = { ...this.#state, retryAtMs: Math.min(this.#state.retryAtMs, at) }
    this.watchOn()
  }

  #nextWatchMs(): number {
    const state = this.#state
    if (state.kind !== 'waiting') return WATCH_MS
    return Math.max(10, Math.min(WATCH_MS, state.retryAtMs - this.#deps.timeline.now()))
  }
}
