import { z } from 'zod/mini'
import { boundedText, type Immutable, number, openObject, optionalText, profileId, text } from './fields.ts'
import { command } from './ipc.ts'
import type { Outcome } from './outcome.ts'
import type { StartedSignIn } from './sign-in.ts'

/** What Headroom found out about an order whose response was lost. */
const lookupState = z.enum(['looking', 'found', 'not-found', 'ambiguous'])

/** The end of a lookup. */
export const resolvedState = z.enum(['found', 'not-found', 'ambiguous'])

export type LookupState = z.output<typeof lookupState>

/**
 * How long Headroom looks up an unknown outcome. After that, an order that is not in the service's list
 * counts as "not found".
 */
export const LOOKUP_MS = 60_000

const unknownOrder = openObject({
  /** Id of the order's entry in the journal. */
  id: text,
  /** The program's name. */
  program: text,
  /** When it was sent, epoch ms. */
  at: number,
  /** `order`, `group`, `replace` or `cancel`. A later version may add other values. */
  kind: text,
  /** The last three characters of its account; empty for a replace or cancel, which names no account. */
  accountEnding: text,
  state: lookupState,
  /** The service's ID, once found. */
  orderId: optionalText,
})

/** An order with an unknown outcome, until a person dismisses it. */
export interface UnknownOrder extends Immutable<z.output<typeof unknownOrder>> {}

export const ordersSummary = openObject({
  /** `failed`: orders are allowed but the journal can't be written; they resume once it can be. */
  state: z.enum(['off', 'on', 'stopped', 'failed']),
  /** Why orders are stopped or failed. */
  why: optionalText,
  /** Orders sent since midnight. */
  today: number,
  /** Oldest first. */
  unknown: z.array(unknownOrder),
})

/** Orders of one key through the gateway. */
export interface OrdersSummary extends Immutable<z.output<typeof ordersSummary>> {}

/** The `why` of orders that a person stopped. */
export const STOPPED_BY_PERSON = 'by you'

/** Orders of a key before a person allows them. */
export const NO_ORDERS: OrdersSummary = { state: 'off', today: 0, unknown: [] }

/** A request that can change something at the broker. */
export type OrderKind = 'order' | 'group' | 'replace' | 'cancel'

/**
 * The result of an order.
 *
 * - `sent`: there is no answer yet.
 * - `answered`: the service's own answer arrived completely.
 * - `not-sent`: the order is in the journal, but no byte of it left this computer.
 * - Any other value: the outcome is unknown, and this is the state of the lookup.
 */
export type OrderOutcome = 'sent' | 'answered' | 'not-sent' | LookupState

/** An order in the journal. It has no symbol, price or quantity. */
export interface OrderEntry {
  readonly id: string
  /** When it was sent, epoch ms. */
  readonly atMs: number
  /** The program's name. */
  readonly program: string
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly kind: OrderKind
  /** The last three characters of its account; empty if it names no account. */
  readonly accountEnding: string
  /** The service's status; absent without an answer. */
  readonly status?: number
  /**
   * The service's order IDs: the IDs in the answer, the ID in a replace or cancel, or the IDs that a lookup
   * found.
   */
  readonly orderIds: readonly string[]
  /** Milliseconds from sending the order to the last byte of its answer. */
  readonly latencyMs?: number
  readonly outcome: OrderOutcome
  /** Whether a person dismissed the order's unknown outcome. */
  readonly isDismissed: boolean
}

const time = z.number().check(z.gte(0))

/** How many characters of a LIVE API key a person must type to allow orders. */
export const ENDING_LENGTH = 4

/** The switch for orders of each key, and the orders with an unknown outcome. */
export const ordersContract = {
  /**
   * Signs in again with the Trade scope and then opens the switch; `signInChanged` reports the outcome. If
   * the response has no `signIn`, the switch is already open, because Headroom can’t sign in with this key.
   *
   * `ending`: the last characters of the API key, as a person typed them; required for LIVE.
   */
  allowOrders: command(
    z.strictObject({ profile: profileId, ending: z.exactOptional(boundedText(ENDING_LENGTH)) }),
  ).returning<Outcome<{ readonly signIn?: StartedSignIn }>>(),
  /**
   * Dismisses an unknown outcome by the id of its journal entry. `all` dismisses all of them, for all keys.
   */
  dismissOrder: command(z.strictObject({ id: boundedText(64) })).returning<Outcome>(),
  /** The orders that one key sent in an interval, oldest first. */
  orderJournal: command(z.strictObject({ profile: profileId, fromMs: time, toMs: time })).returning<
    Outcome<{ readonly entries: readonly OrderEntry[] }>
  >(),
  /** Stops new orders at once, for one key or for all. */
  stopOrders: command(z.strictObject({ profile: z.exactOptional(profileId) })).returning<Outcome>(),
} as const

/** Whether a person has ever allowed orders for a key. Until then, surfaces do not mention orders. */
export const mayHaveOrders = ({ orders = NO_ORDERS }: { readonly orders?: OrdersSummary }): boolean =>
  orders.state !== 'off'
