import type { RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import { shownRows } from '../../app/quota/verdict.ts'
import { streamKindOf } from '../../app/service/stream-kinds.ts'
import { durationText } from '../../app/status/durations.ts'

/**
 * A person's arrangement of the table's rows, by category. Unknown categories are kept, because they could
 * appear again.
 */
export interface RowArrangement {
  /** Order of the rows. Rows that are missing here follow in the service's order. */
  readonly order: readonly string[]
  readonly hidden: readonly string[]
  /** Rows that are shown above all groups. */
  readonly pinned: readonly string[]
}

export const AS_DELIVERED: RowArrangement = { order: [], hidden: [], pinned: [] }

const GROUP_NAMES = {
  pinned: 'Pinned',
  rest: 'REST',
  options: 'Options',
  'stream-opens': 'Stream opens',
} as const
export type RowGroupId = keyof typeof GROUP_NAMES
const GROUP_IDS = Object.keys(GROUP_NAMES) as readonly RowGroupId[]

export type RowGroup = ReturnType<typeof rowGroups>[number]

export interface TableView {
  readonly open: readonly RowGroupId[]
  readonly chosen: string | undefined
}

/** The groups of the table, without empty groups and hidden rows. A chosen hidden row is shown. */
export function rowGroups(
  snapshot: Pick<Snapshot, 'requests'>,
  arrangement: RowArrangement,
  { open, chosen }: TableView,
) {
  const rows = arranged(shownRows(snapshot.requests), arrangement)
  // A hidden row may be chosen from another place, such as an alert.
  const shown = rows.filter(({ category }) => category === chosen || !arrangement.hidden.includes(category))
  const isAnySeen = rows.some((row) => row.source !== 'default')
  return GROUP_IDS.flatMap((id) => {
    const of = shown.filter((row) => groupOf(row.category, arrangement) === id)
    if (of.length === 0) return []
    const isOpen = open.includes(id)
    const isFolded = (row: RequestQuota) => isAnySeen && id !== 'pinned' && isUnseen(row)
    return [
      {
        id,
        name: GROUP_NAMES[id],
        window: windowText(of),
        rows: of
          .filter((row) => isOpen || !isFolded(row) || row.category === chosen)
          .map(({ category }) => category),
        /** Number of rows without a header so far. Such rows are shown if `isOpen`. */
        unseen: of.filter(isFolded).length,
        isOpen,
      },
    ]
  })
}

/** The categories of all groups, in the order on the screen. */
export const rowsOf = (groups: readonly RowGroup[]): readonly string[] => groups.flatMap(({ rows }) => rows)

/**
 * Whether a row has no data and no planned check. A row that will be checked soon counts as seen, so that
 * rows do not appear one by one at the start.
 */
function isUnseen({ source, nextCheckAt, problem }: RequestQuota): boolean {
  return source === 'default' && nextCheckAt === undefined && problem === undefined
}

export function groupOf(category: string, { pinned }: RowArrangement): RowGroupId {
  if (pinned.includes(category)) return 'pinned'
  if (streamKindOf(category) !== undefined || /\bstream\b/i.test(category)) return 'stream-opens'
  return /^option/i.test(category) ? 'options' : 'rest'
}

/** The periods of some quotas as text, such as `5 min window` or `1 min and 5 min windows`. */
function windowText(rows: readonly RequestQuota[]): string {
  const periods = [...new Set(rows.map(({ period }) => period))].sort((a, b) => a - b)
  const texts = periods.map((seconds) =>
    seconds % 60 === 0 && seconds < 3600 ? `${seconds / 60} min` : durationText(seconds),
  )
  return `${texts.join(' and ')} ${texts.length === 1 ? 'window' : 'windows'}`
}

function arranged(rows: readonly RequestQuota[], { order }: RowArrangement): readonly RequestQuota[] {
  const placeOf = new Map(order.map((category, index) => [category, index]))
  const place = ({ category }: RequestQuota) => placeOf.get(category) ?? order.length
  return rows.toSorted((a, b) => place(a) - place(b))
}

/**
 * Moves a row before or after another row of its group. `requests` are all rows, including hidden and folded
 * ones.
 */
export function movedTo(
  requests: readonly RequestQuota[],
  arrangement: RowArrangement,
  category: string,
  target: string,
): RowArrangement {
  const order = arranged(requests, arrangement).map((row) => row.category)
  const [from, to] = [order.indexOf(category), order.indexOf(target)]
  if (from < 0 || to < 0 || groupOf(category, arrangement) !== groupOf(target, arrangement))
    return arrangement
  return { ...arrangement, order: order.toSpliced(from, 1).toSpliced(to, 0, category) }
}

/** Moves a row one place up or down among the visible rows of its group. */
export function movedBy(
  requests: readonly RequestQuota[],
  arrangement: RowArrangement,
  {
    groups,
    category,
    by,
  }: { readonly groups: readonly RowGroup[]; readonly category: string; readonly by: 1 | -1 },
): RowArrangement {
  const rows = groups.find((group) => group.rows.includes(category))?.rows ?? []
  const target = rows[rows.indexOf(category) + by]
  return target === undefined ? arrangement : movedTo(requests, arrangement, category, target)
}

/** Pins a row to the top of the table, or returns it to its group. */
export const pinToggled = (arrangement: RowArrangement, category: string): RowArrangement => ({
  ...arrangement,
  pinned: toggled(arrangement.pinned, category),
})

/** Hides a row, or shows it again. A hidden row still counts for the headline and for alerts. */
export const hideToggled = (arrangement: RowArrangement, category: string): RowArrangement => ({
  ...arrangement,
  hidden: toggled(arrangement.hidden, category),
})

const toggled = (list: readonly string[], one: string): readonly string[] =>
  list.includes(one) ? list.filter((other) => other !== one) : [...list, one]

/** The stored arrangement. The default if the text is invalid. */
export function storedArrangement(text: string | null): RowArrangement {
  try {
    const parsed: unknown = JSON.parse(text ?? '')
    const listOf = (name: keyof RowArrangement): readonly string[] => {
      const list = (parsed as Record<string, unknown> | null)?.[name]
      return Array.isArray(list) ? list.filter((one) => typeof one === 'string').slice(0, MAX_STORED) : []
    }
    return { order: listOf('order'), hidden: listOf('hidden'), pinned: listOf('pinned') }
  } catch {
    return AS_DELIVERED
  }
}

/** Maximum number of stored categories in a list. The service has far fewer. */
const MAX_STORED = 200
