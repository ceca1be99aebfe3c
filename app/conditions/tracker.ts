import { BEGINS, ENDS, eventSchemas, type KeyReport, type MonitorEvent } from '../contract/events.ts'
import { Lifetime } from './lifetime.ts'

/** A lasting condition, from start to end. */
interface Tracked {
  readonly id: string
  readonly lifetime: Lifetime
  count: number
  /** The last report that changed anything, and its time in epoch ms. */
  last: KeyReport
  lastAtMs: number
}

type Lasting = (typeof BEGINS)[keyof typeof BEGINS]

/**
 * Gives each lasting condition one id from its first report to its end, however often it is reported.
 *
 * Other modules report everything that they observe. The tracker decides which reports are events. If a
 * condition recurs before its alert would be withdrawn, the tracker treats it as the same condition.
 */
export class ConditionTracker {
  readonly #known = new Map<string, Tracked>()

  /**
   * The event for a report at `atMs`, epoch ms. `undefined` if nothing changed, or for the end of a condition
   * that was never reported.
   */
  eventOf(report: KeyReport, atMs: number): MonitorEvent | undefined {
    const at = Math.round(atMs)
    const lasting = lastingOf(report)
    if (lasting !== undefined) return this.#seen(report, lasting, at)
    const begun = report.kind in ENDS ? rowOf(ENDS[report.kind as keyof typeof ENDS]) : undefined
    if (begun === undefined) return report as MonitorEvent
    const was = this.#known.get(keyOf(report, begun))
    if (!was?.lifetime.isPresent) return isOnlyEnd(report) ? undefined : (report as MonitorEvent)
    was.lifetime.missed(at)
    return ended(report, was, begun)
  }

  #seen(report: KeyReport, lasting: Lasting, at: number): MonitorEvent | undefined {
    const known = this.#known.get(keyOf(report, lasting))
    if (known?.lifetime.isPresent && !isNews(known.last, report, lasting)) return undefined
    const tracked = known?.lifetime.isSame(at) ? known : this.#begin(report, lasting, at)
    tracked.count = lasting.news === 'each' && tracked.last.kind === report.kind ? tracked.count + 1 : 1
    tracked.lifetime.seen()
    tracked.last = report
    tracked.lastAtMs = at
    return { ...report, ...identityOf(tracked) } as MonitorEvent
  }

  #begin(report: KeyReport, lasting: Lasting, at: number): Tracked {
    for (const [old, { lifetime }] of this.#known) if (!lifetime.isSame(at)) this.#known.delete(old)
    const key = keyOf(report, lasting)
    const lifetime = new Lifetime(lasting.name, at)
    const tracked = { id: `${key}@${at}`, lifetime, count: 0, last: report, lastAtMs: at }
    this.#known.set(key, tracked)
    return tracked
  }
}

/** Whether an event begins or repeats a lasting condition. */
export const beginsCondition = (report: KeyReport): boolean => lastingOf(report) !== undefined

function lastingOf(report: KeyReport): Lasting | undefined {
  const row = rowOf(report.kind)
  return row?.of(report) === undefined ? undefined : row
}

const rowOf = (kind: string): Lasting | undefined =>
  (BEGINS as Readonly<Record<string, Lasting | undefined>>)[kind]

const keyOf = (report: KeyReport, { name, of }: Lasting): string =>
  [name, of(report)].filter(Boolean).join('/')

const identityOf = ({ id, count }: Tracked) => ({ id, ...(count > 1 && { count }) })

function isNews(last: KeyReport, report: KeyReport, { news }: Lasting): boolean {
  const [before, now] = [last, report] as unknown as readonly Readonly<Record<string, unknown>>[]
  return news === 'each' || news.some((field) => before?.[field] !== now?.[field])
}

const SHAPES = new Map(eventSchemas.map(({ shape }) => [shape.kind.def.values[0] as string, shape as object]))

/** Whether a report can only mean the end of a condition. Schemas of such reports have the field `since`. */
const isOnlyEnd = (report: KeyReport): boolean => 'since' in (SHAPES.get(report.kind) ?? {})

/** The event for the end of a condition. Contains the fields of its schema that were known at the start. */
function ended(report: KeyReport, was: Tracked, { news }: Lasting): MonitorEvent {
  const { last, count, lifetime, lastAtMs } = was
  const known = {
    refused: count,
    since: 'since' in last ? last.since : news === 'each' ? lifetime.sinceMs : lastAtMs,
    ...('state' in last && { state: last.state }),
  }
  const shape = SHAPES.get(report.kind) ?? {}
  const added = Object.entries(known).filter(([field]) => field in shape)
  return { ...report, ...identityOf(was), ...Object.fromEntries(added) } as MonitorEvent
}
