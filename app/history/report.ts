import type { LoggedEvent } from '../contract/events.ts'
import type {
  MachineReport,
  ProgramReport,
  Report,
  RequestReport,
  SlotReport,
  SlotSample,
} from '../contract/history.ts'
import { merged, type Rollup } from './rollup.ts'

export interface ReportInput {
  readonly profile: string
  readonly fromMs: number
  readonly toMs: number
  readonly requests: ReadonlyMap<string, readonly Rollup[]>
  /** Requests of each program, by category. */
  readonly programs?: ReadonlyMap<string, readonly ProgramReport[]>
  /** Requests of each of the desk's other machines, by category. */
  readonly machines?: ReadonlyMap<string, readonly MachineReport[]>
  /** Samples of the interval, and the sample that was valid when it began. */
  readonly slots: ReadonlyMap<string, readonly SlotSample[]>
  readonly events: readonly LoggedEvent[]
}

/** The report of one key between `fromMs` and `toMs`, epoch ms, from its rollups, slot samples and events. */
export function reportOf({
  profile,
  fromMs,
  toMs,
  requests,
  programs,
  machines,
  slots,
  events,
}: ReportInput): Report {
  const count = (kind: LoggedEvent['kind']) => events.filter((event) => event.kind === kind).length
  const refused = countsOf(events, 'rate-limited')
  return {
    profile,
    from: fromMs,
    to: toMs,
    requests: [...requests]
      .flatMap(([category, rollups]) =>
        requestReport(category, rollups, {
          refused: refused.get(category),
          used: programs?.get(category),
          shares: machines?.get(category),
        }),
      )
      .sort((a, b) => usedOf(b) - usedOf(a) || a.category.localeCompare(b.category)),
    slots: slotReports(slots, events),
    tokens: {
      refreshed: count('token-refreshed'),
      failed: count('token-refresh-failed'),
      signInRequired: count('sign-in-required'),
    },
    streams: {
      opened: count('stream-opened'),
      restarted: count('stream-restarted'),
      closed: count('stream-closed'),
    },
    unreachable: count('service-unreachable'),
  }
}

const usedOf = ({ own, elsewhere, desk = 0 }: RequestReport) => own + elsewhere + desk

/** Data about a category in addition to its rollups. */
interface Besides {
  readonly refused: number | undefined
  readonly used: readonly ProgramReport[] | undefined
  readonly shares: readonly MachineReport[] | undefined
}

function requestReport(
  category: string,
  rollups: readonly Rollup[],
  { refused = 0, used = [], shares = [] }: Besides,
): readonly RequestReport[] {
  const [first, ...rest] = rollups
  if (!first) return []
  const { limit, own, elsewhere, low, nearMs, knownMs, ...all } = rest.reduce(merged, first)
  // 429s are counted in the rollups and in the events, so the larger count is used and not the sum. The
  // simulator's past 429s are only in the events.
  const rejected = Math.max(all.rejected, refused)
  const machines = shares.toSorted((a, b) => b.requests - a.requests || a.machine.localeCompare(b.machine))
  const desk = machines.reduce((sum, { requests }) => sum + requests, 0)
  const programs = used.toSorted((a, b) => b.requests - a.requests || a.program.localeCompare(b.program))
  return [
    {
      ...{
        category,
        limit,
        own,
        elsewhere,
        ...(desk > 0 && { desk, machines }),
        rejected,
        lowest: low,
        nearMs,
        knownMs,
      },
      ...(programs.length > 0 && { programs }),
    },
  ]
}

function slotReports(slots: ReportInput['slots'], events: readonly LoggedEvent[]): readonly SlotReport[] {
  const refused = countsOf(events, 'slots-exhausted')
  const categories = new Set([...slots.keys(), ...refused.keys()])
  return [...categories].sort().map((category) => {
    const samples = slots.get(category) ?? []
    const most = (of: (sample: SlotSample) => number) => Math.max(0, ...samples.map(of))
    return {
      category,
      limit: samples.at(-1)?.limit ?? 0,
      refused: refused.get(category) ?? 0,
      mostOwn: most((sample) => sample.own),
      mostElsewhere: most((sample) => sample.elsewhere),
      leastFree: samples.length === 0 ? 0 : Math.min(...samples.map((sample) => sample.free)),
    }
  })
}

function countsOf(
  events: readonly LoggedEvent[],
  kind: 'rate-limited' | 'slots-exhausted',
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const event of events) {
    if (event.kind === kind) counts.set(event.category, (counts.get(event.category) ?? 0) + 1)
  }
  return counts
}
