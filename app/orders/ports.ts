import type { LookupState, OrderEntry, OrdersSummary } from '../contract/orders.ts'

export type { OrderKind, OrderOutcome } from '../contract/orders.ts'

/** The two keys of the switch: the connection's state, and which programs may send orders. */
export interface OrderSwitch {
  /** Whether a person allowed orders on this connected key. */
  state(profile: string): 'off' | 'on' | 'stopped'
  /**
   * The most orders of a program in any minute; `undefined` for a program that may send none. By its id,
   * which is unique within a run.
   */
  maxPerMinute(programId: string): number | undefined
}

/** An order in the journal, with the connected key that sent it. */
export interface JournalEntry extends OrderEntry {
  readonly profile: string
}

/**
 * An outcome became unknown, or was found out as far as possible; `id`: its entry in the journal. Or the
 * journal can't be written, or can again.
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

/** What surfaces read of orders, and may ask of them, also while orders are off. */
export interface OrdersSurface {
  /** Reads the switch anew: to be called after it changed, and after a key was connected. */
  switchChanged(): void
  /** Orders of one connected key. */
  summary(profile: string): OrdersSummary
  /** Dismisses an unknown outcome, or all of them. False if there is none with this id. */
  dismiss(id: string): boolean
  /** Orders sent in the interval, oldest first; `undefined` while the journal can't be read. */
  entries(fromMs: number, toMs: number): readonly JournalEntry[] | undefined
}

/** What `Orders` reports. */
export interface OrdersListener {
  /** The summary of a connected key changed. */
  changed(profile: string): void
  event(profile: string, event: OrderEvent): void
}
