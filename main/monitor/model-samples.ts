import type { RequestQuota } from '../../app/contract/snapshot.ts'
import type { RecentHistory } from '../../app/history/recent.ts'
import type { Ledger } from '../../app/quota/ledger.ts'
import { isUnchecked } from '../../app/status/quota-status.ts'
import type { QuotaTap } from '../api/quota-tap.ts'
import type { Clock } from '../ports/ports.ts'
import type { Timeline } from '../ports/timeline.ts'

interface ModelSamplesDeps {
  readonly clock: Pick<Clock, 'after'>
  readonly timeline: Pick<Timeline, 'now'>
  readonly ledger: Pick<Ledger, 'view'>
  readonly history: Pick<RecentHistory, 'sampled'>
  readonly tap: Pick<QuotaTap, 'evaluate'>
  /** The rows as every surface shows them. */
  readonly shownRows: () => readonly RequestQuota[]
  readonly changed: () => void
}

const SAMPLE_MS = 3_000

/**
 * Samples the quota model between headers, for charts and states. Some changes need no header: for example,
 * others may stop their requests. Takes the first sample now. Returns a function that ends the sampling.
 */
export function sampleModel(deps: ModelSamplesDeps): () => void {
  const { clock, timeline, ledger, history, tap, shownRows, changed } = deps
  let states = ''
  let cancel = () => {}
  const sample = () => {
    const now = timeline.now()
    const rows = ledger.view(now)
    const checked = shownRows().filter((row) => !isUnchecked(row, now))
    history.sampled(checked, now)
    tap.evaluate(rows, now)
    const former = states
    states = rows.map((row) => row.state).join()
    if (states !== former) changed()
    cancel = clock.after(SAMPLE_MS, sample)
  }
  sample()
  return () => cancel()
}
