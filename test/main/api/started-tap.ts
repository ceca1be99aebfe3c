import type { MonitorEvent } from '../../../app/contract/events.ts'
import { RecentHistory } from '../../../app/history/recent.ts'
import { Ledger } from '../../../app/quota/ledger.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'
import { QuotaTap } from '../../../main/api/quota-tap.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import { Timeline } from '../../../main/ports/timeline.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'

/** The quotas of one key on virtual time, with all that is told of them. */
export function startedTap(secrets = new Redactor()) {
  const clock = new VirtualClock()
  const timeline = new Timeline(clock)
  const ledger = new Ledger(CURRENT_REQUEST_QUOTAS, timeline.now())
  const events: MonitorEvent[] = []
  const event = (happened: MonitorEvent) => void events.push(happened)
  const history = new RecentHistory()
  const random = { next: () => 0.5 }
  const tap = new QuotaTap({
    ledger,
    history,
    timeline,
    random,
    secrets,
    event,
    changed: () => {},
  })
  return { clock, timeline, ledger, events, event, history, random, tap }
}
