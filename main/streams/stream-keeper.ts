import type { KeyReport } from '../../app/contract/events.ts'
import { keepNewest } from '../../app/contract/newest.ts'
import type { StreamSummary } from '../../app/contract/snapshot.ts'
import type { StreamReasonCode } from '../../app/contract/stream-reasons.ts'
import type { StreamProposal } from '../../app/contract/streams.ts'
import { RETRY, retryDelayMs } from '../../app/retry/schedules.ts'
import type { RefusedBy } from '../../app/service/errors.ts'
import { STREAM_TABLE, type StreamRequest } from '../../app/service/stream-kinds.ts'
import type { FramesRead } from '../../app/streams/frame-reader.ts'
import { SILENCE, type StreamInput, type StreamState } from '../../app/streams/life-cycle.ts'
import type { SlotHolder } from '../../app/streams/slot-proposal.ts'
import type { Permit } from '../api/permit.ts'
import type { Tapped } from '../api/quota-tap.ts'
import { RecentMoments } from '../api/recent-moments.ts'
import type { Random } from '../ports/ports.ts'
import { FrameRate } from './frame-rate.ts'
import type { StreamConnection } from './stream-connection.ts'
import { StreamEvents } from './stream-events.ts'
import { type HandoverDeps, StreamHandover } from './stream-handover.ts'
import { type StreamOutage, TRY_EVERY_MS } from './stream-outage.ts'
import type { RefusedStream, StreamReaders } from './stream-readers.ts'
import { StreamWatchdog } from './stream-watchdog.ts'

export interface StreamDeps extends HandoverDeps {
  readonly random: Random
  /**
   * Headroom's own stream that could be closed to free a slot for this one. `undefined` if no own stream has
   * a slot.
   */
  readonly proposal: (category: string) => StreamProposal | undefined
  readonly report: (report: KeyReport) => void
  readonly changed: () => void
  readonly outage: Pick<StreamOutage, 'takeTry' | 'failed' | 'served'>
}

/**
 * Age in milliseconds above which a connection attempt counts as lost when the machine wakes. The attempt's
 * own timer stopped during sleep.
 */
const OPENING_MS = 20_000
/** Maximum random delay in milliseconds, which prevents many streams from reconnecting together. */
const SPREAD_MS = 500
/** Wait after a 429 without a Reset (service 7). Milliseconds. */
const FALLBACK_MS = 60_000
/**
 * Additional delay for each consecutive failure, in milliseconds. It separates streams that would try again
 * at the same time.
 */
const LATER_MS = 20
const MAX_LATER = 10

/**
 * Statuses below 500 after which a retry makes sense. They come from a portal or a proxy, or mean overload.
 */
const PASSING = new Set([407, 408, 421, 425])

/** Period over which a summary counts restarts. Milliseconds. */
const RECENT_MS = 10 * 60_000

type SymbolError = NonNullable<StreamSummary['symbolErrors']>[number]

interface Reason {
  readonly text: string
  readonly code: StreamReasonCode
}

/**
 * Reasons why a stream was lost, if they suggest an outage of the service. After such a loss, the stream
 * retries as soon as another stream opens.
 *
 * Rejections are not listed, because they set the time of the next attempt. Exceeded limits are not listed
 * either, because such a stream must not retry more often.
 */
const OUTAGE: ReadonlySet<StreamReasonCode> = new Set([
  'silent',
  'connection-lost',
  'broken-answer',
  'ended-by-service',
  'service-error',
  'not-the-service',
])

/** States of a stream whose connection has ended or is about to end. */
const WITHOUT_IT: ReadonlySet<StreamState['kind']> = new Set(['waiting', 'opening', 'restarting'])

/** Keeps one stream open. Judges the stream by its frames, not by its socket, and reopens it with backoff. */
export class StreamKeeper {
  readonly id: string
  readonly category: string
  readonly request: StreamRequest
  /** The stream's path and query under `{base_url}`. */
  readonly path: string
  isPinned: boolean
  /** Whether Headroom itself needs the stream, not only programs. */
  isOwn = true
  /** The programs that read the stream, if any. */
  audience: StreamReaders | undefined
  readonly #deps: StreamDeps
  readonly #rate: FrameRate
  readonly #events: StreamEvents
  /** The latest error of each symbol. The oldest errors are dropped to bound the memory. */
  readonly #symbolErrors = new Map<string, SymbolError>()
  readonly #restarted = new RecentMoments(RECENT_MS)
  readonly #watchdog: StreamWatchdog
  readonly #connections: StreamHandover
  /** Why the stream is being reopened. `undefined` while it is open. */
  #lastReason: Reason | undefined
  /**
   * When the last frame arrived or, if there was none, when the stream opened. Epoch ms. Updated only when
   * the state of an open stream changes. `undefined` before the first update.
   */
  #heardMs: number | undefined
  /**
   * Whether the stream may try again as soon as another stream has opened. False if this stream repeatedly
   * opens and ends.
   */
  #mayFollow = false
  /**
   * When the stream lost its connection or received GoAway, epoch ms. `undefined` while the stream is open,
   * and before its first opening.
   */
  #brokeMs: number | undefined

  constructor(id: string, request: StreamRequest, path: string, isPinned: boolean, deps: StreamDeps) {
    this.id = id
    this.category = STREAM_TABLE[request.kind].category
    this.request = request
    this.path = path
    this.isPinned = isPinned
    this.#deps = deps
    this.#events = new StreamEvents(
      { stream: id, category: this.category, streamKind: request.kind, target: request.target },
      deps.slots,
      deps.report,
    )
    this.#rate = new FrameRate(deps.timeline.now())
    this.#watchdog = new StreamWatchdog(deps, {
      entered: (state, before) => this.#entered(state, before),
      watched: () => this.#judgeSilence(),
      notBeforeMs: (state) => this.#notBeforeMs(state),
    })
    this.#connections = new StreamHandover(this.category, path, deps, {
      isRead: () => this.audience !== undefined,
      isHandingOver: () => this.#watchdog.state.kind === 'restarting',
      opened: (observation) => {
        // The new connection reports the errors again.
        this.#symbolErrors.clear()
        deps.outage.served(this.#mayFollow ? 'lasting' : 'fleeting')
        this.audience?.opened(observation)
        this.#watchdog.feed({
          kind: 'opened',
          hasSnapshot: STREAM_TABLE[this.request.kind].snapshot === true,
        })
      },
      heard: (bytes) => this.audience?.heard(bytes),
      frames: (read, from) => this.#read(read, from),
      refused: (answer, isSuccessor) => this.#refused(answer, isSuccessor),
      lost: (why) => this.#watchdog.feed(why),
    })
  }

  /** Number of the stream's connections that have no response yet. */
  get opening(): number {
    return this.#connections.opening
  }

  get isClosed(): boolean {
    return this.#watchdog.state.kind === 'closed'
  }

  get waitsForSlot(): boolean {
    const { state } = this.#watchdog
    return state.kind === 'waiting' && state.code === 'no-slot'
  }

  /** The stream's slot. `undefined` while it has none. */
  get holder(): SlotHolder | undefined {
    const { openedAtMs } = this.#connections
    if (openedAtMs === undefined) return undefined
    return {
      stream: this.id,
      streamKind: this.request.kind,
      target: this.request.target,
      openedAt: Math.round(openedAtMs),
      framesPerSecond: this.#rate.perSecond(this.#deps.timeline.now()),
      pinned: this.isPinned,
      readers: countOf(this.audience),
    }
  }

  /** `turn` is the permit of the first connection. */
  start(turn?: Permit): void {
    void this.#connections.connect(turn)
    this.#watchdog.watch()
  }

  close(reason: string, code: StreamReasonCode): void {
    this.#watchdog.feed({ kind: 'close', reason, code })
  }

  restart(): void {
    this.#watchdog.feed({ kind: 'restart' })
    this.#watchdog.watch()
  }

  /**
   * Reopens the stream to get its first response again. If slots allow, the current connection closes only
   * after the new one is open.
   */
  renew(): void {
    this.#watchdog.feed({ kind: 'renew', canOverlap: this.#canOverlap() })
    this.#watchdog.watch()
  }

  /** Ends a backoff early, for example when the service is reachable again or a token has arrived. */
  nudge(): void {
    const { state } = this.#watchdog
    if (state.kind !== 'waiting') return
    // A rejection sets the time of the next attempt. Other waits end now, with a little jitter.
    if (state.code === 'rate-limited' || state.code === 'no-slot') return
    this.#watchdog.tryWithin(SPREAD_MS)
  }

  /** Retries soon after an outage, because another stream has opened. */
  followServed(): void {
    const { state } = this.#watchdog
    if (state.kind === 'waiting' && OUTAGE.has(state.code) && this.#mayFollow)
      this.#watchdog.tryWithin(SPREAD_MS)
  }

  /** Tries soon, because a slot may be free for this stream. */
  slotFreed(): void {
    if (this.waitsForSlot) this.#watchdog.tryWithin(SPREAD_MS)
  }

  /** Checks the stream after the machine slept. Timers stopped, but the service did not. */
  wake(): void {
    const now = this.#deps.timeline.now()
    const { state } = this.#watchdog
    const isAsking = state.kind === 'opening' || state.kind === 'restarting'
    if (isAsking && this.opening > 0 && now - state.sinceMs > OPENING_MS) {
      this.#watchdog.feed({ kind: 'ended', reason: 'timed out', code: 'connection-lost' })
    }
    this.#watchdog.watch()
    this.nudge()
  }

  /** A summary with the latest symbol errors, at most `maxSymbolErrors`. */
  summary(maxSymbolErrors: number): StreamSummary {
    const { state } = this.#watchdog
    const errors = [...this.#symbolErrors.values()]
    const symbolErrors = errors.slice(Math.max(0, errors.length - maxSymbolErrors))
    const isUp = 'openedAtMs' in state
    const now = this.#deps.timeline.now()
    const recentRestarts = this.#restarted.count(now)
    return {
      id: this.id,
      category: this.category,
      streamKind: this.request.kind,
      target: this.request.target,
      ...summaryOf(state, this.#lastReason),
      ...(!hasFrame(state) &&
        this.#heardMs !== undefined && {
          lastFrameAt: Math.round(this.#heardMs),
          // The connection was reopened, but the last frame is old and arrived on an earlier connection.
          ...(isUp && now - this.#heardMs >= SILENCE.staleMs && { state: 'stale' as const }),
        }),
      framesPerSecond: isUp ? this.#rate.perSecond(now) : 0,
      restarts: this.#events.restarts,
      ...(recentRestarts > 0 && { recentRestarts }),
      ...(symbolErrors.length > 0 && { symbolErrors }),
      ...(this.isPinned && { pinned: true }),
      ...readersOf(this.audience),
    }
  }

  #refused(answer: RefusedStream, isSuccessor: boolean): void {
    const { tapped, observation } = answer
    const { refused } = tapped
    this.audience?.refused(answer)
    if (refused === 'concurrency' && isSuccessor) {
      // The slot is still taken by the stream's own earlier connection. The slot becomes free when the
      // service notices that this connection ended.
      this.#watchdog.feed({ kind: 'ended', reason: 'server going away', code: 'going-away' })
      return
    }
    if (refused === 'concurrency') {
      this.#events.exhausted(tapped.reading.requestId, this.#deps.proposal(this.category))
    }
    this.#watchdog.feed(inputOfAnswer(observation.status, refused, this.#retryAtMs(tapped)))
  }

  /**
   * When to retry after a 429, epoch ms. While the gateway is on, its queue delays a retry after a rate-limit
   * 429. If Headroom has just released a slot, that slot will be free soon. If other programs use the slots,
   * the time is unknown.
   */
  #retryAtMs({ refused, retryAtMs }: Tapped): number {
    const { slots, timeline, random, turns } = this.#deps
    const now = timeline.now()
    if (refused === 'concurrency' && slots.justReleased(this.category, now) > 0) {
      const attempt = 'attempt' in this.#watchdog.state ? this.#watchdog.state.attempt : 0
      return now + SPREAD_MS + retryDelayMs(RETRY.stream, attempt + 1, random.next())
    }
    if (refused !== 'concurrency' && turns?.() !== undefined) return now + random.next() * SPREAD_MS
    return retryAtMs ?? now + FALLBACK_MS
  }

  #read({ count, notable }: FramesRead, from: StreamConnection): void {
    if (count === 0) return
    this.#rate.add(this.#deps.timeline.now(), count)
    this.#events.heard()
    const isFormer = () => this.#watchdog.state.kind === 'restarting'
    if (count > notable.length) this.#watchdog.feed({ kind: 'frame', frame: { kind: 'data' } })
    for (const frame of notable) {
      if (from.isOver) return
      if (frame.kind === 'symbol-error' && !isFormer()) this.#note(frame.symbol, frame.error)
      this.#watchdog.feed({
        kind: 'frame',
        frame,
        canOverlap: frame.kind === 'going-away' && this.#canOverlap(),
      })
    }
  }

  #note(symbol: string, error: string): void {
    this.#symbolErrors.delete(symbol)
    this.#symbolErrors.set(symbol, { symbol, error, at: Math.round(this.#deps.timeline.now()) })
    keepNewest(this.#symbolErrors, MAX_SYMBOLS)
    this.#deps.changed()
  }

  #canOverlap(): boolean {
    return this.#deps.slots.free(this.category) !== 0 && this.#connections.heldUntilMs === undefined
  }

  #entered(state: StreamState, before: StreamState): void {
    if (state.kind === 'waiting' || state.kind === 'closed') this.#connections.hangUp()
    if ('lastFrameAtMs' in before && (hasFrame(before) || this.#heardMs === undefined)) {
      this.#heardMs = before.lastFrameAtMs
    }
    if ('lastFrameAtMs' in before && WITHOUT_IT.has(state.kind)) this.#brokeMs ??= this.#deps.timeline.now()
    switch (state.kind) {
      case 'opening':
        if (before.kind === 'waiting') void this.#connections.connect()
        else this.#connections.dropFormer()
        break
      case 'restarting':
        this.#lastReason = { text: state.reason, code: state.code }
        // GoAway is data too, so the stream is not silent.
        if (state.code === 'going-away') this.#events.heard()
        void this.#connections.connect()
        break
      case 'snapshot':
      case 'live':
        if (before.kind === 'opening' || before.kind === 'restarting') {
          this.#events.opened(this.#lastReason?.text ?? 'connection lost', {
            sinceMs: this.#brokeMs,
            overlapped: before.kind === 'restarting',
          })
          if (this.#events.restarts > 0) this.#restarted.add(this.#deps.timeline.now())
          this.#lastReason = undefined
          this.#brokeMs = undefined
        }
        break
      case 'waiting':
        this.#lastReason = { text: state.reason, code: state.code }
        this.#mayFollow = before.kind === 'opening' || state.attempt <= 1
        if (OUTAGE.has(state.code)) this.#deps.outage.failed()
        if (countOf(this.audience) > 0 && OUTAGE.has(state.code)) this.#watchdog.tryWithin(TRY_EVERY_MS)
        else this.#watchdog.watchOn()
        break
      case 'closed':
        this.#watchdog.unwatch()
        this.#events.closed(state.reason)
        break
      case 'stale':
        this.#events.silent(state.lastFrameAtMs)
        break
    }
    this.audience?.became(this.#watchdog.state)
    this.#deps.changed()
  }

  /**
   * When the next attempt may begin in an outage. `undefined` means now. An attempt is never delayed if a
   * program waits for the stream's first response, or if a person requested a restart.
   */
  #notBeforeMs({ code, attempt }: Extract<StreamState, { kind: 'waiting' }>): number | undefined {
    const isFirst = this.audience !== undefined && this.#brokeMs === undefined
    if (isFirst || code === 'restarted-here') return undefined
    const nextMs = this.#deps.outage.takeTry()
    // The stream with the fewest failures tries first.
    return nextMs && nextMs + LATER_MS * Math.min(attempt, MAX_LATER)
  }

  /**
   * Reports a stream as silent if its last frame is too old, even while the stream is being reopened. The
   * limit is the same as for a connected stream.
   */
  #judgeSilence(): void {
    const { kind } = this.#watchdog.state
    if (this.#heardMs === undefined || (kind !== 'waiting' && kind !== 'opening')) return
    if (this.#deps.timeline.now() - this.#heardMs >= SILENCE.staleMs) this.#events.silent(this.#heardMs)
  }
}

/**
 * Converts a response other than 200 into an input of the stream's state. `retryAtMs`: when a 429 may be
 * retried, epoch ms.
 */
function inputOfAnswer(status: number, refused: RefusedBy | undefined, retryAtMs: number): StreamInput {
  switch (refused) {
    case 'concurrency':
      return { kind: 'refused', reason: '429: no stream slot is free', code: 'no-slot', retryAtMs }
    case 'rate':
      return { kind: 'refused', reason: '429: rate quota', code: 'rate-limited', retryAtMs }
    case 'unattributed':
      return { kind: 'refused', reason: '429 without a reason', code: 'rate-limited', retryAtMs }
    case undefined:
      break
  }
  if (status === 401) {
    return { kind: 'ended', reason: 'the access token was rejected', code: 'token-refused' }
  }
  const reason = `the service responded ${status}`
  return status >= 500 || status < 400 || PASSING.has(status)
    ? { kind: 'ended', reason, code: 'service-error' }
    : { kind: 'failed', reason }
}

/** Maximum number of programs per stream in a snapshot. */
const MAX_READ_BY = 16

const countOf = (audience: StreamReaders | undefined): number =>
  audience?.readBy.reduce((sum, one) => sum + one.readers, 0) ?? 0

function readersOf(audience: StreamReaders | undefined): Pick<StreamSummary, 'readers' | 'readBy'> {
  const readers = countOf(audience)
  return readers === 0 ? {} : { readers, readBy: audience?.readBy.slice(0, MAX_READ_BY) ?? [] }
}

/** Whether a frame arrived since the stream opened. */
const hasFrame = (state: StreamState): boolean =>
  'openedAtMs' in state &&
  (state.kind === 'restarting' || state.sawData || state.lastFrameAtMs > state.openedAtMs)

/** The part of a summary that derives from the state. `last` says why the stream is being reopened. */
function summaryOf(
  state: StreamState,
  last: Reason | undefined,
): Pick<StreamSummary, 'state' | 'openedAt' | 'lastFrameAt' | 'reason' | 'reasonCode' | 'retryAt'> {
  const isAtRest = state.kind === 'waiting' || state.kind === 'closed'
  const reason = isAtRest ? { text: state.reason, code: state.code } : last
  return {
    // A restarting stream still delivers frames, so a person sees it as live.
    state: state.kind === 'restarting' ? 'live' : state.kind,
    ...('openedAtMs' in state && {
      openedAt: Math.round(state.openedAtMs),
      lastFrameAt: Math.round(state.lastFrameAtMs),
    }),
    ...(reason && { reason: reason.text, reasonCode: reason.code }),
    ...(state.kind === 'waiting' && { retryAt: Math.round(state.retryAtMs) }),
  }
}

/**
 * Maximum number of errors that an app window shows for one stream. A stream has up to 100 symbols, and each
 * can have an error.
 */
const MAX_SYMBOLS = 20
