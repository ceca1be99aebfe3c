import type { UpstreamOutcome } from '../../app/gateway/decisions.ts'
import type { OrderPath } from '../../app/orders/order-paths.ts'
import type { OrderKind } from '../../app/orders/ports.ts'
import type { Bearer } from '../tokens/keeper.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { Problem } from './problem.ts'
import type { Program } from './programs.ts'
import type { SendingDeps } from './sending.ts'

/** Maximum length of an order's body in bytes, both as sent and decoded. */
export const MAX_ORDER_BYTES = 64 << 10

/** The path of a request that can change something at the broker. */
export type ChangingPath = Extract<OrderPath, { kind: OrderKind }>

/** An order of a program, after the door admitted it. */
export interface AdmittedOrder extends Omit<AdmittedRequest, 'method' | 'maxWaitMs' | 'isAlone'> {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly order: ChangingPath
}

/** The decision whether a request under the order path may be sent. */
export type OrderVerdict =
  /** Orders are off. The response is the same as without an order lane. */
  | { readonly kind: 'off' }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'admitted'; readonly path: OrderPath }

/** The forwarder's inputs for serving orders. */
export interface ForwarderOrders {
  readonly serve: OrderLane['serve']
  /** The id of the connected key. */
  readonly profile: string
  /** Whether the key's access token is being replaced. */
  readonly isRefreshing: () => boolean
}

/** The parts of a connected key that an order needs. */
export interface OrderLine extends SendingDeps, Bearer, Omit<ForwarderOrders, 'serve'> {
  /** Why this program's requests can't be sent now. `undefined` if they can. */
  readonly obstacle: (program: Program) => Problem | undefined
  /**
   * Takes one request from the order quota, ahead of all waiting requests. Returns a problem if the quota is
   * empty. Otherwise returns a function. The caller must call it once, with the request's outcome.
   */
  readonly acquire: (program: Program, endpoint: string) => Problem | ((outcome: UpstreamOutcome) => void)
  /** The bucket that the quota headers of this endpoint's responses describe. */
  readonly bucketOf: (endpoint: string) => string
  /** Declines an order, and counts it as declined. */
  readonly refuse: (order: AdmittedOrder, problem: Problem) => void
}

export interface OpenOrder {
  /** Resolves when the order has ended. The outcome of a sent order is then in the journal. */
  readonly done: Promise<void>
  /**
   * Answers the caller now, either that the order was not sent, with `why` as the reason, or that its outcome
   * is unknown.
   */
  abandon(why: string): void
}

/** Sends orders. They do not wait in the queue of reads. */
export interface OrderLane {
  /** Whether orders are off for all keys, as if there were no order lane. */
  readonly isOff: boolean
  judge(method: string, pathAndQuery: string, program: Program): OrderVerdict
  serve(order: AdmittedOrder, line: OrderLine): OpenOrder
  /** Orders of a program in the last minute, cancels included. */
  sentLastMinute(program: Program): number
}

/** The order lane of a gateway that forwards only reads. */
export const NO_ORDER_LANE: Omit<OrderLane, 'serve'> = {
  isOff: true,
  judge: () => ({ kind: 'off' }),
  sentLastMinute: () => 0,
}
