import type { StreamReasonCode } from '../contract/stream-reasons.ts'
import { RETRY, retryDelayMs } from '../retry/schedules.ts'
import { SILENT_AFTER_MS } from '../service/stream-kinds.ts'
import type { Frame } from './frames.ts'

interface History {
  /** Consecutive failed attempts. A healthy connection resets the count. */
  readonly attempt: number
  /** Consecutive connections that ended early although data had arrived. */
  readonly shortLives: number
  /** Reason for the latest transition. */
  readonly code: StreamReasonCode
}

interface Heard {
  readonly openedAtMs: number
  readonly lastFrameAtMs: number
}

/** State of one stream. Times in milliseconds on one clock. */
export type StreamState =
  | ({ readonly kind: 'opening'; readonly sinceMs: number } & History)
  | ({ readonly kind: 'snapshot' | 'live' | 'stale'; readonly sawData: boolean } & Heard & History)
  /** The stream is still read while its replacement connects, for example after GoAway. */
  | ({ readonly kind: 'restarting'; readonly sinceMs: number; readonly reason: string } & Heard & History)
  | ({ readonly kind: 'waiting'; readonly retryAtMs: number; readonly reason: string } & History)
  | { readonly kind: 'closed'; readonly reason: string; readonly code: StreamReasonCode }

export type StreamInput =
  | { readonly kind: 'opened'; readonly hasSnapshot: boolean }
  /** `canOverlap`: a second connection may open before this one closes. */
  | { readonly kind: 'frame'; readonly frame: Frame; readonly canOverlap?: boolean }
  | { readonly kind: 'ended'; readonly reason: string; readonly code: StreamReasonCode }
  /** The former connection has ended while its replacement is still connecting. */
  | { readonly kind: 'former-ended' }
  | {
      readonly kind: 'refused'
      readonly reason: string
      readonly code: StreamReasonCode
      readonly retryAtMs: number
    }
  /** Retrying cannot help: an unknown account, or a key without permission. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'tick' }
  | { readonly kind: 'retry' }
  /**
   * A program needs the first response of a connection, so the stream reconnects as after GoAway.
   * `canOverlap`: see `frame`.
   */
  | { readonly kind: 'renew'; readonly canOverlap: boolean }
  /** A person requested a restart now. */
  | { readonly kind: 'restart' }
  | { readonly kind: 'close'; readonly reason: string; readonly code: StreamReasonCode }

/** Time without a frame after which a stream is stale or dead. Milliseconds. */
export const SILENCE = { staleMs: SILENT_AFTER_MS, deadMs: 30_000 } as const

/** GoAway this soon after the stream opened counts as a failure. Milliseconds. */
const SOON_MS = 2_000
/**
 * If a connection ends within this time, the stream may be over the service's limit. Some servers accept such
 * a stream and close it within seconds (service 12). Milliseconds.
 */
const YOUNG_MS = 30_000
/** A connection that lasts this long resets the count of failed attempts. */
const HEALTHY_AFTER_MS = 30_000
const HIDDEN_CAP_LIVES = 3

type OpenState = Exclude<StreamState, { kind: 'closed' }>
type UpState = Extract<StreamState, { sawData: boolean }>

/** The state of a stream that was just requested. */
export const newStream = (nowMs: number): StreamState => ({
  kind: 'opening',
  sinceMs: nowMs,
  attempt: 0,
  shortLives: 0,
  code: 'asked',
})

/**
 * The next state of a stream after one input at `nowMs`. Only frames prove that the stream is alive. An open
 * socket does not.
 *
 * `chance` is a random number in [0, 1) for the wait after a failure.
 */
export function nextStreamState(
  state: StreamState,
  input: StreamInput,
  nowMs: number,
  chance: number,
): StreamState {
  if (state.kind === 'closed') return state
  const failed = (reason: string, code: StreamReasonCode): StreamState =>
    afterFailure(state, { reason, code }, nowMs, livedUntilMs(state, input, nowMs), chance)
  switch (input.kind) {
    case 'close':
      return { kind: 'closed', reason: input.reason, code: input.code }
    case 'failed':
      return { kind: 'closed', reason: input.reason, code: 'refused' }
    case 'restart':
      return waiting(state, 'restarted by you', 'restarted-here', nowMs, 0)
    case 'renew': {
      if (!isUp(state)) return state
      const reason = 'reopened for a program'
      if (!input.canOverlap) return waiting(state, reason, 'program-joined', nowMs, 0)
      return handingOver(state, { reason, code: 'program-joined' }, state.lastFrameAtMs, nowMs)
    }
    case 'retry':
      if (state.kind !== 'waiting') return state
      return { ...historyOf(state), kind: 'opening', sinceMs: nowMs }
    case 'refused': {
      if (state.kind === 'waiting') return state
      const attempt = attemptsAfter(state, nowMs) + 1
      return waiting(state, input.reason, input.code, input.retryAtMs, attempt)
    }
    case 'ended':
      return state.kind === 'waiting' ? state : failed(input.reason, input.code)
    case 'former-ended':
      return state.kind === 'restarting' ? withoutFormer(state) : state
    case 'opened':
      return afterOpening(state, input.hasSnapshot, nowMs)
    case 'frame':
      if (state.kind === 'restarting') return { ...state, lastFrameAtMs: nowMs }
      return isUp(state) ? afterFrame(state, input.frame, input.canOverlap === true, nowMs, failed) : state
    case 'tick': {
      if (!('lastFrameAtMs' in state)) return state
      const silentMs = nowMs - state.lastFrameAtMs
      if (state.kind === 'restarting') return silentMs >= SILENCE.deadMs ? withoutFormer(state) : state
      if (silentMs >= SILENCE.deadMs) return failed('silent for 30 s', 'silent')
      if (silentMs < SILENCE.staleMs || state.kind === 'stale') return state
      return { ...state, kind: 'stale', code: 'silent' }
    }
  }
}

function afterOpening(state: OpenState, hasSnapshot: boolean, nowMs: number): StreamState {
  if (state.kind !== 'opening' && state.kind !== 'restarting') return state
  return {
    ...historyOf(state),
    kind: hasSnapshot ? 'snapshot' : 'live',
    openedAtMs: nowMs,
    lastFrameAtMs: nowMs,
    sawData: false,
    code: 'opened',
  }
}

function afterFrame(
  state: UpState,
  frame: Frame,
  canOverlap: boolean,
  nowMs: number,
  failed: (reason: string, code: StreamReasonCode) => StreamState,
): StreamState {
  // Any frame shows that the stream is alive, whatever it contains.
  const alive: UpState =
    state.kind === 'stale'
      ? { ...state, kind: 'live', lastFrameAtMs: nowMs, code: 'frame' }
      : { ...state, lastFrameAtMs: nowMs }
  switch (frame.kind) {
    case 'going-away': {
      const reason = 'server going away'
      // A planned restart is immediate and does not count as a failed attempt. But a server that sends GoAway
      // right after the stream opened is not ready, so the stream waits.
      if (nowMs - state.openedAtMs < SOON_MS) return failed(reason, 'going-away')
      if (!canOverlap) return waiting(state, reason, 'going-away', nowMs, 0)
      return handingOver(state, { reason, code: 'going-away' }, nowMs, nowMs)
    }
    case 'fatal':
      // Another sign-in took over this session. If this stream reopened, it would end the other sign-in's
      // stream, and the two streams would keep ending each other.
      return frame.error === 'DualLogon'
        ? { kind: 'closed', reason: frame.error, code: 'dual-logon' }
        : failed(frame.error, 'stream-error')
    case 'ended':
      return frame.text === 'END'
        ? failed('ended by the service', 'ended-by-service')
        : failed(frame.text, 'stream-error')
    case 'end-snapshot':
      return alive.kind === 'live' ? alive : { ...alive, kind: 'live', code: 'snapshot-ended' }
    case 'data':
      return { ...alive, sawData: true }
    case 'heartbeat':
    case 'symbol-error':
    case 'noise':
      return alive
  }
}

const handingOver = (
  { openedAtMs, shortLives }: UpState,
  { reason, code }: Pick<Extract<StreamState, { kind: 'restarting' }>, 'reason' | 'code'>,
  lastFrameAtMs: number,
  nowMs: number,
): StreamState => ({
  kind: 'restarting',
  sinceMs: nowMs,
  reason,
  openedAtMs,
  lastFrameAtMs,
  attempt: 0,
  shortLives,
  code,
})

/** The state after the former connection has ended. Its replacement is still connecting. */
const withoutFormer = (state: Extract<StreamState, { kind: 'restarting' }>): StreamState => ({
  ...historyOf(state),
  kind: 'opening',
  sinceMs: state.sinceMs,
})

function afterFailure(
  state: OpenState,
  { reason, code }: { readonly reason: string; readonly code: StreamReasonCode },
  nowMs: number,
  livedUntil: number,
  chance: number,
): StreamState {
  const attempt = attemptsAfter(state, livedUntil)
  const retryAtMs = nowMs + retryDelayMs(RETRY.stream, attempt + 1, chance)
  const diedYoung = isUp(state) && isAbrupt(code) && state.sawData && livedUntil - state.openedAtMs < YOUNG_MS
  const shortLives = diedYoung ? state.shortLives + 1 : isUp(state) ? 0 : state.shortLives
  const next = { ...state, shortLives }
  if (!diedYoung || shortLives < HIDDEN_CAP_LIVES) return waiting(next, reason, code, retryAtMs, attempt + 1)
  const hint = `${reason} within 30 s, ${shortLives} times in a row: perhaps a hidden limit`
  return waiting(next, hint, 'hidden-cap', retryAtMs, attempt + 1)
}

/** Whether a connection ended without notice. An error in the stream counts as notice. */
const isAbrupt = (code: StreamReasonCode): boolean =>
  code === 'ended-by-service' || code === 'connection-lost'

/**
 * Last time at which a connection was healthy. If a tick found that frames stopped, this is the time of the
 * last frame. Otherwise, it is `nowMs`.
 */
const livedUntilMs = (state: OpenState, input: StreamInput, nowMs: number): number =>
  input.kind === 'tick' && isUp(state) ? state.lastFrameAtMs : nowMs

const isUp = (state: StreamState): state is UpState =>
  state.kind === 'snapshot' || state.kind === 'live' || state.kind === 'stale'

const waiting = (
  { shortLives }: OpenState,
  reason: string,
  code: StreamReasonCode,
  retryAtMs: number,
  attempt: number,
): StreamState => ({ kind: 'waiting', retryAtMs, reason, code, attempt, shortLives })

const historyOf = ({ attempt, shortLives, code }: OpenState): History => ({ attempt, shortLives, code })

function attemptsAfter(state: OpenState, nowMs: number): number {
  const healthy = isUp(state) && nowMs - state.openedAtMs >= HEALTHY_AFTER_MS
  return healthy ? 0 : state.attempt
}
