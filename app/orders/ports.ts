import type { LookupState, OrdersSummary } from '../contract/orders.ts'

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

/** A request that can change something at the broker. */
export type OrderKind = 'order' | 'group' | 'replace' | 'cancel'

/**
 * The result of an order that was sent.
 *
 * - `answered`: the service's own answer arrived whole.
 * - `not-sent`: the journal has it, but no byte left this computer.
 * - Otherwise unknown, and how far it was looked up.
 */
export type OrderOutcome = 'answered' | 'not-sent' | LookupState

/** An order in the journal. It has no symbol, price or quantity. */
export interface JournalEntry {
  readonly id: string
  readonly profile: string
  /** When it was sent, epoch ms. */
  readonly atMs: number
  /** The program's name. */
  readonly program: string
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly kind: OrderKind
  /** The last three characters of its account; empty if it names none. */
  readonly accountEnding: string
  /** The service's status; absent without an answer. */
  readonly status?: number
  /** The service's IDs: those of the answer, of a replace or cancel its own, or the one that was found. */
  readonly orderIds: readonly string[]
  /** From sending to the last byte of the answer. */
  readonly latencyMs?: number
  readonly outcome: OrderOutcome
  /** Whether a person dismissed its unknown outcome. */
  readonly isDismissed: boolean
}

/** An outcome became unknown, or was found out as far as possible. `id`: its entry in the journal. */
export type OrderEvent =
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
