import type { ExportedFile, ExportKind } from '../../app/contract/memory-contract.ts'
import type { Incident } from '../../app/history/incident.ts'
import type { Report } from '../../app/history/report.ts'
import { reportCsv } from '../../app/history/report-csv.ts'

export interface ExportSource {
  report(profile: string, fromMs: number, toMs: number): Report
  incident(profile: string, fromMs: number, toMs: number): Incident | undefined
}

/** `undefined` for a profile that is not connected. */
export function exportedFile(
  source: ExportSource,
  what: ExportKind,
  profile: string,
  fromMs: number,
  toMs: number,
): ExportedFile | undefined {
  const stamp = new Date(fromMs).toISOString().slice(0, 16).replace(/[:]/g, '')
  switch (what) {
    case 'report-csv':
      return {
        name: `headroom-report-${stamp}.csv`,
        mediaType: 'text/csv',
        text: reportCsv(source.report(profile, fromMs, toMs)),
      }
    case 'report-json':
      return jsonFile(`headroom-report-${stamp}.json`, source.report(profile, fromMs, toMs))
    case 'incident': {
      const incident = source.incident(profile, fromMs, toMs)
      return incident && jsonFile(`headroom-incident-${stamp}.json`, incident)
    }
  }
}

const jsonFile = (name: string, value: unknown): ExportedFile => ({
  name,
  mediaType: 'application/json',
  text: `${JSON.stringify(value, null, 2)}\n`,
})
