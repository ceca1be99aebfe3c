import type { Ledger } from '../app/quota/ledger.ts'
import type { RecentHistory } from './history/recent.ts'
import type { Clock } from './ports/ports.ts'
import type { Timeline } from './timeline.ts'

export interface ModelSamplesDeps {
  readonly clock: Pick<Clock, 'after'>
  readonly timeline: Pick<Timeline, 'now'>
  readonly ledger: Pick<Ledger, 'view'>
  readonly history: Pick<RecentHistory, 'sampled'>
  readonly changed: () => void
}

const SAMPLE_MS = 3_000

/** Looks at the model between headers, for the chart and for verdicts that time alone changes. */
export class ModelSamples {
  readonly #deps: ModelSamplesDeps
  #verdicts = ''
  #cancel: () => void = () => {}

  constructor(deps: ModelSamplesDeps) {
    this.#deps = deps
  }

  /** Takes the first one now. */
  start(): void {
    this.#take()
  }

  stop(): void {
    this.#cancel()
  }

  #take(): void {
    const { clock, timeline, ledger, history, changed } = this.#deps
    const now = timeline.now()
    const rows = ledger.view(now)
    history.sampled(rows, now)
    const verdicts = rows.map((row) => row.verdict).join()
    if (verdicts !== this.#verdicts) {
      this.#verdicts = verdicts
      changed()
    }
    this.#cancel = clock.after(SAMPLE_MS, () => this.#take())
  }
}
