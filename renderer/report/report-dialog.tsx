import { useEffect, useState } from 'react'
import type { ExportedFile, ExportKind, Report } from '../../app/contract/history.ts'
import { dayAndMinuteText } from '../../app/status/moments.ts'
import { Button } from '../components/controls.tsx'
import { DialogFrame } from '../components/dialog-frame.tsx'
import { Refusal } from '../components/form.tsx'
import { saveFile } from '../hooks/save-file.ts'
import { unanswered, useAsked } from '../hooks/use-asked.ts'
import { useParts, useSnapshot } from '../state/window-parts.ts'
import { ReportTables } from './report-tables.tsx'
import { REPORT_RANGE_LABELS, REPORT_RANGES, type ReportRange, reportStart } from './report-text.ts'

const EXPORT_LABELS: Readonly<Record<ExportKind, string>> = {
  'report-csv': 'Save as CSV',
  'report-json': 'Save as JSON',
  incident: 'Save for support',
}

export function ReportDialog() {
  const { live } = useParts()
  const profile = useSnapshot((snapshot) => snapshot.profile)
  const [range, setRange] = useState<ReportRange>('24 h')
  const asked = useReport(profile?.id, range)
  const about =
    asked.kind === 'there'
      ? `${profile?.name} · ${betweenText(asked.report.from, asked.report.to, live.ticker.nowMs())}`
      : profile?.name
  return (
    <DialogFrame title="Who used what" about={about ?? 'No key is connected.'} width="wide">
      <fieldset className="segments" aria-label="Time">
        {REPORT_RANGES.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="range"
              value={one}
              checked={one === range}
              onChange={() => setRange(one)}
            />
            {REPORT_RANGE_LABELS[one]}
          </label>
        ))}
      </fieldset>
      {asked.kind === 'asking' && <p>Loading…</p>}
      {asked.kind === 'failed' && <p className="refusal">{asked.why}</p>}
      {asked.kind === 'there' && <ReportTables report={asked.report} />}
      {profile !== undefined && <Exports profile={profile.id} range={range} />}
    </DialogFrame>
  )
}

const betweenText = (fromMs: number, toMs: number, nowMs: number) =>
  `${dayAndMinuteText(fromMs, nowMs)} to ${dayAndMinuteText(toMs, fromMs)}`

function Exports({ profile, range }: { readonly profile: string; readonly range: ReportRange }) {
  const { api, live } = useParts()
  const asked = useAsked<{ readonly file: ExportedFile }>()
  const save = async (what: ExportKind) => {
    const toMs = Math.round(live.ticker.nowMs())
    const answer = await asked.run(() =>
      api.exportFile({ profile, fromMs: reportStart(range, toMs), toMs, what }),
    )
    if (answer?.ok) saveFile(answer.file)
  }
  return (
    <>
      <Refusal words={asked.refusal} />
      <div className="actions">
        {(Object.keys(EXPORT_LABELS) as ExportKind[]).map((what) => (
          <Button key={what} disabled={asked.waiting} onClick={() => void save(what)}>
            {EXPORT_LABELS[what]}
          </Button>
        ))}
      </div>
      <p className="hint">The support file also has events and request ids. No file has secrets.</p>
    </>
  )
}

type AskedReport =
  | { readonly kind: 'asking' }
  | { readonly kind: 'there'; readonly report: Report }
  | { readonly kind: 'failed'; readonly why: string }

/** The report of a range. Fetched only once, because its interval does not change. */
function useReport(profile: string | undefined, range: ReportRange): AskedReport {
  const { api, live } = useParts()
  const [asked, setAsked] = useState<AskedReport>({ kind: 'asking' })
  useEffect(() => {
    if (profile === undefined) return
    let stopped = false
    setAsked({ kind: 'asking' })
    const toMs = Math.round(live.ticker.nowMs())
    api.report({ profile, fromMs: reportStart(range, toMs), toMs }).then(
      (report) => !stopped && setAsked({ kind: 'there', report }),
      (error: unknown) => !stopped && setAsked({ kind: 'failed', why: unanswered(error) }),
    )
    return () => {
      stopped = true
    }
  }, [api, live, profile, range])
  return asked
}
