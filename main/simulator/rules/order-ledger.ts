import { createHash } from 'node:crypto'
import { jsonOf } from '../../../app/service/json.ts'
import type { SimulatedOrderRequest } from '../library.ts'
import type { ServiceReply, ServiceRequest } from '../wire.ts'

/** One request under `/v3/orderexecution/` that reached the service completely. */
export interface OrderArrival extends SimulatedOrderRequest {
  readonly outcome: ServiceReply['kind']
}

const MAX_ARRIVALS = 20_000

/** The requests for orders that reached the service. Tests use them to find orders that arrived twice. */
export class OrderLedger {
  readonly #arrivals: OrderArrival[] = []
  readonly #counts = new Map<string, number>()
  #total = 0

  /** Adds one request. `confirmIds` are read from its body, in either spelling (service 14). */
  add({
    body,
    bodyBytes = Buffer.from(body),
    ...arrival
  }: Omit<OrderArrival, 'bodyHash' | 'confirmIds'> & Pick<ServiceRequest, 'body' | 'bodyBytes'>): void {
    const confirmIds = confirmIdsIn(jsonOf(body))
    const bodyHash = createHash('sha256').update(bodyBytes).digest('hex')
    const entry: OrderArrival = { ...arrival, confirmIds, bodyHash }
    this.#total += 1
    this.#arrivals.push(entry)
    if (this.#arrivals.length > MAX_ARRIVALS) this.#arrivals.shift()
    this.#counts.set(identityOf(entry), (this.#counts.get(identityOf(entry)) ?? 0) + 1)
  }

  total(): number {
    return this.#total
  }

  /** The last `MAX_ARRIVALS` requests, oldest first. */
  arrivals(): readonly OrderArrival[] {
    return [...this.#arrivals]
  }

  /**
   * Requests with the same method, path and body as another request. A program may send equal requests on
   * purpose.
   */
  repeated(): readonly OrderArrival[] {
    return this.#arrivals.filter((arrival) => (this.#counts.get(identityOf(arrival)) ?? 0) > 1)
  }
}

/**
 * The OrderConfirmIDs of a body in either spelling, including those in groups. None if the body is not JSON.
 */
function confirmIdsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' && /^OrderConfirmI[Dd]$/.test(name) ? [member] : confirmIdsIn(member),
  )
}

const identityOf = ({ method, path, bodyHash }: OrderArrival): string => `${method} ${path} ${bodyHash}`
