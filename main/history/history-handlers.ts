import type { alertsContract } from '../../app/contract/alerts.ts'
import type { historyContract } from '../../app/contract/history.ts'
import type { Handlers } from '../../app/contract/ipc.ts'
import type { Outcome } from '../../app/contract/outcome.ts'
import { reportOf } from '../../app/history/report.ts'
import { DEFAULT_THRESHOLDS } from '../../app/quota/thresholds.ts'
import type { MonitorSurface } from '../monitor/monitor-surface.ts'
import { exportedFile } from './exports.ts'
import type { HistoryService } from './history-service.ts'

export type HistoryHandlers = Handlers<typeof historyContract> & Handlers<typeof alertsContract>

/** The commands of a window that read the history. */
export function historyHandlers(history: HistoryService): HistoryHandlers {
  return {
    history: ({ profile, category, fromMs, toMs, points }) =>
      history.quotaHistory(profile, category, fromMs, toMs, points),
    report: ({ profile, fromMs, toMs }) => history.report(profile, fromMs, toMs),
    exportFile: ({ profile, fromMs, toMs, what }) => {
      const file = exportedFile(history, what, profile, fromMs, toMs)
      return file ? { ok: true, file } : GONE
    },
    pastEvents: ({ profile, fromMs, toMs }) => history.pastEvents(profile, fromMs, toMs),
    slotHistory: ({ profile, category, fromMs, toMs }) =>
      history.slotHistory(profile, category, fromMs, toMs),
    storage: () => history.status(),
    setRetention: (retention) => history.setRetention(retention),
    alerts: () => history.alerts(),
    dismissAlert: ({ id }) => (history.dismissAlert(id) ? { ok: true } : OVER),
    alertThresholds: ({ profile }) => history.thresholds(profile),
    setAlertThreshold: ({ profile, category, below }) => history.setThreshold(profile, category, below),
  }
}

/** For a host without a history: the last minutes only. */
export function withoutHistory(monitor: Pick<MonitorSurface, 'history'>): HistoryHandlers {
  return {
    history: ({ profile, category, fromMs, toMs, points }) =>
      monitor.history(profile, category, fromMs, toMs, points),
    report: ({ profile, fromMs, toMs }) =>
      reportOf({ profile, fromMs, toMs, requests: new Map(), slots: new Map(), events: [] }),
    exportFile: () => GONE,
    pastEvents: () => [],
    slotHistory: () => [],
    storage: () => ({ kind: 'memory' }),
    setRetention: () => NOTHING_KEPT,
    alerts: () => [],
    dismissAlert: () => OVER,
    alertThresholds: () => DEFAULT_THRESHOLDS,
    setAlertThreshold: () => DEFAULT_THRESHOLDS,
  }
}

const GONE: Outcome<never> = {
  ok: false,
  code: 'unknown-profile',
  message: 'That key is not connected any more.',
}
const NOTHING_KEPT: Outcome<never> = { ok: false, code: 'not-kept', message: 'Nothing is kept here.' }
const OVER: Outcome<never> = { ok: false, code: 'alert-over', message: 'That is over already.' }
