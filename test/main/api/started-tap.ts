import { ConditionTracker } from '../../../app/conditions/tracker.ts'
import type { KeyReport, MonitorEvent } from '../../../app/contract/events.ts'
import { RecentHistory } from '../../../app/history/recent.ts'
import { MeteredLedger } from '../../../app/quota/metered-ledger.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'
import { QuotaTap } from '../../../main/api/quota-tap.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import { Timeline } from '../../../main/ports/timeline.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'

/** The quotas of one key in virtual time, with all their events. */
export function startedTap(secrets = new Redactor()) {
  const clock = new VirtualClock()
  const timeline = new Timeline(clock)
  const ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, timeline.now())
  const events: MonitorEvent[] = []
  const tracker = new ConditionTracker()
  const event = (report: KeyReport) => {
    const told = tracker.eventOf(report, timeline.now())
    if (told) events.push(told)
  }
  const history = new RecentHistory()
  const random = { next: () => 0.5 }
  const tap = new QuotaTap({
    ledger,
    history,
    timeline,
    random,
    secrets,
    report: event,
    changed: () => {},
    clock,
  })
  return { clock, timeline, ledger, events, event, history, random, tap }
}
