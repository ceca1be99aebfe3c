import type { UpstreamOutcome } from '../../app/gateway/decisions.ts'
import type { OrderPath } from '../../app/orders/order-paths.ts'
import type { OrderKind } from '../../app/orders/ports.ts'
import type { Bearer } from '../tokens/keeper.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { Problem } from './problem.ts'
import type { Program } from './programs.ts'
import type { SendingDeps } from './sending.ts'

/** The longest body of an order, in bytes, as it is sent and decoded. */
export const MAX_ORDER_BYTES = 64 << 10

/** The path of a request that can change something at the broker. */
export type ChangingPath = Extract<OrderPath, { kind: OrderKind }>

/** An order of a program, after the door admitted it. */
export interface AdmittedOrder extends Omit<AdmittedRequest, 'method' | 'maxWaitMs' | 'isAlone'> {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly order: ChangingPath
}

/** Whether a request under the order path may pass. */
export type OrderVerdict =
  /** As if no request could pass. */
  | { readonly kind: 'off' }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'admitted'; readonly path: OrderPath }

/** What a forwarder hands to its orders. */
export interface ForwarderOrders {
  readonly serve: OrderLane['serve']
  /** The id of the connected key. */
  readonly profile: string
  /** Whether its access token is being replaced. */
  readonly isRefreshing: () => boolean
}

/** A connected key, as an order needs it. */
export interface OrderLine extends SendingDeps, Bearer, Omit<ForwarderOrders, 'serve'> {
  /** Why nothing of this program may be sent now; `undefined` if it may. */
  readonly obstacle: (program: Program) => Problem | undefined
  /**
   * Takes one request of the order quota, above every class, or returns why there is none. The function takes
   * the outcome, once.
   */
  readonly acquire: (program: Program, endpoint: string) => Problem | ((outcome: UpstreamOutcome) => void)
  /** The bucket of a header in the response of an endpoint. */
  readonly bucketOf: (endpoint: string) => string
  /** Declines an order, and counts that. */
  readonly refuse: (order: AdmittedOrder, problem: Problem) => void
}

/** An order under way. */
export interface OpenOrder {
  /** Resolves once its caller has its answer. */
  readonly done: Promise<void>
  /** Answers it now: as not sent, or as one whose outcome is unknown. */
  abandon(): void
}

/** Sends orders past the queue of reads. */
export interface OrderLane {
  /** Whether no order of any key may pass, as if there were no lane. */
  readonly isOff: boolean
  judge(method: string, pathAndQuery: string, program: Program): OrderVerdict
  serve(order: AdmittedOrder, line: OrderLine): OpenOrder
  /** Orders of a program in the last minute, cancels included. */
  sentLastMinute(program: Program): number
}

/** The lane of a gateway that forwards reads only. */
export const NO_ORDER_LANE: Omit<OrderLane, 'serve'> = {
  isOff: true,
  judge: () => ({ kind: 'off' }),
  sentLastMinute: () => 0,
}
