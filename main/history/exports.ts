import type { ExportedFile, ExportKind } from '../../app/contract/history.ts'
import { type IncidentInput, incidentOf } from '../../app/history/incident.ts'
import { type ExportedKey, isoTime, reportCsv, reportJson } from '../../app/history/report-csv.ts'

/** An export as a file: name, media type and text. */
export function exportedFile(what: ExportKind, fromMs: number, input: IncidentInput): ExportedFile {
  const { id: profile, environment } = input.snapshot.profile
  const key = { profile, environment }
  switch (what) {
    case 'report-csv':
      return {
        name: exportName('report', key, fromMs, 'csv'),
        mediaType: 'text/csv',
        text: reportCsv(input.report, key),
      }
    case 'report-json': {
      const report = reportJson(input.report, key, input.version)
      return jsonFile(exportName('report', key, fromMs, 'json'), report)
    }
    case 'incident':
      return jsonFile(exportName('incident', key, fromMs, 'json'), incidentOf(input))
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
