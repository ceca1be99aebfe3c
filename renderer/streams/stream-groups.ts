import { mostUrgent } from '../../app/contract/severity.ts'
import type { StreamSummary } from '../../app/contract/snapshot.ts'
import { STREAM_TABLE, streamKindOf } from '../../app/service/stream-kinds.ts'
import { streamKindName, streamStatus } from '../../app/status/stream-status.ts'

export type StreamGroup = ReturnType<typeof streamGroups>[number]
export type StreamsOfKind = StreamGroup['kinds'][number]

/** From this number on, the streams of a kind form one line. */
const FOLDED_FROM = 4

const NAMES = { account: 'Account', 'market-data': 'Market data', closed: 'Closed' } as const
type GroupId = keyof typeof NAMES
const TARGETS_OF_ACCOUNTS: readonly string[] = ['accounts', 'orders']

/** Headroom's own streams in groups, in order of opening. Closed streams are last. Omits empty groups. */
export function streamGroups(streams: readonly StreamSummary[]) {
  return (['account', 'market-data', 'closed'] as const).flatMap((id) => {
    const of = streams.filter((stream) => groupOf(stream) === id)
    return of.length === 0 ? [] : [{ id, name: NAMES[id], states: statesText(of), kinds: kindsOf(of, id) }]
  })
}

function groupOf({ category, streamKind, state }: StreamSummary): GroupId {
  if (state === 'closed') return 'closed'
  const kind = streamKind ?? streamKindOf(category)
  return kind !== undefined && TARGETS_OF_ACCOUNTS.includes(STREAM_TABLE[kind]?.target ?? '')
    ? 'account'
    : 'market-data'
}

function kindsOf(streams: readonly StreamSummary[], id: GroupId) {
  const byName =
    id === 'closed'
      ? new Map([[NAMES.closed, [...streams]]])
      : Map.groupBy(streams, (one) => streamKindName(one))
  return [...byName].map(([name, of]) => ({
    name,
    streams: of,
    /** Whether the streams form one line until expanded. */
    folds: id !== 'closed' && of.length >= FOLDED_FROM,
    severity: mostUrgent(of.map((one) => streamStatus(one)))?.severity ?? 'unknown',
    framesPerSecond: of.reduce((sum, { framesPerSecond }) => sum + framesPerSecond, 0),
    states: statesText(of),
  }))
}

/** The number of streams in each state: `8 live, 1 silent`. */
function statesText(streams: readonly StreamSummary[]): string {
  const byLabel = Map.groupBy(streams, (stream) => streamStatus(stream).label)
  return [...byLabel].map(([label, of]) => `${of.length} ${label}`).join(', ')
}
