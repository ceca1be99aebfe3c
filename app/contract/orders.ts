import { z } from 'zod/mini'
import { type Immutable, number, openObject, optionalText, text } from './fields.ts'

/** What Headroom found out about an order whose response was lost. */
const lookupState = z.enum(['looking', 'found', 'not-found', 'ambiguous'])

export type LookupState = z.output<typeof lookupState>

const unknownOrder = openObject({
  /** Its entry in the journal. */
  id: text,
  /** The program's name. */
  program: text,
  /** When it was sent, epoch ms. */
  at: number,
  /** `order`, `group`, `replace` or `cancel`; a later version may send another one. */
  kind: text,
  /** The last three characters of its account; empty for a replace or cancel, which names none. */
  accountEnding: text,
  state: lookupState,
  /** The service's ID, once found. */
  orderId: optionalText,
})

/** An order with an unknown outcome, until a person dismisses it. */
export interface UnknownOrder extends Immutable<z.output<typeof unknownOrder>> {}

export const ordersSummary = openObject({
  /** `failed`: allowed, but the journal can't be written; they resume once it can. */
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

/** Orders of a key before a person allows them. */
export const NO_ORDERS: OrdersSummary = { state: 'off', today: 0, unknown: [] }
