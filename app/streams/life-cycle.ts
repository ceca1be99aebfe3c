import { type Backoff, backoffMs } from './backoff.ts'
import type { Frame } from './frames.ts'

/** Where one stream stands. Times in milliseconds on one clock. */
export type StreamState =
  | { readonly kind: 'opening'; readonly sinceMs: number; readonly attempt: number }
  | {
      readonly kind: 'snapshot' | 'live' | 'stale'
      readonly openedAtMs: number
      readonly lastFrameAtMs: number
      readonly attempt: number
    }
  | {
      readonly kind: 'waiting'
      readonly retryAtMs: number
      readonly reason: string
      readonly attempt: number
    }
  | { readonly kind: 'closed'; readonly reason: string }

export type StreamInput =
  | { readonly kind: 'opened'; readonly hasSnapshot: boolean }
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'ended'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly retryAtMs: number }
  /** Nothing a retry can mend: an unknown account, a key without the right. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'tick' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'close'; readonly reason: string }

/** Heartbeats come every 5 s: 15 s without a frame is stale, 30 s is dead (public reference, streams). */
export const SILENCE = { staleMs: 15_000, deadMs: 30_000 } as const

/** A stream told to go away this soon after it opened was not a stream yet. */
const SOON_MS = 2_000

/**
 * The next state of a stream. Frames, not the socket, say that a stream lives.
 *
 * `chance` in [0, 1) is drawn by the caller for the backoff.
 */
export function nextStreamState(
  state: StreamState,
  input: StreamInput,
  nowMs: number,
  backoff: Backoff,
  chance: number,
): StreamState {
  if (state.kind === 'closed') return state
  const isUp = state.kind === 'snapshot' || state.kind === 'live' || state.kind === 'stale'
  // Silence is no health: a stream that ends by it lived as long as its last frame.
  const livedUntilMs = input.kind === 'tick' && isUp ? state.lastFrameAtMs : nowMs
  const attempt = attemptsAfter(state, livedUntilMs, backoff)
  const again = (reason: string): StreamState => ({
    kind: 'waiting',
    reason,
    retryAtMs: nowMs + backoffMs(backoff, attempt, chance),
    attempt: attempt + 1,
  })
  switch (input.kind) {
    case 'close':
    case 'failed':
      return { kind: 'closed', reason: input.reason }
    case 'retry':
      if (state.kind !== 'waiting') return state
      return { kind: 'opening', sinceMs: nowMs, attempt }
    case 'refused':
      if (state.kind === 'waiting') return state
      return { kind: 'waiting', reason: input.reason, retryAtMs: input.retryAtMs, attempt: attempt + 1 }
    case 'ended':
      return state.kind === 'waiting' ? state : again(input.reason)
    case 'opened':
      if (state.kind !== 'opening') return state
      return {
        kind: input.hasSnapshot ? 'snapshot' : 'live',
        openedAtMs: nowMs,
        lastFrameAtMs: nowMs,
        attempt,
      }
    case 'frame':
      return isUp ? afterFrame(state, input.frame, nowMs, again) : state
    case 'tick': {
      if (!isUp) return state
      const silentMs = nowMs - state.lastFrameAtMs
      if (silentMs >= SILENCE.deadMs) return again('silent for 30 s')
      return silentMs >= SILENCE.staleMs && state.kind !== 'stale' ? { ...state, kind: 'stale' } : state
    }
  }
}

function afterFrame(
  state: Extract<StreamState, { openedAtMs: number }>,
  frame: Frame,
  nowMs: number,
  again: (reason: string) => StreamState,
): StreamState {
  // Any frame is a sign of life, also one that is about something else.
  const kind = state.kind === 'stale' ? 'live' : state.kind
  const alive: StreamState = { ...state, kind, lastFrameAtMs: nowMs }
  switch (frame.kind) {
    case 'going-away':
      // A planned restart, not a failure: at once, and it does not count as an attempt. A server that says so
      // as soon as it is asked has none to offer: that is waited out.
      if (nowMs - state.openedAtMs < SOON_MS) return again('server going away')
      return { kind: 'waiting', reason: 'server going away', retryAtMs: nowMs, attempt: 0 }
    case 'fatal':
      // Another sign-in took this session's place: reopening would only take it back and forth.
      return frame.error === 'DualLogon' ? { kind: 'closed', reason: frame.error } : again(frame.error)
    case 'ended':
      return again(frame.text === 'END' ? 'ended by the service' : frame.text)
    case 'end-snapshot':
      return { ...alive, kind: 'live' }
    case 'data':
    case 'heartbeat':
    case 'symbol-error':
    case 'noise':
      return alive
  }
}

function attemptsAfter(
  state: Exclude<StreamState, { kind: 'closed' }>,
  nowMs: number,
  backoff: Backoff,
): number {
  const healthy = 'openedAtMs' in state && nowMs - state.openedAtMs >= backoff.healthyAfterMs
  return healthy ? 0 : state.attempt
}
