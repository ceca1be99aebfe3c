import type { LookupState, OrderEntry, OrdersSummary } from '../contract/orders.ts'

export type { OrderKind, OrderOutcome } from '../contract/orders.ts'

/** The two permissions for orders: on the connected key, and for the program. A person grants both. */
export interface OrderSwitch {
  /** Whether a person allowed orders on this connected key. */
  state(profile: string): 'off' | 'on' | 'stopped'
  /**
   * Maximum number of a program's orders in any minute. `undefined` if it may send none. `programId` is
   * unique within a run.
   */
  maxPerMinute(programId: string): number | undefined
}

/** An order in the journal, with the connected key that sent it. */
export interface JournalEntry extends OrderEntry {
  readonly profile: string
}

/**
 * - `orders-stopped`: the journal can't be written.
 * - `orders-allowed`: the journal can be written again.
 * - `order-unknown`: an outcome became unknown.
 * - `order-resolved`: the outcome was determined, as far as possible.
 *
 * `id`: the order's entry in the journal.
 */
export type OrderEvent =
  | { readonly kind: 'orders-stopped'; readonly why: string }
  | { readonly kind: 'orders-allowed' }
  | { readonly kind: 'order-unknown'; readonly id: string; readonly program: string }
  | {
      readonly kind: 'order-resolved'
      readonly id: string
      readonly state: Exclude<LookupState, 'looking'>
      readonly orderId?: string
    }

/** How app windows and terminals read and control orders. Works even while orders are off. */
export interface OrdersSurface {
  /** Reads the switch again. Call this after the switch changed, and after a key was connected. */
  switchChanged(): void
  /** Orders of one connected key. */
  summary(profile: string): OrdersSummary
  /**
   * Dismisses the unknown outcome with this id, or all unknown outcomes if `id` is `all`. Returns false if no
   * such outcome exists.
   */
  dismiss(id: string): boolean
  /** The orders that were sent in the interval, oldest first. `undefined` while the journal can't be read. */
  entries(fromMs: number, toMs: number): readonly JournalEntry[] | undefined
}

export interface OrdersListener {
  /** Called when the summary of a connected key changed. */
  changed(profile: string): void
  event(profile: string, event: OrderEvent): void
}
