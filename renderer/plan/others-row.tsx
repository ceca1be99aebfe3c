import { memo } from 'react'
import { OTHERS_NAME, type OthersEstimate, type RunningPlan } from '../../app/plan/running.ts'
import { sinceText } from '../../app/status/durations.ts'
import { dayAndMinuteText } from '../../app/status/moments.ts'
import { countText, rateRangeText } from '../../app/status/rates.ts'
import { classesOf } from '../components/classes.ts'
import { Swatch } from '../components/swatch.tsx'
import { useMoment } from '../state/window-parts.ts'
import sheet from './plan-programs.module.css'

const css = classesOf(sheet)

interface OthersRowProps {
  readonly base: RunningPlan
  readonly at: number
}

export const OthersRow = memo(function OthersRow({ base: { others, recordedFromMs }, at }: OthersRowProps) {
  const oldestMs = Math.min(...others.map(({ observedAtMs }) => observedAtMs ?? 0))
  const age = useMoment(({ nowMs }) => {
    if (recordedFromMs !== undefined)
      return `from recorded minutes since ${dayAndMinuteText(recordedFromMs, nowMs)}`
    return oldestMs > 0 ? `headers up to ${sinceText(oldestMs, nowMs)} old` : 'no header yet'
  })
  const total = (of: (one: OthersEstimate) => number) => others.reduce((sum, one) => sum + of(one), 0)
  const range = rateRangeText(
    total(({ low }) => low),
    total(({ high }) => high),
  )
  return (
    <tbody data-program={OTHERS_NAME}>
      <tr className={css('first')}>
        <th scope="row">
          <span className={css('name')}>
            <Swatch name={OTHERS_NAME} at={at} />
            <b>{OTHERS_NAME}</b>
          </span>
        </th>
        <td colSpan={2} className="muted">
          estimate
        </td>
        <td colSpan={4} className="muted" data-testid="plan-others">
          about {total(({ perSecond }) => perSecond).toFixed(2)}/s
          {recordedFromMs === undefined && `, ${range}/s`}, in{' '}
          {countText(others.length, 'category', 'categories')}; {age}
        </td>
        <td colSpan={2} className="muted" title="Others bypass the gateway and never wait.">
          –
        </td>
      </tr>
    </tbody>
  )
})
