import type { StreamSummary } from '../../app/contract/snapshot.ts'
import { sinceText, untilText } from '../../app/status/durations.ts'
import { listText } from '../../app/status/rates.ts'

/** How long a stream has been open. A dash if it is not open. */
export function sinceOpened(stream: StreamSummary, nowMs: number): string {
  return stream.openedAt === undefined ? '—' : sinceText(stream.openedAt, nowMs)
}

/** Why a stream is not live, and when it is retried. Empty for a live stream. */
export function streamReason(stream: StreamSummary, nowMs: number): string {
  if (stream.state === 'live' || stream.state === 'snapshot') return ''
  const silent =
    stream.state === 'stale' && stream.lastFrameAt !== undefined
      ? `no frame for ${sinceText(stream.lastFrameAt, nowMs)}`
      : ''
  const retry =
    stream.retryAt === undefined
      ? ''
      : stream.retryAt > nowMs
        ? `next try in ${untilText(stream.retryAt, nowMs)}`
        : 'trying now'
  // The row already says that the stream is closed, so the reason does not repeat it.
  const reason = stream.state === 'closed' ? stream.reason?.replace(/^closed /, '') : stream.reason
  return [reason, silent, retry].filter(Boolean).join(' · ')
}

/**
 * An error of the service as text, with its code: `invalid symbol (EX_INVALID_SYMBOL)`. A text without a code
 * stays unchanged.
 */
function inWords(error: string): string {
  const code = /\bEX_([A-Z]+(?:_[A-Z]+)*)\b/.exec(error)?.[1]
  return code === undefined ? error : `${code.toLowerCase().replaceAll('_', ' ')} (${error})`
}

/** The symbols that the service rejected, by error. The stream continues without them. */
export function unservedText({ symbolErrors = [] }: StreamSummary): string {
  const byError = Map.groupBy(symbolErrors, ({ error }) => error)
  return [...byError]
    .map(
      ([error, all]) =>
        `${listText([...new Set(all.map(({ symbol }) => symbol))])} rejected: ${inWords(error)}`,
    )
    .join(' · ')
}
