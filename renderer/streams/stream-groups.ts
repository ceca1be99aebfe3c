import { mostUrgent, type Severity } from '../../app/contract/severity.ts'
import type { StreamSummary } from '../../app/contract/snapshot.ts'
import { STREAM_TABLE, streamKindOf } from '../../app/service/stream-kinds.ts'
import { streamKindName, streamStatus } from '../../app/status/stream-status.ts'

/** Streams of one kind, as rows or, if there are many, as one line. */
export interface StreamsOfKind {
  readonly name: string
  readonly streams: readonly StreamSummary[]
  /** Whether the streams form one line until expanded. */
  readonly folds: boolean
  readonly severity: Severity
  readonly framesPerSecond: number
  /** The number of streams in each state: `8 live, 1 silent`. */
  readonly states: string
}

export interface StreamGroup {
  readonly id: 'account' | 'market-data' | 'closed'
  readonly name: string
  /** The number of streams in each state: `10 live, 1 silent`. */
  readonly states: string
  readonly kinds: readonly StreamsOfKind[]
}

/** From this number on, the streams of a kind form one line. */
const FOLDED_FROM = 4

const NAMES = { account: 'Account', 'market-data': 'Market data', closed: 'Closed' } as const
const TARGETS_OF_ACCOUNTS: readonly string[] = ['accounts', 'orders']

/** Headroom's own streams in groups, in order of opening. Closed streams are last. Omits empty groups. */
export function streamGroups(streams: readonly StreamSummary[]): readonly StreamGroup[] {
  return (['account', 'market-data', 'closed'] as const).flatMap((id) => {
    const of = streams.filter((stream) => groupOf(stream) === id)
    return of.length === 0 ? [] : [{ id, name: NAMES[id], states: statesText(of), kinds: kindsOf(of, id) }]
  })
}

function groupOf({ category, streamKind, state }: StreamSummary): StreamGroup['id'] {
  if (state === 'closed') return 'closed'
  const kind = streamKind ?? streamKindOf(category)
  return kind !== undefined && TARGETS_OF_ACCOUNTS.includes(STREAM_TABLE[kind]?.target ?? '')
    ? 'account'
    : 'market-data'
}

function kindsOf(streams: readonly StreamSummary[], id: StreamGroup['id']): readonly StreamsOfKind[] {
  const byName =
    id === 'closed'
      ? new Map([[NAMES.closed, [...streams]]])
      : Map.groupBy(streams, (one) => streamKindName(one))
  return [...byName].map(([name, of]) => ({
    name,
    streams: of,
    folds: id !== 'closed' && of.length >= FOLDED_FROM,
    severity: mostUrgent(of.map((one) => streamStatus(one)))?.severity ?? 'unknown',
    framesPerSecond: of.reduce((sum, { framesPerSecond }) => sum + framesPerSecond, 0),
    states: statesText(of),
  }))
}

function statesText(streams: readonly StreamSummary[]): string {
  const byLabel = Map.groupBy(streams, (stream) => streamStatus(stream).label)
  return [...byLabel].map(([label, of]) => `${of.length} ${label}`).join(', ')
}
