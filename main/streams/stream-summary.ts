import type { StreamSummary } from '../../app/contract/snapshot.ts'
import type { StreamState } from '../../app/streams/life-cycle.ts'
import type { StreamReasonCode } from '../../app/streams/reasons.ts'

export interface Reason {
  readonly text: string
  readonly code: StreamReasonCode
}

/** The part of a summary that follows from the state; `last` is why it is being opened again. */
export function summaryOf(
  state: StreamState,
  last: Reason | undefined,
): Pick<StreamSummary, 'state' | 'openedAt' | 'lastFrameAt' | 'reason' | 'reasonCode' | 'retryAt'> {
  const isAtRest = state.kind === 'waiting' || state.kind === 'closed'
  const reason = isAtRest ? { text: state.reason, code: state.code } : last
  return {
    // A restarting one is still heard, which is what matters to whoever looks at it.
    state: state.kind === 'restarting' ? 'live' : state.kind,
    ...('openedAtMs' in state && {
      openedAt: Math.round(state.openedAtMs),
      lastFrameAt: Math.round(state.lastFrameAtMs),
    }),
    ...(reason && { reason: reason.text, reasonCode: reason.code }),
    ...(state.kind === 'waiting' && { retryAt: Math.round(state.retryAtMs) }),
  }
}
