import { LOOKUP_MS } from '../contract/orders.ts'
import { DAY_MS, MINUTE_MS } from '../contract/units.ts'
import type { ListedOrder } from './order-facts.ts'
import type { OrderKind, OrderOutcome } from './ports.ts'

/** The parts of a journal entry that identify its order. */
export interface RecognisedBy {
  readonly id: string
  readonly kind: OrderKind
  readonly atMs: number
  readonly accountEnding: string
  readonly outcome: OrderOutcome
  /** Keyed hashes of `OrderFacts.texts`. */
  readonly hashes: readonly string[]
  /** Keyed hashes of the order's `OrderConfirmID`s. */
  readonly confirmHashes: readonly string[]
  /**
   * The order IDs that the response or a lookup named. For a replace or cancel request, the ID in its path.
   */
  readonly orderIds: readonly string[]
}

/** A listed order. Its texts are hashed with every key that the journal's hashes may have used. */
export interface HashedOrder extends Pick<ListedOrder, 'orderId' | 'isCancelled' | 'openedAtMs'> {
  readonly hashes: ReadonlySet<string>
  /** Absent if its account can't be read. */
  readonly accountEnding?: string
  readonly changes: ReadonlySet<string>
}

/**
 * - `absent`: the list certainly does not show the order.
 * - `unclear`: a listed order may be this order, or the list can't show whether the change was made.
 */
export type Recognition =
  | { readonly kind: 'found'; readonly orderIds: readonly string[] }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unclear' }

/**
 * A listed order matches an entry only if their times differ by at most this. With a larger difference, the
 * listed order may be an equal order of another program, or the clocks may differ. Milliseconds.
 */
export const NEAR_MS = 5 * MINUTE_MS
/**
 * Maximum time by which a listed order may seem to have opened before it was sent. Such a difference arises
 * because the list shows whole seconds, and because clocks differ. Milliseconds.
 */
const CLOCK_DIFFERENCE_MS = 5_000
/**
 * Maximum error of a clock in milliseconds. If a listed order opened more than this time before the entry was
 * sent, it is another order.
 */
export const MAX_CLOCK_ERROR_MS = DAY_MS

/**
 * Whether a list of the account's orders shows an order whose response was lost.
 *
 * A listed order belongs to only one entry. If another entry already names its ID, the listed order is
 * ignored, unless both entries have the same `OrderConfirmID`. If another entry has an equal order without an
 * outcome, the listed order could belong to either entry, so it is not recognised.
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
  // The list may show the order in another form: replaced, spelled differently, or with the time of another
  // clock. So any listed order could be this order, unless another entry names it.
  const mayBeListed = list.some(
    (order) => isOfAccount(order, entry) && !known.has(order.orderId) && !isFromBefore(order, entry),
  )
  return mayBeListed || found.length > 0 ? { kind: 'unclear' } : { kind: 'absent' }
}

const PLACERS = new WeakMap<readonly RecognisedBy[], ReadonlyMap<string, readonly RecognisedBy[]>>()

/**
 * Maps each order ID to the entries that placed the order. Cached per journal, because each journal is
 * searched for hundreds of orders.
 */
function placersIn(journal: readonly RecognisedBy[]): ReadonlyMap<string, readonly RecognisedBy[]> {
  const made = PLACERS.get(journal)
  if (made !== undefined) return made
  // Replace and cancel requests are left out, because they name an order that another entry placed.
  const placing = journal.filter(({ kind }) => kind === 'order' || kind === 'group')
  const named = placing.flatMap((entry) => entry.orderIds.map((orderId) => ({ entry, orderId })))
  const byOrder = Map.groupBy(named, ({ orderId }) => orderId)
  const found = new Map([...byOrder].map(([orderId, all]) => [orderId, all.map(({ entry }) => entry)]))
  PLACERS.set(journal, found)
  return found
}

/** An order without a readable account may belong to any account. */
const isOfAccount = ({ accountEnding }: HashedOrder, entry: RecognisedBy): boolean =>
  accountEnding === undefined || accountEnding.toLowerCase() === entry.accountEnding.toLowerCase()

const isFromBefore = ({ openedAtMs = Number.POSITIVE_INFINITY }: HashedOrder, entry: RecognisedBy): boolean =>
  openedAtMs < entry.atMs - MAX_CLOCK_ERROR_MS

/** Whether both entries have the same `OrderConfirmID`. If so, the service has one order for both. */
const isRepeat = (entry: RecognisedBy, other: RecognisedBy): boolean =>
  entry.confirmHashes.some((hash) => other.confirmHashes.includes(hash))

/** The name of the key that made a hash. Empty for a hash of an earlier version, which names no key. */
export const keyOfHash = (hash: string): string => hash.slice(0, Math.max(0, hash.indexOf('.')))

/**
 * Whether an order in the broker's list may belong to the entry `other` instead of `entry`. Hashes with
 * different keys can't be compared, so they count as equal. If the outcome of `other` is `not-found`, its
 * order is not in the list.
 */
const isRival = (entry: RecognisedBy, other: RecognisedBy, hash: string): boolean =>
  (other.outcome === 'sent' || other.outcome === 'looking' || other.outcome === 'ambiguous') &&
  other.hashes.some((one) => one === hash || keyOfHash(one) !== keyOfHash(hash)) &&
  Math.abs(other.atMs - entry.atMs) <= NEAR_MS &&
  !isRepeat(entry, other)

/** When an unknown outcome is looked up, in milliseconds since it became unknown. */
export const LOOKUP_AT_MS = [1_000, 5_000, 15_000, 30_000, LOOKUP_MS] as const

/** Interval of further lookups after the last planned one, while no list can be read. Milliseconds. */
const AGAIN_MS = 30_000

/**
 * When the next lookup is due. `lookedUpMs` is the start of the latest lookup, successful or not. Both times
 * are in milliseconds since the outcome became unknown.
 */
export function nextLookupMs(lookedUpMs: number | undefined): number {
  if (lookedUpMs === undefined) return LOOKUP_AT_MS[0]
  return LOOKUP_AT_MS.find((atMs) => atMs > lookedUpMs) ?? lookedUpMs + AGAIN_MS
}
