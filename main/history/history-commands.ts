import type { historyContract } from '../../app/contract/history.ts'
import type { Feature } from '../../app/contract/ipc.ts'
import { UNKNOWN_PROFILE } from '../../app/contract/outcome.ts'
import { exportedFile } from './exports.ts'
import type { HistoryService } from './history-service.ts'

export function historyCommands(history: HistoryService): Feature<typeof historyContract> {
  return {
    handlers: {
      history: (query) => history.quotaHistory(query),
      programHistory: (query) => history.programHistory(query),
      trends: (query) => history.trends(query),
      recordedUses: (interval) => history.recordedUses(interval),
      report: (interval) => history.report(interval),
      exportFile: ({ what, ...interval }) => {
        const file = exportedFile(history, what, interval)
        return file ? { ok: true, file } : UNKNOWN_PROFILE
      },
      pastEvents: (interval) => history.pastEvents(interval),
      slotHistory: (asked) => history.slotHistory(asked),
      storage: () => history.status(),
      setRetention: (retention) => history.setRetention(retention),
    },
  }
}
