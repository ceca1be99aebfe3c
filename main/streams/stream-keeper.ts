import type { MonitorEvent } from '../../app/contract/events.ts'
import type { StreamSummary } from '../../app/contract/snapshot.ts'
import { STREAM_SHAPES, type StreamRequest } from '../../app/service/streams.ts'
import { backoffMs, STREAM_BACKOFF } from '../../app/streams/backoff.ts'
import type { FramesRead } from '../../app/streams/frame-reader.ts'
import type { StreamState } from '../../app/streams/life-cycle.ts'
import type { StreamReasonCode } from '../../app/streams/reasons.ts'
import type { SlotHolder, StreamProposal } from '../../app/streams/slot-proposal.ts'
import type { Tapped } from '../api/quota-tap.ts'
import type { Random } from '../ports/ports.ts'
import { afterRefusal } from './after-refusal.ts'
import { FrameRate } from './frame-rate.ts'
import type { StreamConnection } from './stream-connection.ts'
import { StreamStory } from './stream-story.ts'
import { type Reason, summaryOf } from './stream-summary.ts'
import { Succession, type SuccessionDeps } from './succession.ts'
import { SymbolErrors } from './symbol-errors.ts'
import { WatchedLife } from './watched-life.ts'

export interface StreamDeps extends SuccessionDeps {
  readonly random: Random
  /** Which own stream to give up for this one. */
  readonly proposal: (category: string) => StreamProposal | undefined
  readonly event: (event: MonitorEvent) => void
  readonly changed: () => void
}

/** A stream asked for this long ago has no answer, whatever became of the timer that said so. */
const OPENING_MS = 20_000
/** Spreads what many streams do at the same moment. */
const SPREAD_MS = 500
/** service.md 7: the wait after a 429 that names none. */
const FALLBACK_MS = 60_000

/** Keeps one stream open: watches frames rather than the socket, and opens it again by the backoff law. */
export class StreamKeeper {
  readonly id: string
  readonly category: string
  readonly request: StreamRequest
  isPinned: boolean
  readonly #deps: StreamDeps
  readonly #rate: FrameRate
  readonly #story: StreamStory
  readonly #symbolErrors = new SymbolErrors()
  readonly #life: WatchedLife
  readonly #connections: Succession
  /** Why it is to be opened again, until it is. */
  #lastReason: Reason | undefined

  constructor(id: string, request: StreamRequest, path: string, isPinned: boolean, deps: StreamDeps) {
    this.id = id
    this.category = STREAM_SHAPES[request.kind].category
    this.request = request
    this.isPinned = isPinned
    this.#deps = deps
    this.#story = new StreamStory(
      { stream: id, category: this.category, target: request.target },
      deps.slots,
      deps.event,
    )
    this.#rate = new FrameRate(deps.timeline.now())
    this.#life = new WatchedLife(deps, (state, before) => this.#entered(state, before))
    this.#connections = new Succession(this.category, path, deps, {
      isHandingOver: () => this.#life.state.kind === 'restarting',
      opened: () => {
        this.#symbolErrors.clear()
        this.#life.feed({ kind: 'opened', hasSnapshot: STREAM_SHAPES[this.request.kind].snapshot })
      },
      frames: (read, from) => this.#read(read, from),
      refused: (status, tapped, isSuccessor) => this.#refused(status, tapped, isSuccessor),
      without: (why) => this.#life.feed(why),
    })
  }

  /** Its connections whose answer is still to come. */
  get opening(): number {
    return this.#connections.opening
  }

  get isClosed(): boolean {
    return this.#life.state.kind === 'closed'
  }

  get waitsForSlot(): boolean {
    const { state } = this.#life
    return state.kind === 'waiting' && state.code === 'no-slot'
  }

  /** Set while it holds a slot. */
  get holder(): SlotHolder | undefined {
    const { openedAtMs } = this.#connections
    if (openedAtMs === undefined) return undefined
    return {
      stream: this.id,
      target: this.request.target,
      openedAt: Math.round(openedAtMs),
      framesPerSecond: this.#rate.perSecond(this.#deps.timeline.now()),
      pinned: this.isPinned,
    }
  }

  start(): void {
    void this.#connections.connect()
    this.#life.watch()
  }

  close(reason: string, code: StreamReasonCode): void {
    this.#life.feed({ kind: 'close', reason, code })
  }

  restart(): void {
    this.#life.feed({ kind: 'restart' })
    this.#life.watch()
  }

  /** The service is back, or there is a token again: no need to wait the backoff out. */
  nudge(): void {
    const { state } = this.#life
    if (state.kind !== 'waiting') return
    // A refusal named its time; everything else may try again now, a little spread.
    if (state.code === 'rate-limited' || state.code === 'no-slot') return
    this.#life.tryWithin(SPREAD_MS)
  }

  /** A slot may be free for it. */
  slotFreed(): void {
    if (this.waitsForSlot) this.#life.tryWithin(SPREAD_MS)
  }

  /** After the machine slept: timers stood still, the service did not. */
  wake(): void {
    const now = this.#deps.timeline.now()
    const { state } = this.#life
    const isAsking = state.kind === 'opening' || state.kind === 'restarting'
    if (isAsking && this.opening > 0 && now - state.sinceMs > OPENING_MS) {
      this.#life.feed({ kind: 'ended', reason: 'no answer in time', code: 'connection-lost' })
    }
    this.#life.watch()
    this.nudge()
  }

  /** `maxSymbolErrors`: the latest of them. */
  summary(maxSymbolErrors: number): StreamSummary {
    const { state } = this.#life
    const { list } = this.#symbolErrors
    const symbolErrors = list.slice(Math.max(0, list.length - maxSymbolErrors))
    const isUp = 'openedAtMs' in state
    return {
      id: this.id,
      category: this.category,
      target: this.request.target,
      ...summaryOf(state, this.#lastReason),
      framesPerSecond: isUp ? this.#rate.perSecond(this.#deps.timeline.now()) : 0,
      restarts: this.#story.restarts,
      ...(symbolErrors.length > 0 && { symbolErrors }),
      ...(this.isPinned && { pinned: true }),
    }
  }

  #refused(status: number, tapped: Tapped, isSuccessor: boolean): void {
    const { refused } = tapped
    if (refused === 'concurrency' && isSuccessor) {
      // Its own former connection held the slot: free as soon as the service has seen the end of it.
      this.#life.feed({ kind: 'ended', reason: 'server going away', code: 'going-away' })
      return
    }
    if (refused === 'concurrency') {
      this.#story.exhausted(tapped.reading.requestId, this.#deps.proposal(this.category))
    }
    this.#life.feed(afterRefusal(status, refused, this.#retryAtMs(tapped)))
  }

  /** A slot given back here a moment ago is free once the service has seen it; when others' are, nobody knows. */
  #retryAtMs({ refused, retryAtMs }: Tapped): number {
    const { slots, timeline, random } = this.#deps
    const now = timeline.now()
    if (refused === 'concurrency' && slots.justReleased(this.category, now) > 0) {
      const attempt = 'attempt' in this.#life.state ? this.#life.state.attempt : 0
      return now + SPREAD_MS + backoffMs(STREAM_BACKOFF, attempt, random.next())
    }
    return retryAtMs ?? now + FALLBACK_MS
  }

  #read({ count, notable }: FramesRead, from: StreamConnection): void {
    if (count === 0) return
    this.#rate.add(this.#deps.timeline.now(), count)
    const isFormer = () => this.#life.state.kind === 'restarting'
    if (count > notable.length) this.#life.feed({ kind: 'frame', frame: { kind: 'data' } })
    for (const frame of notable) {
      if (from.isOver) return
      if (frame.kind === 'symbol-error' && !isFormer()) this.#note(frame.symbol, frame.error)
      this.#life.feed({ kind: 'frame', frame, canOverlap: frame.kind === 'going-away' && this.#canOverlap() })
    }
  }

  #note(symbol: string, error: string): void {
    this.#symbolErrors.add(symbol, error, this.#deps.timeline.now())
    this.#deps.changed()
  }

  #canOverlap(): boolean {
    return this.#deps.slots.free(this.category) !== 0 && this.#connections.heldUntilMs === undefined
  }

  #entered(state: StreamState, before: StreamState): void {
    if (state.kind === 'waiting' || state.kind === 'closed') this.#connections.hangUp()
    switch (state.kind) {
      case 'opening':
        if (before.kind === 'waiting') void this.#connections.connect()
        break
      case 'restarting':
        this.#lastReason = { text: state.reason, code: state.code }
        void this.#connections.connect()
        break
      case 'snapshot':
      case 'live':
        if (before.kind === 'opening' || before.kind === 'restarting') {
          this.#story.opened(this.#lastReason?.text ?? 'connection lost')
          this.#lastReason = undefined
        }
        break
      case 'waiting':
        this.#lastReason = { text: state.reason, code: state.code }
        this.#life.watchOn()
        break
      case 'closed':
        this.#life.unwatch()
        this.#story.closed(state.reason)
        break
      case 'stale':
        break
    }
    this.#deps.changed()
  }
}
