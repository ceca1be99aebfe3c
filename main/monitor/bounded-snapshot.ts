import type { DeskMember } from '../../app/contract/desk.ts'
import { urgencyOf } from '../../app/contract/severity.ts'
import type {
  ProgramSummary,
  RequestQuota,
  SlotQuota,
  Snapshot,
  StreamSummary,
} from '../../app/contract/snapshot.ts'
import { gravityOf } from '../../app/quota/state.ts'
import { slotStatus, streamStatus } from '../../app/status/stream-status.ts'

/**
 * Maximum size of the snapshots of all connected keys together, in bytes of JSON as UTF-8. A window that has
 * about twice as much unread data is disconnected from its push stream.
 */
export const MAX_SNAPSHOTS_BYTES = 512_000

/** The lists of a snapshot whose lengths depend on programs and the service. */
interface Lists {
  readonly requests: readonly RequestQuota[]
  readonly slots: readonly SlotQuota[]
  readonly streams: readonly StreamSummary[]
  readonly programs: readonly ProgramSummary[]
}

type ListName = keyof Lists

/**
 * Share of the available bytes that is reserved for each list. Bytes that a list does not use are available
 * to the next list, and finally to the data about programs' use.
 */
const SHARES: Readonly<Record<ListName, number>> = {
  requests: 0.3,
  slots: 0.05,
  streams: 0.25,
  programs: 0.2,
}
/** Minimum share of the available bytes for the data about programs' use. */
const USE_SHARE = 0.2
/**
 * Maximum share of all bytes for a desk. Its machines always fit, but some of their programs and counts may
 * be left out.
 */
const DESK_SHARE = 0.2
const LIST_NAMES = Object.keys(SHARES) as readonly ListName[]

/** Priorities of an item, most significant first. Its problems come before its use. */
const WORTHS: { readonly [K in ListName]: (item: Lists[K][number]) => Worth } = {
  requests: ({ state, use, observedAt = 0 }) => [
    state === 'not-checked' ? -1 : gravityOf(state),
    use?.total ?? 0,
    observedAt,
  ],
  slots: (slot) => [urgencyOf(slotStatus(slot).severity), slot.own + slot.elsewhere],
  streams: (stream) => [urgencyOf(streamStatus(stream).severity), stream.framesPerSecond],
  programs: ({ waiting, perSecond, lastSeenAt = 0 }) => [waiting, perSecond, lastSeenAt],
}

type Worth = readonly number[]

/** Larger than any count in `unlisted`, so that enough room is reserved for its digits. */
const MAX_COUNT = 999_999

/**
 * The snapshot in at most `maxBytes` of JSON. If it does not fit, the least important items are left out, and
 * `unlisted` counts them. Items with problems are the most important, then items with the most use. The order
 * of the items does not change.
 */
export function boundedSnapshot(whole: Snapshot, maxBytes: number): Snapshot {
  if (bytesOf(whole) <= maxBytes) return whole
  const snapshot = withBoundedDesk(whole, maxBytes * DESK_SHARE)
  const lists: Lists = {
    requests: snapshot.requests.map(withoutPrograms),
    slots: snapshot.slots,
    streams: snapshot.streams,
    programs: snapshot.programs?.map(withoutUse) ?? [],
  }
  const empty = Object.fromEntries(LIST_NAMES.map((name) => [name, []]))
  const counts = Object.fromEntries(LIST_NAMES.map((name) => [name, MAX_COUNT]))
  const room = new Room(maxBytes - bytesOf({ ...snapshot, ...empty, unlisted: counts }))
  const kept = keptItems(lists, room)
  const { requests, programs } = withUse(
    lists.requests.filter((row) => kept.has(row)),
    lists.programs.filter((program) => kept.has(program)),
    snapshot,
    room,
  )
  const unlisted = LIST_NAMES.flatMap((name) => {
    const count = lists[name].filter((item: object) => !kept.has(item)).length
    return count === 0 ? [] : [[name, count] as const]
  })
  return {
    ...snapshot,
    requests,
    slots: lists.slots.filter((slot) => kept.has(slot)),
    streams: lists.streams.filter((stream) => kept.has(stream)),
    ...(snapshot.programs && { programs }),
    ...(unlisted.length > 0 && { unlisted: Object.fromEntries(unlisted) }),
  }
}

/** Steps that shorten a desk, applied in this order until the desk fits. */
const OMISSIONS: readonly ((member: DeskMember) => DeskMember)[] = [
  ({ counted: _, ...member }) => member,
  ({ programs, ...member }) =>
    programs === undefined ? member : { ...member, programs: programs.map(({ use: _, ...rest }) => rest) },
  ({ programs: _, ...member }) => member,
]

/** Applies the steps of `OMISSIONS` in order until the desk fits into `maxBytes`. */
function withBoundedDesk(snapshot: Snapshot, maxBytes: number): Snapshot {
  let { desk } = snapshot
  if (desk === undefined) return snapshot
  for (const without of OMISSIONS)
    if (bytesOf(desk) > maxBytes) desk = { ...desk, members: desk.members.map(without) }
  return { ...snapshot, desk }
}

/** The items that fit. Each list first fills its own share, then bytes that other lists do not use. */
function keptItems(lists: Lists, room: Room): ReadonlySet<object> {
  const kept = new Set<object>()
  const whole = room.bytes
  const fill = (items: readonly object[], bytes: number) => {
    const part = new Room(bytes)
    for (const item of items) if (!kept.has(item) && part.takes(bytesOf(item))) kept.add(item)
    room.bytes -= bytes - part.bytes
  }
  const ranked = LIST_NAMES.map((name) => ({ items: rankedItems(lists, name), share: whole * SHARES[name] }))
  for (const { items, share } of ranked) fill(items, share)
  for (const { items } of ranked) fill(items, room.bytes - whole * USE_SHARE)
  return kept
}

function rankedItems<K extends ListName>(lists: Lists, name: K): readonly Lists[K][number][] {
  const items: readonly Lists[K][number][] = lists[name]
  return byWorth(items, WORTHS[name])
}

/** Sorts by priority, highest first. Equal items keep their order. */
function byWorth<T>(items: readonly T[], worthOf: (item: T) => Worth): readonly T[] {
  return items
    .map((item) => ({ item, worth: worthOf(item) }))
    .sort((a, b) => b.worth.map((one, at) => one - (a.worth[at] ?? 0)).find((by) => by !== 0) ?? 0)
    .map(({ item }) => item)
}

type ProgramUse = ProgramSummary['use'][number]

/** A program's use of one category, and the program's share of the row's use. */
interface Use {
  readonly id: string
  readonly use: ProgramUse
  readonly rate: Readonly<Record<string, number>>
}

/**
 * Adds each program's use to the kept rows and programs until the room is used up. `whole` is the complete
 * snapshot.
 */
function withUse(
  rows: readonly RequestQuota[],
  programs: readonly ProgramSummary[],
  whole: Snapshot,
  room: Room,
): Pick<Lists, 'requests' | 'programs'> {
  const keptRows = new Set(rows.map(({ category }) => category))
  const rates = new Map(whole.requests.map(({ category, use }) => [category, use?.programs ?? {}]))
  const keptPrograms = new Set(programs.map(({ id }) => id))
  const uses = (whole.programs ?? []).flatMap(({ id, use }) =>
    keptPrograms.has(id)
      ? use.map((one): Use => {
          const rate = keptRows.has(one.category) ? rates.get(one.category)?.[id] : undefined
          return { id, use: one, rate: rate === undefined ? {} : { [id]: rate } }
        })
      : [],
  )
  const worthOf = ({ use }: Use): Worth => [use.waiting, use.perSecond, use.forwarded]
  const kept = byWorth(uses, worthOf).filter(({ use, rate }) => room.takes(bytesOf(use) + bytesOf(rate)))
  const listed = new Set(kept.map(({ use }) => use))
  return {
    requests: rows.map((row) => {
      if (row.use?.programs === undefined) return row
      const parts = kept.flatMap(({ use, rate }) => (use.category === row.category ? [rate] : []))
      return { ...row, use: { ...row.use, programs: Object.assign({}, ...parts) } }
    }),
    programs: programs.map((program) => {
      const { unlisted: _, ...shown } = program
      const all = whole.programs?.find(({ id }) => id === program.id)?.use ?? []
      const use = all.filter((one) => listed.has(one))
      return { ...shown, use, ...(use.length < all.length && { unlisted: all.length - use.length }) }
    }),
  }
}

const withoutPrograms = (row: RequestQuota): RequestQuota =>
  row.use?.programs === undefined ? { ...row } : { ...row, use: { ...row.use, programs: {} } }

const withoutUse = (program: ProgramSummary): ProgramSummary => ({
  ...program,
  use: [],
  unlisted: program.use.length,
})

const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value))

/** The bytes that are still available for the items of a JSON array or object. */
class Room {
  bytes: number

  constructor(bytes: number) {
    this.bytes = bytes
  }

  /** Reserves bytes for one item and its comma. Returns false if they are not available. */
  takes(bytes: number): boolean {
    if (bytes + 1 > this.bytes) return false
    this.bytes -= bytes + 1
    return true
  }
}
