import { LOOKUP_MS } from '../contract/orders.ts'
import { DAY_MS, MINUTE_MS } from '../contract/units.ts'
import type { ListedOrder } from './order-facts.ts'
import type { OrderKind, OrderOutcome } from './ports.ts'

/** What the journal knows of an order, as far as it is recognised by it. */
export interface RecognisedBy {
  readonly id: string
  readonly kind: OrderKind
  readonly atMs: number
  readonly accountEnding: string
  readonly outcome: OrderOutcome
  /** Keyed hashes of `OrderFacts.texts`. */
  readonly hashes: readonly string[]
  /** Keyed hashes of its `OrderConfirmID`s. */
  readonly confirmHashes: readonly string[]
  /** The IDs that its answer or a lookup named; of a replace or cancel its own. */
  readonly orderIds: readonly string[]
}

/** A listed order with the keyed hashes of its texts, under every key that may have made the journal's. */
export interface HashedOrder extends Pick<ListedOrder, 'orderId' | 'isCancelled' | 'openedAtMs'> {
  readonly hashes: ReadonlySet<string>
  /** Absent if its account can't be read. */
  readonly accountEnding?: string
  readonly changes: ReadonlySet<string>
}

/** `absent`: certainly no listed order is it. `unclear`: one could be, or a change can't be shown. */
export type Recognition =
  | { readonly kind: 'found'; readonly orderIds: readonly string[] }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unclear' }

/**
 * How far the time of a listed order may be from the journal's, in milliseconds. One that opened before,
 * within this time, may be an equal order of another program, or show that the clocks differ.
 */
export const NEAR_MS = 5 * MINUTE_MS
/**
 * How much earlier than it was sent an order may have opened: a list has whole seconds, and clocks differ.
 */
const CLOCK_DIFFERENCE_MS = 5_000
/** How wrong a clock may be before an order that opened earlier counts as one that opened before. */
export const MAX_CLOCK_ERROR_MS = DAY_MS

/**
 * Whether a list of the account's orders shows an order whose answer was lost.
 *
 * An order counts only once: one that the journal already knows by its ID is not looked at, unless that entry
 * has the same `OrderConfirmID`. An equal order without an outcome could be the one that the list shows, so
 * neither is recognised then.
 */
export function recognise(
  entry: RecognisedBy,
  list: readonly HashedOrder[],
  journal: readonly RecognisedBy[],
): Recognition {
  switch (entry.kind) {
    case 'cancel':
      return changed(entry, list, ({ isCancelled }) => isCancelled)
    case 'replace':
      return changed(entry, list, ({ changes }) => entry.hashes.some((hash) => changes.has(hash)))
    case 'order':
    case 'group':
      return placed(entry, list, journal)
  }
}

function changed(
  { orderIds }: RecognisedBy,
  list: readonly HashedOrder[],
  isShown: (order: HashedOrder) => boolean,
): Recognition {
  const order = list.find(({ orderId }) => orderIds.includes(orderId))
  return order !== undefined && isShown(order) ? { kind: 'found', orderIds } : { kind: 'unclear' }
}

function placed(
  entry: RecognisedBy,
  list: readonly HashedOrder[],
  journal: readonly RecognisedBy[],
): Recognition {
  if (entry.hashes.length === 0) return { kind: 'unclear' }
  const placers = placersIn(journal)
  const isOther = (one: RecognisedBy) => one.id !== entry.id && !isRepeat(entry, one)
  const known = { has: (orderId: string) => placers.get(orderId)?.some(isOther) === true }
  const found: string[] = []
  for (const hash of new Set(entry.hashes)) {
    const wanted = entry.hashes.filter((one) => one === hash).length
    const near = list.filter(
      ({ orderId, hashes, openedAtMs = entry.atMs }) =>
        hashes.has(hash) && !known.has(orderId) && Math.abs(openedAtMs - entry.atMs) <= NEAR_MS,
    )
    const isCertain =
      near.length === wanted &&
      near.every(({ openedAtMs = entry.atMs }) => openedAtMs >= entry.atMs - CLOCK_DIFFERENCE_MS) &&
      !journal.some((other) => other.id !== entry.id && isRival(entry, other, hash))
    if (isCertain) found.push(...near.map(({ orderId }) => orderId))
  }
  if (found.length === entry.hashes.length) return { kind: 'found', orderIds: found }
  // Replaced, spelled otherwise or opened by another clock, any order that nothing else explains could be it.
  const mayBeListed = list.some(
    (order) => isOfAccount(order, entry) && !known.has(order.orderId) && !isFromBefore(order, entry),
  )
  return mayBeListed || found.length > 0 ? { kind: 'unclear' } : { kind: 'absent' }
}

const PLACERS = new WeakMap<readonly RecognisedBy[], ReadonlyMap<string, readonly RecognisedBy[]>>()

/**
 * The entries that placed each order, by its ID; made once for a journal, because each of hundreds of orders
 * is looked for in it.
 */
function placersIn(journal: readonly RecognisedBy[]): ReadonlyMap<string, readonly RecognisedBy[]> {
  const made = PLACERS.get(journal)
  if (made !== undefined) return made
  // A replace or cancel names the order of another entry, or of none.
  const placing = journal.filter(({ kind }) => kind === 'order' || kind === 'group')
  const named = placing.flatMap((entry) => entry.orderIds.map((orderId) => ({ entry, orderId })))
  const byOrder = Map.groupBy(named, ({ orderId }) => orderId)
  const found = new Map([...byOrder].map(([orderId, all]) => [orderId, all.map(({ entry }) => entry)]))
  PLACERS.set(journal, found)
  return found
}

/** An order without a readable account may be of any. */
const isOfAccount = ({ accountEnding }: HashedOrder, entry: RecognisedBy): boolean =>
  accountEnding === undefined || accountEnding.toLowerCase() === entry.accountEnding.toLowerCase()

const isFromBefore = ({ openedAtMs = Number.POSITIVE_INFINITY }: HashedOrder, entry: RecognisedBy): boolean =>
  openedAtMs < entry.atMs - MAX_CLOCK_ERROR_MS

/** Whether both carried the same `OrderConfirmID`, so that the service has one order for both. */
const isRepeat = (entry: RecognisedBy, other: RecognisedBy): boolean =>
  entry.confirmHashes.some((hash) => other.confirmHashes.includes(hash))

/** The name of the key that made a hash; empty for hashes of earlier versions, which don't name it. */
export const keyOfHash = (hash: string): string => hash.slice(0, Math.max(0, hash.indexOf('.')))

/**
 * Whether the list may show the other one instead: hashes of two keys can't be compared. One that was not
 * found never arrived.
 */
const isRival = (entry: RecognisedBy, other: RecognisedBy, hash: string): boolean =>
  (other.outcome === 'sent' || other.outcome === 'looking' || other.outcome === 'ambiguous') &&
  other.hashes.some((one) => one === hash || keyOfHash(one) !== keyOfHash(hash)) &&
  Math.abs(other.atMs - entry.atMs) <= NEAR_MS &&
  !isRepeat(entry, other)

/** When an unknown outcome is looked up, in milliseconds since it became unknown. */
export const LOOKUP_AT_MS = [1_000, 5_000, 15_000, 30_000, LOOKUP_MS] as const

/** Between lookups after the last one, while no list could be read. */
const AGAIN_MS = 30_000

/**
 * When to look up next, after the latest lookup that read a list or failed to; `lookedUpMs` and the result
 * are milliseconds since the outcome became unknown.
 */
export function nextLookupMs(lookedUpMs: number | undefined): number {
  if (lookedUpMs === undefined) return LOOKUP_AT_MS[0]
  return LOOKUP_AT_MS.find((atMs) => atMs > lookedUpMs) ?? lookedUpMs + AGAIN_MS
}
