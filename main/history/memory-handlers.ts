import type { AppContract, Outcome } from '../../app/contract/contract.ts'
import type { Handlers } from '../../app/contract/ipc.ts'
import type { memoryContract } from '../../app/contract/memory-contract.ts'
import { reportOf } from '../../app/history/report.ts'
import { DEFAULT_THRESHOLDS } from '../../app/quota/thresholds.ts'
import type { MonitorSurface } from '../monitor/monitor-surface.ts'
import { exportedFile } from './exports.ts'
import type { Memory } from './memory.ts'

export type MemoryHandlers = Handlers<typeof memoryContract> & Pick<Handlers<AppContract>, 'history'>

/** The commands of a window that ask the memory. */
export function memoryHandlers(memory: Memory): MemoryHandlers {
  return {
    history: ({ profile, category, fromMs, toMs, points }) =>
      memory.history(profile, category, fromMs, toMs, points),
    report: ({ profile, fromMs, toMs }) => memory.report(profile, fromMs, toMs),
    exportFile: ({ profile, fromMs, toMs, what }) => {
      const file = exportedFile(memory, what, profile, fromMs, toMs)
      return file ? { ok: true, file } : GONE
    },
    pastEvents: ({ profile, fromMs, toMs }) => memory.pastEvents(profile, fromMs, toMs),
    slotHistory: ({ profile, category, fromMs, toMs }) => memory.slotHistory(profile, category, fromMs, toMs),
    storage: () => memory.status(),
    setRetention: (retention) => memory.setRetention(retention),
    alerts: () => memory.alerts(),
    dismissAlert: ({ id }) => (memory.dismissAlert(id) ? { ok: true } : OVER),
    alertThresholds: ({ profile }) => memory.thresholds(profile),
    setAlertThreshold: ({ profile, category, below }) => memory.setThreshold(profile, category, below),
  }
}

/** For a host that remembers nothing but the last minutes. */
export function withoutMemory(monitor: Pick<MonitorSurface, 'history'>): MemoryHandlers {
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
