import { isOfWholeKey, type KeyReport } from '../contract/events.ts'
import type { RowProblem } from '../contract/snapshot.ts'

/** Status of a response without quota headers, and the service's message if any. */
export type AnswerProblem = Pick<RowProblem, 'status' | 'message'>

/**
 * Problems of rows: each row's last response, if it had no quota headers. The next quota headers clear the
 * problem.
 *
 * A 401 concerns the key's token, and a 5xx concerns the service. So rows with the same 401 or 5xx status
 * share one problem. The problem ends when the last of these rows recovers. Any other status concerns only
 * its own row.
 */
export class RowProblems {
  /** When each row last received quota headers with the token in use, epoch ms. */
  readonly #accepted = new Map<string, number>()
  readonly #rows = new Map<string, RowProblem>()
  /**
   * Status with which the service itself rejected a row's request, by row. Responses of proxies are not
   * included: they count as a problem of the host's reachability.
   */
  readonly #refused = new Map<string, number>()

  /**
   * 401s of the previous token. If the new token is rejected too, the former 401s show when the problem
   * began.
   */
  readonly #former = new Map<string, RowProblem>()

  /**
   * The problem of a row. A 401 concerns only this row if another row has received quota headers with the
   * same token. If the token can't be renewed, only headers newer than the 401 count: the service may have
   * ended the token before it expired.
   */
  of(category: string, canRenew: boolean): RowProblem | undefined {
    const problem = this.#rows.get(category)
    if (problem?.status !== 401 || !this.#isAlone(category, canRenew ? 0 : problem.since)) return problem
    return { ...problem, alone: true }
  }

  /** Records a response without quota headers. `nowMs`: epoch ms. */
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
      ...(status === 401 && this.#isAlone(category) && { alone: true }),
    }
    const isOther = before !== undefined && before !== status && isOfWholeKey(before)
    return isOther ? [...this.#ended(category, before), report] : [report]
  }

  /**
   * Records a response that did not come from the service, for example from a proxy. It causes no event here,
   * because it is reported as a reachability problem.
   */
  strange(category: string, refused: AnswerProblem, nowMs: number): void {
    if (this.#refused.get(category) === refused.status) return
    this.#show(category, refused, nowMs)
  }

  /** Records that a row received quota headers. These headers end the row's problem. */
  answered(category: string, nowMs: number): readonly KeyReport[] {
    const status = this.#refused.get(category)
    this.#accepted.set(category, nowMs)
    this.#rows.delete(category)
    this.#refused.delete(category)
    this.#former.delete(category)
    return status === undefined ? [] : this.#ended(category, status)
  }

  /** Records a new access token. A 401 of the previous token no longer applies. */
  renewed(): void {
    this.#accepted.clear()
    for (const [category, problem] of this.#rows) {
      if (problem.status !== 401) continue
      this.#rows.delete(category)
      this.#former.set(category, problem)
    }
  }

  /**
   * Whether a 401 concerns only this row. True if no other row has a 401, and another row has received quota
   * headers with the token in use since `fromMs`, epoch ms.
   */
  #isAlone(category: string, fromMs = 0): boolean {
    const isShared = [...this.#refused].some(([other, status]) => other !== category && status === 401)
    return !isShared && [...this.#accepted].some(([other, atMs]) => other !== category && atMs >= fromMs)
  }

  #show(category: string, { status, message }: AnswerProblem, nowMs: number): void {
    const before = this.#rows.get(category) ?? this.#former.get(category)
    const since = before?.status === status ? before.since : Math.round(nowMs)
    this.#rows.set(category, { status, ...(message !== undefined && { message }), since })
  }

  /** Ends a problem, unless another row shares it. */
  #ended(category: string, status: number): readonly KeyReport[] {
    const isShared = isOfWholeKey(status) && [...this.#refused.values()].includes(status)
    return isShared ? [] : [{ kind: 'requests-answered', category, status }]
  }
}
