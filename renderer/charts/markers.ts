import type { LoggedEvent } from '../../app/contract/events.ts'
import { sessionMoments } from '../../app/status/regular-session.ts'

/** An event on the chart that explains a change of the line. */
export interface ChartMarker {
  readonly kind: '429' | 'GoAway' | 'token' | 'sign-in' | 'open' | 'close'
  /** Epoch ms. */
  readonly at: number
  /**
   * Row of the marker's label, 0 at the top. Labels that are close to each other have different rows.
   * `undefined` if no row has room.
   */
  readonly lane: number | undefined
  /** Side of the line for the label. `left` if there is no room on the right. */
  readonly side: 'left' | 'right'
}

/**
 * Minimum distance between markers of one kind, as a share of the range. Closer markers are merged, because
 * their labels would overlap.
 */
const MIN_DISTANCE = 1 / 25
/** The share of the range that a label takes up on a narrow chart. */
const LABEL_WIDTH = 0.14
const LANES = 3

/**
 * The markers of a time range, oldest first. `profile` is the displayed key. `events` may include events of
 * other keys.
 *
 * Markers show the row's 429s, events of the key's streams, tokens and sign-in, and when the regular session
 * opens and closes.
 */
export function chartMarkers(
  events: readonly LoggedEvent[],
  rejectedAt: readonly number[],
  {
    profile,
    fromMs,
    toMs,
  }: { readonly profile: string | undefined; readonly fromMs: number; readonly toMs: number },
): readonly ChartMarker[] {
  const markers = [
    ...sessionMoments(fromMs, toMs),
    ...rejectedAt.map((at): Pick<ChartMarker, 'kind' | 'at'> => ({ kind: '429', at })),
    ...events.flatMap((event): readonly Pick<ChartMarker, 'kind' | 'at'>[] => {
      const kind = event.profile === profile ? kindOf(event) : undefined
      return kind === undefined ? [] : [{ kind, at: event.at }]
    }),
  ]
  const last = new Map<ChartMarker['kind'], number>()
  const shown = markers
    .filter(({ at }) => at >= fromMs && at <= toMs)
    .sort((a, b) => a.at - b.at)
    .filter(({ kind, at }) => {
      const before = last.get(kind)
      if (before !== undefined && at - before < (toMs - fromMs) * MIN_DISTANCE) return false
      last.set(kind, at)
      return true
    })
  return placedMarkers(shown, { toMs, labelMs: (toMs - fromMs) * LABEL_WIDTH })
}

/** `toMs` is the end of the marked range, epoch ms. `labelMs` is the time on the axis that a label covers. */
interface MarkerSpan {
  readonly toMs: number
  readonly labelMs: number
}

export function placedMarkers(markers: readonly Pick<ChartMarker, 'kind' | 'at'>[], span: MarkerSpan) {
  // Events of the key get labels first, because the ten session times of a week could take all the room.
  const inTurn = [...markers.filter((marker) => !isOfSession(marker)), ...markers.filter(isOfSession)]
  const placed: ChartMarker[] = []
  for (const marker of inTurn) placed.push(placeOf(marker, placed, span))
  return placed.sort((a, b) => a.at - b.at)
}

type Moment = Pick<ChartMarker, 'kind' | 'at'>

const isOfSession = ({ kind }: Moment): boolean => kind === 'open' || kind === 'close'

/** Side and row of a label. Avoids the labels in `placed`. */
function placeOf(marker: Moment, placed: readonly ChartMarker[], { toMs, labelMs }: MarkerSpan): ChartMarker {
  const sideOf = ({ at }: Moment) => (at > toMs - labelMs ? 'left' : 'right')
  const labelAt = (one: Moment) => (sideOf(one) === 'left' ? one.at - labelMs : one.at)
  const lane = [...Array(LANES).keys()].find((at) =>
    placed.every((other) => other.lane !== at || Math.abs(labelAt(other) - labelAt(marker)) >= labelMs),
  )
  return { kind: marker.kind, at: marker.at, side: sideOf(marker), lane }
}

function kindOf(event: LoggedEvent): ChartMarker['kind'] | undefined {
  switch (event.kind) {
    case 'stream-restarted':
      return event.reason === 'server going away' ? 'GoAway' : undefined
    case 'token-refreshed':
      return 'token'
    case 'sign-in-required':
    case 'signed-in':
    case 'revoked':
      return 'sign-in'
    default:
      return undefined
  }
}
