import type { MonitorEvent } from '../contract/events.ts'
import type { RowProblem } from '../contract/snapshot.ts'

type RefusedEvent = Extract<MonitorEvent, { kind: 'requests-refused' | 'requests-answered' }>

/** What an answer without a number said: its status, and the service's text where it brought one. */
export type Refused = Pick<RowProblem, 'status' | 'message'>

/**
 * The last answer of each row that brought no quota number, until the next number.
 *
 * A 401 concerns the key's token and a 5xx the service, so the rows that share one of these are one problem with one
 * event at its start and one at its end. Any other status is a problem of its row.
 */
export class RowProblems {
  readonly #rows = new Map<string, RowProblem>()
  /** Rows whose problem the reachability of the host tells, start and end. */
  readonly #untold = new Set<string>()

  of(category: string): RowProblem | undefined {
    return this.#rows.get(category)
  }

  /** Takes an answer without a number, `nowMs` in epoch ms. Returns the event of a problem that begins. */
  refused(category: string, { status, message }: Refused, nowMs: number): RefusedEvent | undefined {
    const before = this.#rows.get(category)
    const isNew = (before?.status !== status || this.#untold.has(category)) && !this.#isShared(status)
    this.#untold.delete(category)
    const problem = {
      status,
      ...(message !== undefined && { message }),
      since: before?.status === status ? before.since : Math.round(nowMs),
    }
    this.#rows.set(category, problem)
    if (!isNew) return undefined
    return { kind: 'requests-refused', category, status, ...(message !== undefined && { message }) }
  }

  /** Takes an answer of something else than the service, which the reachability of the host tells of: no event. */
  strange(category: string, refused: Refused, nowMs: number): void {
    if (this.#rows.get(category)?.status === refused.status && !this.#untold.has(category)) return
    this.refused(category, refused, nowMs)
    this.#untold.add(category)
  }

  /** Takes a number for a row. Returns the event of a problem that ends. */
  answered(category: string): RefusedEvent | undefined {
    const before = this.#rows.get(category)
    if (before === undefined) return undefined
    this.#rows.delete(category)
    const { status, since } = before
    return this.#untold.delete(category) || this.#isShared(status)
      ? undefined
      : { kind: 'requests-answered', category, status, since }
  }

  #isShared(status: number): boolean {
    return isOfWholeKey(status) && [...this.#rows.values()].some((problem) => problem.status === status)
  }
}

/** Whether a status concerns every request of the key: a refused token, or a service that fails. */
export const isOfWholeKey = (status: number): boolean => status === 401 || status >= 500
