import type { StreamSummary } from '../../../app/contract/snapshot.ts'
import { duration, left, right, type Tone } from './cells.ts'
import { type FittedCell, leaving } from './fit.ts'

const STREAM_TONES: Readonly<Record<StreamSummary['state'], Tone>> = {
  opening: 'warn',
  snapshot: 'good',
  live: 'good',
  stale: 'bad',
  waiting: 'warn',
  closed: 'dim',
}

/** A heading, and a line for each stream. */
export function streamRows(
  streams: readonly StreamSummary[],
  nowMs: number,
  width: number,
): readonly (readonly FittedCell[])[] {
  const target = width - 24 - 9 - 7 - 7 - 9 - 5
  const row = ({ category, target: of, state, framesPerSecond, lastFrameAt, restarts }: StreamSummary) => [
    left(category, 24),
    leaving(left(of, target), 1),
    left(state, 9, STREAM_TONES[state]),
    leaving(right(framesPerSecond.toFixed(1), 7), 3),
    leaving(right(lastFrameAt === undefined ? '–' : duration(nowMs - lastFrameAt), 7), 2),
    leaving(right(String(restarts), 9), 4),
  ]
  const heading = [
    left('STREAMS', 24, 'dim'),
    leaving(left('TARGET', target, 'dim'), 1),
    left('STATE', 9, 'dim'),
    leaving(right('MSG/s', 7, 'dim'), 3),
    leaving(right('LAST', 7, 'dim'), 2),
    leaving(right('RESTARTS', 9, 'dim'), 4),
  ]
  return [heading, ...streams.map(row)]
}
