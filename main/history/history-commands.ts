import type { historyContract } from '../../app/contract/history.ts'
import type { Feature } from '../../app/contract/ipc.ts'
import { UNKNOWN_PROFILE } from '../../app/contract/outcome.ts'
import { exportedFile } from './exports.ts'
import type { HistoryService } from './history-service.ts'

/** The window's commands for the history and its retention. */
export function historyCommands(history: HistoryService): Feature<typeof historyContract> {
  return {
    handlers: {
      history: ({ profile, category, fromMs, toMs, points }) =>
        history.quotaHistory(profile, category, fromMs, toMs, points),
      programHistory: ({ profile, category, ...query }) => history.programHistory(profile, category, query),
      trends: ({ profile, fromMs, toMs, points }) => history.trends(profile, fromMs, toMs, points),
      recordedUses: ({ profile, fromMs, toMs }) => history.recordedUses(profile, fromMs, toMs),
      report: ({ profile, fromMs, toMs }) => history.report(profile, fromMs, toMs),
      exportFile: ({ profile, fromMs, toMs, what }) => {
        const file = exportedFile(history, what, profile, fromMs, toMs)
        return file ? { ok: true, file } : UNKNOWN_PROFILE
      },
      pastEvents: ({ profile, fromMs, toMs }) => history.pastEvents(profile, fromMs, toMs),
      slotHistory: ({ profile, category, fromMs, toMs }) =>
        history.slotHistory(profile, category, fromMs, toMs),
      storage: () => history.status(),
      setRetention: (retention) => history.setRetention(retention),
    },
  }
}
