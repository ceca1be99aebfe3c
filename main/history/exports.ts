import type { ExportedFile, ExportKind } from '../../app/contract/history.ts'
import { type ExportedKey, isoTime, reportCsv, reportJson } from '../../app/history/report-csv.ts'
import type { Interval } from './history-file.ts'
import type { HistoryService } from './history-service.ts'

/** An export as a file: name, media type and text. `undefined` for a profile that is not connected. */
export function exportedFile(
  source: Pick<HistoryService, 'version' | 'environment' | 'report' | 'incident'>,
  what: ExportKind,
  interval: Interval,
): ExportedFile | undefined {
  const { profile, fromMs } = interval
  const environment = source.environment(profile)
  if (environment === undefined) return undefined
  const key = { profile, environment }
  switch (what) {
    case 'report-csv':
      return {
        name: exportName('report', key, fromMs, 'csv'),
        mediaType: 'text/csv',
        text: reportCsv(source.report(interval), key),
      }
    case 'report-json': {
      const report = reportJson(source.report(interval), key, source.version)
      return jsonFile(exportName('report', key, fromMs, 'json'), report)
    }
    case 'incident': {
      const incident = source.incident(interval)
      return incident && jsonFile(exportName('incident', key, fromMs, 'json'), incident)
    }
  }
}

/** A file name such as `headroom-report-key-1-live-2026-01-05T1530.csv`, valid on every file system. */
export function exportName(
  what: string,
  { profile, environment }: ExportedKey,
  fromMs: number,
  extension: string,
): string {
  const stamp = isoTime(fromMs).slice(0, 16).replaceAll(':', '')
  const parts = [what, profile, environment, stamp].map((part) => part.replace(/[^\w-]+/g, '-'))
  return `headroom-${parts.filter((part) => part !== '').join('-')}.${extension}`
}

const jsonFile = (name: string, value: unknown): ExportedFile => ({
  name,
  mediaType: 'application/json',
  text: `${JSON.stringify(value, null, 2)}\n`,
})
