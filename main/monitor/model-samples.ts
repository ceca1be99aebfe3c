import type { RecentHistory } from '../../app/history/recent.ts'
import type { Ledger } from '../../app/quota/ledger.ts'
import type { QuotaTap } from '../api/quota-tap.ts'
import type { Clock } from '../ports/ports.ts'
import type { Timeline } from '../ports/timeline.ts'

export interface ModelSamplesDeps {
  readonly clock: Pick<Clock, 'after'>
  readonly timeline: Pick<Timeline, 'now'>
  readonly ledger: Pick<Ledger, 'view'>
  readonly history: Pick<RecentHistory, 'sampled'>
  readonly tap: Pick<QuotaTap, 'evaluate'>
  readonly changed: () => void
}

const SAMPLE_MS = 3_000

/**
 * Samples the quota model between headers, for charts and states. Some changes need no header: for example,
 * others may stop their requests.
 */
export class ModelSamples {
  readonly #deps: ModelSamplesDeps
  #states = ''
  #cancel: () => void = () => {}

  constructor(deps: ModelSamplesDeps) {
    this.#deps = deps
  }

  /** Takes the first sample now, and further samples at regular intervals. */
  start(): void {
    this.#take()
  }

  stop(): void {
    this.#cancel()
  }

  #take(): void {
    const { clock, timeline, ledger, history, tap, changed } = this.#deps
    const now = timeline.now()
    const rows = ledger.view(now)
    history.sampled(rows, now)
    tap.evaluate(rows, now)
    const states = rows.map((row) => row.state).join()
    if (states !== this.#states) {
      this.#states = states
      changed()
    }
    this.#cancel = clock.after(SAMPLE_MS, () => this.#take())
  }
}
