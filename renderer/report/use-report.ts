import { useEffect, useState } from 'react'
import type { Report } from '../../app/history/report.ts'
import { unanswered } from '../hooks/use-asked.ts'
import { useParts } from '../state/window-parts.ts'
import { type ReportRange, reportStart } from './report-ranges.ts'

export type AskedReport =
  | { readonly kind: 'asking' }
  | { readonly kind: 'there'; readonly report: Report }
  | { readonly kind: 'failed'; readonly why: string }

/** The report of a range, fetched once: its interval does not move. */
export function useReport(profile: string | undefined, range: ReportRange): AskedReport {
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
