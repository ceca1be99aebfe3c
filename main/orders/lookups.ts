import { LOOKUP_MS } from '../../app/contract/orders.ts'
import {
  type HashedOrder,
  keyOfHash,
  MAX_CLOCK_ERROR_MS,
  NEAR_MS,
  nextLookupMs,
  type Recognition,
  recognise,
} from '../../app/orders/recognition.ts'
import type { Clock } from '../ports/ports.ts'
import type { HashedEntry } from './journal-file.ts'
import type { OrderHashes } from './order-hashes.ts'
import { endingOf, type OrderList, type ReadResource, readOrderList } from './order-list.ts'

export type Resolution =
  | { readonly state: 'found'; readonly orderIds: readonly string[] }
  | { readonly state: 'not-found' | 'ambiguous' }

export interface Resolved {
  readonly entry: HashedEntry
  readonly resolution: Resolution
}

export interface LookupDeps {
  readonly clock: Clock
  readonly hashes: OrderHashes
  readonly read: ReadResource
  /** Whether the order was sent by a former key with the same id as the connected key. */
  readonly isOfFormerKey: (entry: HashedEntry) => boolean
  /** Entries of the journal in an interval. `undefined` while it can't be read. */
  readonly entries: (fromMs: number, toMs: number) => readonly HashedEntry[] | undefined
  readonly resolved: (ended: readonly Resolved[]) => void
  /** Called with exceptions. They are bugs and must not end the lookups. */
  readonly defect: (cause: unknown) => void
}

/** An order whose outcome is unknown. Times are milliseconds on the monotonic clock. */
interface Unknown {
  readonly entry: HashedEntry
  readonly sinceMs: number
  /** Start of the latest lookup, in milliseconds after `sinceMs`. Set even if the lookup failed. */
  lookedUpMs: number | undefined
}

/**
 * Maximum time between two entries that could match the same listed order, in milliseconds. Each of the two
 * is within `NEAR_MS` of that order.
 */
const RIVAL_MS = 2 * NEAR_MS

/**
 * Looks up orders whose outcome is unknown. One read of the list covers all unknown orders of a key.
 *
 * An order is looked up until its account's list shows it or `LOOKUP_MS` has passed. A failed read of the
 * list proves nothing. If another key has got the same id, the former key's orders are no longer looked up.
 */
export class Lookups {
  readonly #deps: LookupDeps
  readonly #unknown = new Map<string, Unknown>()
  readonly #timers = new Map<string, () => void>()
  /** Keys whose list is being read. */
  readonly #reading = new Set<string>()
  #isStopped = false

  constructor(deps: LookupDeps) {
    this.#deps = deps
  }

  add(entry: HashedEntry): void {
    const sinceMs = this.#deps.clock.monotonicMs()
    this.#unknown.set(entry.id, { entry, sinceMs, lookedUpMs: undefined })
    this.#arm(entry.profile)
  }

  stop(): void {
    this.#isStopped = true
    for (const cancel of this.#timers.values()) cancel()
  }

  #of(profile: string): readonly Unknown[] {
    return [...this.#unknown.values()].filter(({ entry }) => entry.profile === profile)
  }

  #arm(profile: string): void {
    this.#timers.get(profile)?.()
    this.#timers.delete(profile)
    const unknown = this.#of(profile)
    if (this.#isStopped || this.#reading.has(profile) || unknown.length === 0) return
    const { clock } = this.#deps
    const nextMs = Math.min(...unknown.map(({ sinceMs, lookedUpMs }) => sinceMs + nextLookupMs(lookedUpMs)))
    const waitMs = Math.max(1, Math.ceil(nextMs - clock.monotonicMs()))
    this.#timers.set(
      profile,
      clock.after(waitMs, () => {
        this.#lookUp(profile)
          .catch(this.#deps.defect)
          .finally(() => {
            this.#reading.delete(profile)
            this.#arm(profile)
          })
      }),
    )
  }

  async #lookUp(profile: string): Promise<void> {
    const { clock, read } = this.#deps
    this.#reading.add(profile)
    const startedMs = clock.monotonicMs()
    const asked = this.#ofPresentKey(profile)
    if (asked.length === 0) return
    // The time is recorded even if the lookup fails, so that the next lookup stays on schedule.
    for (const one of asked) one.lookedUpMs = startedMs - one.sinceMs
    const list = await readOrderList(
      profile,
      {
        accountEndings: asked.map(({ entry }) => entry.accountEnding),
        sinceMs: Math.min(...asked.map(({ entry }) => entry.atMs)),
        nowMs: clock.wallMs(),
        isLast: asked.some(isLast),
      },
      read,
    )
    // During the read, the key may have been disconnected and replaced by another key.
    if (list === undefined || this.#isStopped || this.#ofPresentKey(profile).length < asked.length) return
    this.#judge(asked, list)
  }

  /**
   * Returns the unknown orders of the key that is connected with this id now. Unknown orders of a former key
   * with the same id are resolved as ambiguous.
   */
  #ofPresentKey(profile: string): readonly Unknown[] {
    const former = this.#of(profile).filter(({ entry }) => this.#deps.isOfFormerKey(entry))
    this.#end(former.map(({ entry }) => ({ entry, resolution: { state: 'ambiguous' } })))
    return this.#of(profile)
  }

  #judge(asked: readonly Unknown[], list: OrderList): void {
    const { entries, hashes, isOfFormerKey } = this.#deps
    const times = asked.map(({ entry }) => entry.atMs)
    // An order counts as not found only in its last lookup, and only if all listed orders belong to other
    // entries of the journal. So that lookup also reads much older and newer entries.
    const [beforeMs, toMs] = asked.some(isLast)
      ? [MAX_CLOCK_ERROR_MS, Number.MAX_SAFE_INTEGER]
      : [RIVAL_MS, Math.max(...times) + RIVAL_MS]
    const journal = entries(Math.min(...times) - beforeMs, toMs)
    if (journal === undefined) return
    const profile = asked[0]?.entry.profile
    const ofKey = journal.filter((other) => other.profile === profile && !isOfFormerKey(other))
    const names = new Set(asked.flatMap(({ entry }) => entry.hashes.map(keyOfHash)))
    const known = new Set([...names].filter((name) => hashes.isKnown(name)))
    const ended: Resolved[] = []
    const orders = list.orders.map((order): HashedOrder => this.#hashed(order))
    for (const one of asked) {
      const { entry } = one
      const isRecognisable = isListed(entry, list) && entry.hashes.every((hash) => known.has(keyOfHash(hash)))
      const recognition = isRecognisable ? recognise(entry, orders, ofKey) : UNCLEAR
      const isWhole = recognition.kind !== 'absent' || list.isReadable
      const resolution = resolutionOf(isWhole ? recognition : UNCLEAR, isLast(one))
      if (resolution !== undefined) ended.push({ entry, resolution })
    }
    this.#end(ended)
  }

  #end(ended: readonly Resolved[]): void {
    if (ended.length === 0) return
    for (const { entry } of ended) this.#unknown.delete(entry.id)
    this.#deps.resolved(ended)
  }

  #hashed({ text, account, changes, ...order }: OrderList['orders'][number]): HashedOrder {
    const { hashes } = this.#deps
    return {
      ...order,
      hashes: new Set(hashes.allOf(text)),
      ...(account !== undefined && { accountEnding: endingOf(account) }),
      changes: new Set(changes.flatMap((change) => hashes.allOf(change))),
    }
  }
}

/**
 * Whether an order's latest lookup is also its last: the lookup began at least `LOOKUP_MS` after `sinceMs`.
 */
const isLast = ({ lookedUpMs = 0 }: Unknown): boolean => lookedUpMs >= LOOKUP_MS

const UNCLEAR: Recognition = { kind: 'unclear' }

/**
 * Whether the list covers the account of an entry. A replace or cancel request contains no account, so every
 * list covers it.
 */
const isListed = ({ accountEnding }: HashedEntry, { accountEndings }: OrderList): boolean =>
  accountEnding === '' || accountEndings.includes(accountEnding)

/** The conclusion of a lookup. Only the last lookup can conclude that an order was not found. */
function resolutionOf(recognition: Recognition, isLast: boolean): Resolution | undefined {
  switch (recognition.kind) {
    case 'found':
      return { state: 'found', orderIds: recognition.orderIds }
    case 'absent':
      return isLast ? { state: 'not-found' } : undefined
    case 'unclear':
      return isLast ? { state: 'ambiguous' } : undefined
  }
}
