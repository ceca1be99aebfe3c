/** An item in a fair queue. `order`: its position among the requests of its program. */
export interface Queued {
  readonly order: number
}

interface Flow<T> {
  readonly program: string
  weight: number
  /** Start tag of the program's first request, in virtual time. */
  start: number
  readonly items: T[]
}

/** Tags are compared with this relative tolerance, because each tag is a sum of many fractions. */
const TAG_TOLERANCE = 1e-9

/**
 * Requests of several programs in the order of start-time fair queueing. First in, first out within a
 * program.
 *
 *     start tag of a program's next request   S = max(v on arrival, F of its previous request)
 *     finish tag                              F = S + 1 / weight
 *     virtual time                            v = S of the last request served
 *     next                                    the least S; then the least F; then the longest wait
 *
 * Fairness: each waiting program has v ≤ S ≤ v + 1 / weight, and each served request raises its S by 1 /
 * weight. Suppose that two programs f and g both wait for some time, and n of their requests are served in
 * that time. Then
 *
 *     |n(f) / weight(f) − n(g) / weight(g)| ≤ 1 / weight(f) + 1 / weight(g)
 *
 * So neither of the two gets more than one request beyond its share.
 *
 * Among m waiting programs, a program with the share s of all weights gets at most 1 + (m − 2) s requests
 * beyond its share. That is below 2 for equal weights, and for up to three programs.
 *
 * A program gains nothing by leaving the queue for a while: its S stays at or above its last F until the
 * queue is empty.
 *
 * Source: Goyal, Vin and Cheng, "Start-Time Fair Queuing: A Scheduling Algorithm for Integrated Services
 * Packet Switching Networks", SIGCOMM 1996.
 */
export class FairQueue<T extends Queued> {
  readonly #waiting = new Map<string, Flow<T>>()
  /** Last finish tag of each program without waiting requests. Cleared when the queue is empty. */
  readonly #former = new Map<string, number>()
  #virtual = 0
  #size = 0

  /** Number of waiting requests. */
  get size(): number {
    return this.#size
  }

  /** Adds a request. From now on, `weight` (above 0) applies to all requests of the program. */
  add(program: string, weight: number, item: T): void {
    const flow = this.#waiting.get(program) ?? this.#begin(program, weight)
    flow.weight = weight
    const former = flow.items.findLastIndex(({ order }) => order < item.order)
    flow.items.splice(former + 1, 0, item)
    this.#size += 1
  }

  /** Removes a request without serving it. Returns false if the queue does not contain it. */
  remove(program: string, item: T): boolean {
    const found = this.#find(program, item)
    if (found === undefined) return false
    const { flow, place } = found
    flow.items.splice(place, 1)
    this.#size -= 1
    if (flow.items.length === 0) this.#end(flow)
    return true
  }

  /** Serves the next request. */
  take(): T | undefined {
    const flow = next(this.#waiting.values())
    if (flow === undefined) return undefined
    const item = flow.items.shift()
    this.#virtual = flow.start
    flow.start += 1 / flow.weight
    this.#size -= 1
    if (flow.items.length === 0) this.#end(flow)
    return item
  }

  /** All requests in their order of service, if none joins or leaves. */
  *inOrder(): Generator<T> {
    const flows = new Set([...this.#waiting.values()].map((flow) => ({ ...flow, items: [...flow.items] })))
    for (let flow = next(flows); flow !== undefined; flow = next(flows)) {
      flow.start += 1 / flow.weight
      yield* flow.items.splice(0, 1)
      if (flow.items.length === 0) flows.delete(flow)
    }
  }

  /**
   * How many requests are served before this one, if none joins or leaves: its index in `inOrder`.
   *
   * The k-th request of a program has the start tag S + k / weight. So (own tag − S) × weight requests of
   * each other program have a smaller tag and are served first.
   */
  ahead(program: string, item: T): number {
    const own = this.#find(program, item)
    if (own === undefined) return 0
    const tagged = nth(own.flow, own.place)
    let ahead = own.place
    for (const flow of this.#waiting.values()) {
      if (flow === own.flow) continue
      const { start, weight, items } = flow
      let count = Math.min(items.length, Math.max(0, Math.floor((tagged.start - start) * weight)))
      // `count` may be a few too low if tags are almost equal, so the next requests are compared one by one.
      while (count < items.length && goesBefore(nth(flow, count), tagged)) count += 1
      ahead += count
    }
    return ahead
  }

  /**
   * How many more requests of the program `other` would be served before `item`, if added now. `weight`: the
   * weight of that program. The result need not be whole.
   */
  roomBefore(program: string, item: T, other: string, weight: number): number {
    const own = this.#find(program, item)
    if (own === undefined) return 0
    const flow = this.#waiting.get(other)
    const tag =
      flow === undefined
        ? Math.max(this.#virtual, this.#former.get(other) ?? 0)
        : flow.start + flow.items.length / flow.weight
    return Math.max(0, (nth(own.flow, own.place).start - tag) * weight)
  }

  #find(program: string, item: T): { readonly flow: Flow<T>; readonly place: number } | undefined {
    const flow = this.#waiting.get(program)
    const place = flow?.items.indexOf(item) ?? -1
    return flow !== undefined && place >= 0 ? { flow, place } : undefined
  }

  #begin(program: string, weight: number): Flow<T> {
    const start = Math.max(this.#virtual, this.#former.get(program) ?? 0)
    const flow: Flow<T> = { program, weight, start, items: [] }
    this.#former.delete(program)
    this.#waiting.set(program, flow)
    return flow
  }

  #end(flow: Flow<T>): void {
    this.#waiting.delete(flow.program)
    if (this.#waiting.size > 0) {
      this.#former.set(flow.program, flow.start)
      return
    }
    // In an empty queue no program has a lead, so tags restart at 0.
    this.#former.clear()
    this.#virtual = 0
  }
}

/** The fields that decide which of two requests is served first. */
interface Tagged {
  readonly start: number
  readonly weight: number
  readonly order: number
}

const nth = <T extends Queued>({ start, weight, items }: Flow<T>, index: number): Tagged => ({
  start: start + index / weight,
  weight,
  order: items[index]?.order ?? 0,
})

function goesBefore(one: Tagged, other: Tagged): boolean {
  const bySooner = one.start - other.start
  if (Math.abs(bySooner) > TAG_TOLERANCE * Math.max(1, one.start)) return bySooner < 0
  // If the start tags are equal, the request with the greater weight has the smaller finish tag, so it goes
  // first.
  return one.weight === other.weight ? one.order < other.order : one.weight > other.weight
}

function next<T extends Queued>(flows: Iterable<Flow<T>>): Flow<T> | undefined {
  let best: Flow<T> | undefined
  for (const flow of flows) if (best === undefined || goesBefore(nth(flow, 0), nth(best, 0))) best = flow
  return best
}
