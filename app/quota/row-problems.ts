import { isOfWholeKey, type KeyReport } from '../contract/events.ts'
import type { RowProblem } from '../contract/snapshot.ts'

/** What an answer without a number said: its status, and the service's text where it brought one. */
export type AnswerProblem = Pick<RowProblem, 'status' | 'message'>

/**
 * The last answer of each row that brought no quota number, until the next number.
 *
 * A 401 concerns the key's token and a 5xx the service, so the rows that share one of these are one problem,
 * which ends with its last row. Any other status is a problem of its row.
 */
export class RowProblems {
  readonly #rows = new Map<string, RowProblem>()
  /** The status of the service's own refusal of a row; the reachability of the host reports any other. */
  readonly #refused = new Map<string, number>()

  /** The 401s of a former token: where the new one is rejected too, that lasts since then. */
  readonly #former = new Map<string, RowProblem>()

  of(category: string): RowProblem | undefined {
    return this.#rows.get(category)
  }

  /** Takes an answer without a number, `nowMs` in epoch ms. */
  refused(category: string, refused: AnswerProblem, nowMs: number): readonly KeyReport[] {
    this.#show(category, refused, nowMs)
    const { status, message } = refused
    const before = this.#refused.get(category)
    this.#refused.set(category, status)
    const report: KeyReport = {
      kind: 'requests-refused',
      category,
      status,
      ...(message !== undefined && { message }),
    }
    const isOther = before !== undefined && before !== status && isOfWholeKey(before)
    return isOther ? [...this.#ended(category, before), report] : [report]
  }

  /** Takes an answer of something else than the service, which the reachability of the host reports. */
  strange(category: string, refused: AnswerProblem, nowMs: number): void {
    if (this.#refused.get(category) === refused.status) return
    this.#show(category, refused, nowMs)
  }

  /** Takes a number for a row. */
  answered(category: string): readonly KeyReport[] {
    const status = this.#refused.get(category)
    this.#rows.delete(category)
    this.#refused.delete(category)
    this.#former.delete(category)
    return status === undefined ? [] : this.#ended(category, status)
  }

  /** Takes a new access token: a 401 of the former one says nothing of it. */
  renewed(): void {
    for (const [category, problem] of this.#rows) {
      if (problem.status !== 401) continue
      this.#rows.delete(category)
      this.#former.set(category, problem)
    }
  }

  #show(category: string, { status, message }: AnswerProblem, nowMs: number): void {
    const before = this.#rows.get(category) ?? this.#former.get(category)
    const since = before?.status === status ? before.since : Math.round(nowMs)
    this.#rows.set(category, { status, ...(message !== undefined && { message }), since })
  }

  /** The end of a problem, unless another row has it too. */
  #ended(category: string, status: number): readonly KeyReport[] {
    const isShared = isOfWholeKey(status) && [...this.#refused.values()].includes(status)
    return isShared ? [] : [{ kind: 'requests-answered', category, status }]
  }
}
