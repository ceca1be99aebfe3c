import type { Severity } from '../../../app/contract/severity.ts'
import type { RequestQuota, SlotQuota, StreamSummary } from '../../../app/contract/snapshot.ts'
import { slotStatus, streamStatus } from '../../../app/status/stream-status.ts'
import { duration, left, right, type Tone } from './cells.ts'
import { type FittedCell, leaving } from './fit.ts'

export const TONES: Readonly<Record<Severity, Tone>> = {
  ok: 'good',
  watch: 'warn',
  warning: 'warn',
  critical: 'bad',
  unknown: 'dim',
}

/** Width of the column for a desk's other machines. Without a desk, there is no such column. */
export const DESK_WIDTH = 5

/** Whether a number comes from a header or a count, and not from the documented table. */
export const isSeen = ({ source }: Pick<RequestQuota | SlotQuota, 'source'>) => source !== 'default'

/** Whether a group of slots is known to have no free slot. */
export const isFull = (slot: SlotQuota): boolean => isSeen(slot) && slot.free <= 0

/** Width of the free slots: `full 0/10`. */
const FREE_WIDTH = 10

/** The age of a quota's last header, for requests or slots. Without a header, `counted` or a dash. */
export function shortAge(
  { source, observedAt }: Pick<RequestQuota | SlotQuota, 'source' | 'observedAt'>,
  nowMs: number,
): string {
  if (source === 'default') return '–'
  if (observedAt !== undefined) return duration(nowMs - observedAt)
  return source === 'counted' ? 'counted' : '–'
}

export const slotHeading = (hasDesk: boolean): readonly FittedCell[] => [
  left('SLOTS', 24, 'dim'),
  right('FREE', FREE_WIDTH, 'dim'),
  leaving(right('OWN', 5, 'dim'), 2),
  ...(hasDesk ? [leaving(right('DESK', DESK_WIDTH, 'dim'), 2)] : []),
  leaving(right('OTHERS', 6, 'dim'), 3),
  leaving(left(' AGE', 13, 'dim'), 1),
]

/** One group of slots. */
export function slotRow(slot: SlotQuota, nowMs: number, hasDesk: boolean): readonly FittedCell[] {
  const tone = toneOf(slotStatus(slot).severity)
  const full = isFull(slot) ? `${slotStatus(slot).label} ` : ''
  return [
    left(slot.category, 24, isSeen(slot) ? 'plain' : 'dim'),
    right(`${full}${isSeen(slot) ? slot.free : '?'}/${slot.limit}`, FREE_WIDTH, tone),
    leaving(right(isSeen(slot) ? String(slot.own) : '–', 5), 2),
    ...(hasDesk ? [leaving(right(isSeen(slot) ? String(slot.desk ?? 0) : '–', DESK_WIDTH), 2)] : []),
    leaving(right(isSeen(slot) ? String(slot.elsewhere) : '–', 6), 3),
    leaving(left(` ${isSeen(slot) ? shortAge(slot, nowMs) : 'not observed'}`, 13, 'dim'), 1),
  ]
}

/** The tone of a severity. `ok` has no colour. */
export function toneOf(severity: Severity): Tone {
  return severity === 'ok' ? 'plain' : TONES[severity]
}

const targetOf = (width: number): number => width - 24 - 9 - 7 - 7 - 9 - 5

export const streamHeading = (width: number): readonly FittedCell[] => [
  left('STREAMS', 24, 'dim'),
  leaving(left('TARGET', targetOf(width), 'dim'), 1),
  left('STATE', 9, 'dim'),
  leaving(right('MSG/s', 7, 'dim'), 3),
  leaving(right('LAST', 7, 'dim'), 2),
  leaving(right('RESTARTS', 9, 'dim'), 4),
]

/** A line per stream. */
export function streamRows(
  streams: readonly StreamSummary[],
  nowMs: number,
  width: number,
): readonly (readonly FittedCell[])[] {
  const target = targetOf(width)
  return streams.map((stream) => {
    const { category, target: of, framesPerSecond, lastFrameAt, restarts } = stream
    const { label, severity } = streamStatus(stream)
    return [
      left(category, 24),
      leaving(left(of, target), 1),
      left(label, 9, TONES[severity]),
      leaving(right(framesPerSecond.toFixed(1), 7), 3),
      leaving(right(lastFrameAt === undefined ? '–' : duration(nowMs - lastFrameAt), 7), 2),
      leaving(right(String(restarts), 9), 4),
    ]
  })
}
