import { STREAM_BACKOFF } from '../../app/streams/backoff.ts'
import {
  newStream,
  nextStreamState,
  SILENCE,
  type StreamInput,
  type StreamState,
} from '../../app/streams/life-cycle.ts'
import type { Timeline } from '../monitor/timeline.ts'
import type { Clock, Random } from '../ports/ports.ts'

export interface LifeDeps {
  readonly clock: Clock
  readonly timeline: Timeline
  readonly random: Random
}

/** A clock that was set, or a machine that slept unannounced, costs a look this much later at most. */
const MAX_WATCH_MS = 5_000
const MIN_WATCH_MS = 10

/** Where one stream stands, moved on by what happens to it and by a look at the time when silence would mean something. */
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

  /** Frames are what says that a stream lives, whatever the socket thinks. */
  watch(): void {
    const state = this.#state
    if (state.kind === 'closed') return
    if (state.kind === 'waiting') {
      if (state.retryAtMs <= this.#deps.timeline.now()) this.feed({ kind: 'retry' })
    } else this.feed({ kind: 'tick' })
    if (this.#state.kind !== 'closed') this.watchOn()
  }

  /** The next look: when a wait is over, or when the stream is silent for too long if no frame comes. */
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
    const dueMs = this.#dueMs() ?? Number.POSITIVE_INFINITY
    return Math.max(MIN_WATCH_MS, Math.min(MAX_WATCH_MS, dueMs - this.#deps.timeline.now()))
  }

  /** When time alone moves it on, unless something else does before. */
  #dueMs(): number | undefined {
    const state = this.#state
    switch (state.kind) {
      case 'waiting':
        return state.retryAtMs
      case 'snapshot':
      case 'live':
        return state.lastFrameAtMs + SILENCE.staleMs
      case 'stale':
        return state.lastFrameAtMs + SILENCE.deadMs
      case 'opening':
      case 'restarting':
      case 'closed':
        return undefined
    }
  }
}
