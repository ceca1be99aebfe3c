import { z } from 'zod/mini'
import { boundedText, type Immutable, number, openObject, optionalText, profileId, text } from './fields.ts'
import { command } from './ipc.ts'
import type { Outcome } from './outcome.ts'
import type { StartedSignIn } from './sign-in.ts'

/** State of the lookup of an order whose response was lost. */
const lookupState = z.enum(['looking', 'found', 'not-found', 'ambiguous'])

/** The result of a lookup. */
export const resolvedState = z.enum(['found', 'not-found', 'ambiguous'])

export type LookupState = z.output<typeof lookupState>

/**
 * How long Headroom searches the service's list of orders for an order whose outcome is unknown. After that
 * time, the order counts as not found.
 */
export const LOOKUP_MS = 60_000

const unknownOrder = openObject({
  /** Id of the order's entry in the journal. */
  id: text,
  /** The program's name. */
  program: text,
  /** When the order was sent, epoch ms. */
  at: number,
  /** `order`, `group`, `replace` or `cancel`. A later version may add values. */
  kind: text,
  /** Last three characters of the order's account. Empty for `replace` and `cancel`: they name no account. */
  accountEnding: text,
  state: lookupState,
  /** The service's order ID, if found. */
  orderId: optionalText,
})

/** An order with an unknown outcome that no person has dismissed yet. */
export interface UnknownOrder extends Immutable<z.output<typeof unknownOrder>> {}

export const ordersSummary = openObject({
  /** `failed`: orders are allowed, but none is sent until the journal can be written again. */
  state: z.enum(['off', 'on', 'stopped', 'failed']),
  /** Why orders are stopped or failed. */
  why: optionalText,
  /** Number of orders sent since midnight. */
  today: number,
  /** Oldest first. */
  unknown: z.array(unknownOrder),
})

/** Orders of one key through the gateway. */
export interface OrdersSummary extends Immutable<z.output<typeof ordersSummary>> {}

/** The value of `why` after a person stopped orders. */
export const STOPPED_BY_PERSON = 'by you'

/** The orders of a key for which a person has never allowed orders. */
export const NO_ORDERS: OrdersSummary = { state: 'off', today: 0, unknown: [] }

/** A request that can change something at the broker. */
export type OrderKind = 'order' | 'group' | 'replace' | 'cancel'

/**
 * The result of an order.
 *
 * - `sent`: there is no response yet.
 * - `answered`: the service's own response arrived completely.
 * - `not-sent`: the order is in the journal, but no byte of it left this computer.
 * - Any other value: the outcome is unknown, and the value is the state of its lookup.
 */
export type OrderOutcome = 'sent' | 'answered' | 'not-sent' | LookupState

/** An order in the journal. It has no symbol, price or quantity. */
export interface OrderEntry {
  readonly id: string
  /** When the order was sent, epoch ms. */
  readonly atMs: number
  /** The program's name. */
  readonly program: string
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly kind: OrderKind
  /** Last three characters of the order's account. Empty if the order names no account. */
  readonly accountEnding: string
  /** Status of the service's response. Absent without a response. */
  readonly status?: number
  /**
   * The service's order IDs. They come from the response, from a lookup, or from the request's path if an
   * existing order was replaced or cancelled.
   */
  readonly orderIds: readonly string[]
  /** Milliseconds from sending the order to the last byte of the response. */
  readonly latencyMs?: number
  readonly outcome: OrderOutcome
  /** Whether a person dismissed the order's unknown outcome. */
  readonly isDismissed: boolean
}

const time = z.number().check(z.gte(0))

/** How many characters of a LIVE API key a person must type to allow orders. */
export const ENDING_LENGTH = 4

export const ordersContract = {
  /**
   * Signs in again with the Trade scope and then allows orders. `signInChanged` reports the outcome.
   *
   * If Headroom can't sign in with this key, it allows orders immediately, and the response has no `signIn`.
   * `ending` is the end of the API key, as a person typed it. It is required for LIVE.
   */
  allowOrders: command(
    z.strictObject({ profile: profileId, ending: z.exactOptional(boundedText(ENDING_LENGTH)) }),
  ).returning<Outcome<{ readonly signIn?: StartedSignIn }>>(),
  /**
   * Dismisses the unknown outcome of one order. `id` is the id of its journal entry, or `all` for all orders.
   */
  dismissOrder: command(z.strictObject({ id: boundedText(64) })).returning<Outcome>(),
  /** The journal of one key's orders in an interval, oldest first. */
  orderJournal: command(z.strictObject({ profile: profileId, fromMs: time, toMs: time })).returning<
    Outcome<{ readonly entries: readonly OrderEntry[] }>
  >(),
  /** Stops new orders immediately, for one key or for all. */
  stopOrders: command(z.strictObject({ profile: z.exactOptional(profileId) })).returning<Outcome>(),
} as const

/** Whether a person has ever allowed orders for a key. Until then, the app does not show orders. */
export const mayHaveOrders = ({ orders = NO_ORDERS }: { readonly orders?: OrdersSummary }): boolean =>
  orders.state !== 'off'
