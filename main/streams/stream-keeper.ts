import type { MonitorEvent } from '../../app/contract/events.ts'
import type { StreamSummary } from '../../app/contract/snapshot.ts'
import { STREAM_SHAPES, type StreamRequest } from '../../app/service/streams.ts'
import { backoffMs, STREAM_BACKOFF } from '../../app/streams/backoff.ts'
import type { FramesRead } from '../../app/streams/frame-reader.ts'
import {
  newStream,
  nextStreamState,
  type StreamInput,
  type StreamState,
} from '../../app/streams/life-cycle.ts'
import type { StreamReasonCode } from '../../app/streams/reasons.ts'
import type { SlotHolder, StreamProposal } from '../../app/streams/slot-proposal.ts'
import type { Tapped } from '../api/quota-tap.ts'
import type { Random } from '../ports/ports.ts'
import type { Access } from '../tokens/keeper.ts'
import { afterRefusal } from './after-refusal.ts'
import { FrameRate } from './frame-rate.ts'
import { type ConnectionDeps, StreamConnection } from './stream-connection.ts'
import { StreamStory } from './stream-story.ts'
import { type Reason, summaryOf } from './stream-summary.ts'
import { SymbolErrors } from './symbol-errors.ts'

export interface StreamDeps extends ConnectionDeps {
  readonly random: Random
  readonly access: () => Promise<Access>
  readonly rejected: (value: string) => Promise<void>
  /** Which own stream to give up for this one. */
  readonly proposal: (category: string) => StreamProposal | undefined
  readonly event: (event: MonitorEvent) => void
  readonly changed: () => void
}

/** A stream asked for this long ago has no answer, whatever became of the timer that said so. */
const OPENING_MS = 20_000
const WATCH_MS = 1_000
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
  readonly #path: string
  readonly #deps: StreamDeps
  readonly #rate: FrameRate
  readonly #story: StreamStory
  readonly #symbolErrors = new SymbolErrors()
  #state: StreamState
  /** The connection that is read, or is to be. */
  #connection: StreamConnection | undefined
  /** Takes its place once it is opened: a stream told to go away is not dropped before that. */
  #successor: StreamConnection | undefined
  /** Why it is to be opened again, until it is. */
  #lastReason: Reason | undefined
  #cancelTimer: () => void = () => {}
  /** Grows whenever what was begun is given up: who waited for a token meanwhile is not heard. */
  #attempt = 0

  constructor(id: string, request: StreamRequest, path: string, isPinned: boolean, deps: StreamDeps) {
    this.id = id
    this.category = STREAM_SHAPES[request.kind].category
    this.request = request
    this.isPinned = isPinned
    this.#path = path
    this.#deps = deps
    this.#story = new StreamStory(
      { stream: id, category: this.category, target: request.target },
      deps.slots,
      deps.event,
    )
    const now = deps.timeline.now()
    this.#rate = new FrameRate(now)
    this.#state = newStream(now)
  }

  /** Its connections whose answer is still to come. */
  get opening(): number {
    return [this.#connection, this.#successor].filter((one) => one?.isOpening).length
  }

  get isClosed(): boolean {
    return this.#state.kind === 'closed'
  }

  get waitsForSlot(): boolean {
    return this.#state.kind === 'waiting' && this.#state.code === 'no-slot'
  }

  /** Set while it holds a slot. */
  get holder(): SlotHolder | undefined {
    if (!this.#connection || this.#connection.isOver) return undefined
    return {
      stream: this.id,
      target: this.request.target,
      openedAt: Math.round(this.#connection.openedAtMs),
      framesPerSecond: this.#rate.perSecond(this.#deps.timeline.now()),
      pinned: this.isPinned,
    }
  }

  start(): void {
    void this.#connect()
    this.#watch()
  }

  close(reason: string, code: StreamReasonCode): void {
    this.#feed({ kind: 'close', reason, code })
  }

  restart(): void {
    this.#feed({ kind: 'restart' })
    this.#watch()
  }

  /** The service is back, or there is a token again: no need to wait the backoff out. */
  nudge(): void {
    if (this.#state.kind !== 'waiting') return
    // A refusal named its time; everything else may try again now, a little spread.
    if (this.#state.code === 'rate-limited' || this.#state.code === 'no-slot') return
    this.#tryWithin(SPREAD_MS)
  }

  /** A slot may be free for it. */
  slotFreed(): void {
    if (this.waitsForSlot) this.#tryWithin(SPREAD_MS)
  }

  /** After the machine slept: timers stood still, the service did not. */
  wake(): void {
    const now = this.#deps.timeline.now()
    const state = this.#state
    const isAsking = state.kind === 'opening' || state.kind === 'restarting'
    if (isAsking && this.opening > 0 && now - state.sinceMs > OPENING_MS) {
      this.#feed({ kind: 'ended', reason: 'no answer in time', code: 'connection-lost' })
    }
    this.#watch()
    this.nudge()
  }

  summary(): StreamSummary {
    const state = this.#state
    const symbolErrors = this.#symbolErrors.list
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

  async #connect(): Promise<void> {
    this.#attempt += 1
    const attempt = this.#attempt
    const token = await this.#deps.access()
    if (this.#attempt !== attempt || this.isClosed) return
    if (token.kind === 'none')
      return this.#feed({ kind: 'ended', reason: 'no access token', code: 'no-token' })
    const notBeforeMs = this.#heldUntilMs()
    if (notBeforeMs !== undefined) {
      return this.#feed({
        kind: 'refused',
        reason: '429: rate quota',
        code: 'rate-limited',
        retryAtMs: notBeforeMs,
      })
    }
    const connection = this.#newConnection(token.value)
    if (this.#state.kind === 'restarting') this.#successor = connection
    else this.#connection = connection
  }

  #newConnection(token: string): StreamConnection {
    const connection: StreamConnection = new StreamConnection(this.category, this.#path, token, this.#deps, {
      opened: () => {
        if (connection === this.#successor) this.#succeed(connection)
        this.#symbolErrors.clear()
        this.#feed({ kind: 'opened', hasSnapshot: STREAM_SHAPES[this.request.kind].snapshot })
      },
      frames: (read) => this.#read(connection, read),
      refused: (status, tapped) => this.#refused(connection === this.#successor, status, token, tapped),
      ended: (reason, code) => {
        if (connection === this.#connection && this.#state.kind === 'restarting') this.#formerEnded()
        else this.#feed({ kind: 'ended', reason, code })
      },
    })
    return connection
  }

  #succeed(connection: StreamConnection): void {
    this.#connection?.close()
    this.#connection = connection
    this.#successor = undefined
  }

  #formerEnded(): void {
    this.#connection = this.#successor
    this.#successor = undefined
    this.#feed({ kind: 'former-ended' })
  }

  #refused(isSuccessor: boolean, status: number, token: string, tapped: Tapped): void {
    const { refused } = tapped
    if (refused === 'concurrency' && isSuccessor) {
      // Its own former connection held the slot: free as soon as the service has seen the end of it.
      this.#feed({ kind: 'ended', reason: 'server going away', code: 'going-away' })
      return
    }
    if (refused === 'concurrency') {
      this.#story.exhausted(tapped.reading.requestId, this.#deps.proposal(this.category))
    }
    if (status === 401) void this.#deps.rejected(token)
    this.#feed(afterRefusal(status, refused, this.#retryAtMs(tapped)))
  }

  /** A slot given back here a moment ago is free once the service has seen it; when others' are, nobody knows. */
  #retryAtMs({ refused, retryAtMs }: Tapped): number {
    const { slots, timeline, random } = this.#deps
    const now = timeline.now()
    if (refused === 'concurrency' && slots.justReleased(this.category, now) > 0) {
      const attempt = 'attempt' in this.#state ? this.#state.attempt : 0
      return now + SPREAD_MS + backoffMs(STREAM_BACKOFF, attempt, random.next())
    }
    return retryAtMs ?? now + FALLBACK_MS
  }

  #read(connection: StreamConnection, { count, notable }: FramesRead): void {
    if (count === 0) return
    this.#rate.add(this.#deps.timeline.now(), count)
    const isFormer = () => this.#state.kind === 'restarting'
    if (count > notable.length) this.#feed({ kind: 'frame', frame: { kind: 'data' } })
    for (const frame of notable) {
      if (connection.isOver) return
      if (frame.kind === 'symbol-error' && !isFormer()) this.#note(frame.symbol, frame.error)
      this.#feed({ kind: 'frame', frame, canOverlap: frame.kind === 'going-away' && this.#canOverlap() })
    }
  }

  #note(symbol: string, error: string): void {
    this.#symbolErrors.add(symbol, error, this.#deps.timeline.now())
    this.#deps.changed()
  }

  #canOverlap(): boolean {
    return this.#deps.slots.free(this.category) !== 0 && this.#heldUntilMs() === undefined
  }

  /** When its category may be asked again. */
  #heldUntilMs(): number | undefined {
    return this.#deps.tap.notBeforeMs('GET', this.#path)
  }

  #feed(input: StreamInput): void {
    const before = this.#state
    const { timeline, random } = this.#deps
    this.#state = nextStreamState(before, input, timeline.now(), STREAM_BACKOFF, random.next())
    if (this.#state.kind !== before.kind) this.#entered(this.#state, before)
  }

  #entered(state: StreamState, before: StreamState): void {
    if (state.kind === 'waiting' || state.kind === 'closed') this.#hangUp()
    switch (state.kind) {
      case 'opening':
        if (before.kind === 'waiting') void this.#connect()
        break
      case 'restarting':
        this.#lastReason = { text: state.reason, code: state.code }
        void this.#connect()
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
        this.#watchIn(this.#nextWatchMs())
        break
      case 'closed':
        this.#cancelTimer()
        this.#story.closed(state.reason)
        break
      case 'stale':
        break
    }
    this.#deps.changed()
  }

  #hangUp(): void {
    this.#attempt += 1
    this.#connection?.close()
    this.#successor?.close()
    this.#connection = undefined
    this.#successor = undefined
  }

  /** Frames are what says that a stream lives: looked at every second, whatever the socket thinks. */
  #watch(): void {
    const state = this.#state
    if (state.kind === 'closed') return
    if (state.kind === 'waiting') {
      if (state.retryAtMs <= this.#deps.timeline.now()) this.#feed({ kind: 'retry' })
    } else this.#feed({ kind: 'tick' })
    if (!this.isClosed) this.#watchIn(this.#nextWatchMs())
  }

  #tryWithin(ms: number): void {
    if (this.#state.kind !== 'waiting') return
    const at = this.#deps.timeline.now() + this.#deps.random.next() * ms
    this.#state = { ...this.#state, retryAtMs: Math.min(this.#state.retryAtMs, at) }
    this.#watchIn(this.#nextWatchMs())
  }

  #watchIn(ms: number): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#deps.clock.after(ms, () => this.#watch())
  }

  #nextWatchMs(): number {
    const state = this.#state
    if (state.kind !== 'waiting') return WATCH_MS
    return Math.max(10, Math.min(WATCH_MS, state.retryAtMs - this.#deps.timeline.now()))
  }
}
