import type { MonitorEvent } from '../contract/events.ts'
import type { RowProblem } from '../contract/snapshot.ts'

type RefusedEvent = Extract<MonitorEvent, { kind: 'requests-refused' | 'requests-answered' }>

/** What an answer without a number said: its status, and the service's text where it brought one. */
export type AnswerProblem = Pick<RowProblem, 'status' | 'message'>

/**
 * The last answer of each row that brought no quota number, until the next number.
 *
 * A 401 concerns the key's token and a 5xx the service, so the rows that share one of these are one problem with one
 * event at its start and one at its end. Any other status is a problem of its row.
 */
export class RowProblems {
  readonly #rows = new Map<string, RowProblem>()
  /** The service's own refusal of a row, which an event told; the reachability of the host tells of any other. */
  readonly #told = new Map<string, Pick<RowProblem, 'status' | 'since'>>()

  of(category: string): RowProblem | undefined {
    return this.#rows.get(category)
  }

  /** Takes an answer without a number, `nowMs` in epoch ms. Returns the event of a problem that begins. */
  refused(category: string, refused: AnswerProblem, nowMs: number): RefusedEvent | undefined {
    this.#show(category, refused, nowMs)
    const { status, message } = refused
    if (this.#told.get(category)?.status === status) return undefined
    const sharedSince = this.#sharedSince(status)
    this.#told.set(category, { status, since: sharedSince ?? Math.round(nowMs) })
    if (sharedSince !== undefined) return undefined
    return { kind: 'requests-refused', category, status, ...(message !== undefined && { message }) }
  }

  /** Takes an answer of something else than the service, which the reachability of the host tells of: no event. */
  strange(category: string, refused: AnswerProblem, nowMs: number): void {
    if (this.#told.get(category)?.status === refused.status) return
    this.#show(category, refused, nowMs)
  }

  /** Takes a number for a row. Returns the event of a problem that ends. */
  answered(category: string): RefusedEvent | undefined {
    const told = this.#told.get(category)
    this.#rows.delete(category)
    this.#told.delete(category)
    if (told === undefined || this.#sharedSince(told.status) !== undefined) return undefined
    return { kind: 'requests-answered', category, ...told }
  }

  #show(category: string, { status, message }: AnswerProblem, nowMs: number): void {
    const before = this.#rows.get(category)
    const since = before?.status === status ? before.since : Math.round(nowMs)
    this.#rows.set(category, { status, ...(message !== undefined && { message }), since })
  }

  /** Since when rows share a problem of the whole key, epoch ms; `undefined` where none has it. */
  #sharedSince(status: number): number | undefined {
    if (!isOfWholeKey(status)) return undefined
    return [...this.#told.values()].find((problem) => problem.status === status)?.since
  }
}

/** Whether a status concerns every request of the key: a refused token, or a service that fails. */
export const isOfWholeKey = (status: number): boolean => status === 401 || status >= 500
