import type { Request } from './upstream.ts'

/** Maximum numbers of waiting requests. Critical requests are never declined because of them. */
export const MAX_WAITING = { perProgram: 64, all: 512 } as const

/** The fields of a request that matter while it waits. */
export type Deadlined = Pick<Request, 'id' | 'order' | 'program' | 'class' | 'deadlineMs'>

/**
 * The requests that wait for their turn. Counts them per program, and finds the request whose maximum wait
 * ends first.
 */
export class WaitingRequests<R extends Deadlined> {
  /** The waiting requests, by the end of their maximum wait, then by order of arrival. */
  readonly #byDeadline: R[] = []
  readonly #byProgram = new Map<string, number>()

  get size(): number {
    return this.#byDeadline.length
  }

  /** The request whose maximum wait ends first. */
  get first(): R | undefined {
    return this.#byDeadline[0]
  }

  /** All requests, in the order in which their maximum waits end. */
  all(): readonly R[] {
    return [...this.#byDeadline]
  }

  add(request: R): void {
    this.#byDeadline.splice(this.#placeOf(request), 0, request)
    this.#byProgram.set(request.program, this.#countOf(request.program) + 1)
  }

  /** Returns false if the request is not waiting. */
  delete(request: R): boolean {
    const at = this.#placeOf(request)
    if (this.#byDeadline[at]?.id !== request.id) return false
    this.#byDeadline.splice(at, 1)
    const left = this.#countOf(request.program) - 1
    if (left > 0) this.#byProgram.set(request.program, left)
    else this.#byProgram.delete(request.program)
    return true
  }

  /**
   * The request to decline after a request of `program` was added. `undefined` if no maximum is exceeded.
   * - If this program has too many requests: its newest request.
   * - If all programs together have too many: the newest request of the program with the most.
   *
   * Critical requests are never declined here.
   */
  oneTooMany(program: string): R | undefined {
    if (this.#countOf(program) > MAX_WAITING.perProgram) {
      const newest = this.#newestOf(program)
      if (newest !== undefined) return newest
    }
    if (this.size <= MAX_WAITING.all) return undefined
    for (const [most] of [...this.#byProgram].sort(([, a], [, b]) => b - a)) {
      const newest = this.#newestOf(most)
      if (newest !== undefined) return newest
    }
    return undefined
  }

  #countOf(program: string): number {
    return this.#byProgram.get(program) ?? 0
  }

  #newestOf(program: string): R | undefined {
    let newest: R | undefined
    for (const request of this.#byDeadline) {
      if (request.program !== program || request.class === 'critical') continue
      if (newest === undefined || request.order > newest.order) newest = request
    }
    return newest
  }

  /** The index of a request, or where it would be inserted. */
  #placeOf(request: R): number {
    let low = 0
    let high = this.#byDeadline.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = this.#byDeadline[middle]
      if (other !== undefined && isBefore(other, request)) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Compares by deadline, then by arrival. Requests of several machines may have arrived at the same time. */
function isBefore(one: Deadlined, other: Deadlined): boolean {
  if (one.deadlineMs !== other.deadlineMs) return one.deadlineMs < other.deadlineMs
  return one.order === other.order ? one.id < other.id : one.order < other.order
}
