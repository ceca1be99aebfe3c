import { memo } from 'react'
import { safeSentence, stateSentence, usageSentence } from '../../app/conditions/messages/rows.ts'
import type { Severity } from '../../app/contract/severity.ts'
import { alsoCounts } from '../../app/quota/verdict.ts'
import { allowanceOf } from '../../app/status/allowance.ts'
import { clockText } from '../../app/status/moments.ts'
import {
  ageText,
  deskText,
  fullText,
  isStale,
  isUnchecked,
  leftParts,
  nextCheckText,
  othersText,
  ownText,
  quotaStatus,
  rowNote,
} from '../../app/status/quota-status.ts'
import { classesOf } from '../components/classes.ts'
import { Shape } from '../components/shape.tsx'
import { useLook, useParts, useQuota, useShown } from '../state/window-parts.ts'
import sheet from './capacity.module.css'
import { CapacityBar } from './capacity-bar.tsx'
import { chooseCategory } from './chosen-category.ts'
import { TREND, type TrendPath } from './trend-path.ts'
import { useRowActions } from './use-groups.ts'

const css = classesOf(sheet)

interface CategoryProps {
  readonly category: string
}

interface CapacityRowProps extends CategoryProps {
  readonly chosen: boolean
  /** Whether this is the worst row, which stays visible when the table scrolls. */
  readonly worst: boolean
  readonly trend: TrendPath | undefined
  /** Whether the table has the column of the desk's other machines. */
  readonly hasDesk: boolean
}

/** Media type of a dragged row's category. */
const DRAGGED = 'application/x-headroom-row'

export const CapacityRow = memo(function CapacityRow(props: CapacityRowProps) {
  const { category, chosen, worst, trend, hasDesk } = props
  const parts = useParts()
  const { moveTo } = useRowActions()
  const severity = useQuota(category, (quota, nowMs) => quotaStatus(quota, nowMs).severity) ?? 'unknown'
  const state = useQuota(category, (quota, nowMs) => quotaStatus(quota, nowMs).state)
  const source = useQuota(category, (quota) => quota.source)
  const stale = useQuota(category, isStale) ?? false
  const unchecked = useQuota(category, isUnchecked) ?? false
  const counted = useShown((snapshot) => alsoCounts(snapshot.requests, category).join(', '))
  const choose = () => chooseCategory(parts, category)
  return (
    // Keyboards and screen readers use the button with the row's name. A click anywhere in the row does the
    // same.
    <tr
      className={css(
        'row',
        source === 'default' && 'default',
        unchecked && 'unchecked',
        chosen && 'chosen',
        worst && 'worst',
      )}
      data-category={category}
      data-source={source}
      data-stale={stale}
      data-severity={severity}
      data-state={state}
      data-worst={worst}
      aria-current={chosen ? 'true' : undefined}
      draggable
      onClick={choose}
      onDragStart={({ dataTransfer }) => {
        dataTransfer.effectAllowed = 'move'
        dataTransfer.setData(DRAGGED, category)
      }}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(DRAGGED)) event.preventDefault()
      }}
      onDrop={(event) => {
        event.preventDefault()
        moveTo(event.dataTransfer.getData(DRAGGED), category)
      }}
    >
      <td className={css('state')} data-testid="state">
        <State category={category} severity={severity} />
      </td>
      <th scope="row" className={css('name')}>
        <button
          type="button"
          className={css('choose')}
          aria-label={category}
          aria-pressed={chosen}
          title={counted ? `${category}, also counts ${counted}` : category}
          onClick={choose}
        >
          <span className="cut">{category}</span>
        </button>
        {counted && (
          <div className={css('shared', 'muted')} data-testid="shared">
            + {counted}
          </div>
        )}
      </th>
      <td className={css('bar-cell')}>
        <CapacityBar category={category} />
      </td>
      <td className={css('count')}>
        <Left category={category} />
      </td>
      <td className={css('trend')} data-testid="trend">
        {trend && <Trend {...trend} />}
      </td>
      <td className={css('own')}>
        <Own category={category} />
      </td>
      {hasDesk && (
        <td className={css('desk')} data-testid="desk-use">
          <Desk category={category} />
        </td>
      )}
      <td className={css('others')}>
        <Others category={category} />
      </td>
      <td className={css('pace')} data-testid="allowance">
        <Allowance category={category} />
      </td>
      <td className={css('full', 'muted')}>
        <Full category={category} />
      </td>
      <td className={css('age')} data-testid="age-and-check">
        <Age category={category} />
      </td>
    </tr>
  )
})

function Trend({ line, area }: TrendPath) {
  return (
    <svg viewBox={`0 0 ${TREND.width} ${TREND.height}`} preserveAspectRatio="none" aria-hidden="true">
      <path className={css('trend-area')} d={area} />
      <path className={css('trend-line')} d={line} />
    </svg>
  )
}

// One component per cell, so that only cells with a changed text render again.

function State({ category, severity }: CategoryProps & { readonly severity: Severity }) {
  const label = useQuota(category, (quota, nowMs) => quotaStatus(quota, nowMs).label)
  const note = useQuota(category, rowNote)
  const title = useQuota(category, (quota, nowMs) =>
    [stateSentence(quota, nowMs), usageSentence(quota, nowMs), safeSentence(quota, nowMs)].join(' ').trim(),
  )
  return (
    <span className={css('state-line')} title={title}>
      <Shape severity={severity} label={label} />
      <b>{label}</b>
      {note && <span className={css('note')}>{note}</span>}
    </span>
  )
}

function Left({ category }: CategoryProps) {
  const word = useQuota(category, (quota, nowMs) => leftParts(quota, nowMs).word)
  const number = useQuota(category, (quota, nowMs) => leftParts(quota, nowMs).number)
  const limit = useQuota(category, (quota) => quota.limit)
  return (
    <>
      {word && <span className={css('was')}>{word} </span>}
      <span className="number" data-testid="remaining">
        {number}
      </span>{' '}
      <span className="muted">/ {limit}</span>
    </>
  )
}

function Own({ category }: CategoryProps) {
  return useQuota(category, ownText)
}

function Desk({ category }: CategoryProps) {
  return useQuota(category, (quota, _, { desk }) => deskText(quota, desk))
}

function Others({ category }: CategoryProps) {
  return useQuota(category, othersText)
}

function Allowance({ category }: CategoryProps) {
  const burst = useQuota(category, (...at) => allowanceOf(...at).burst)
  const text = useQuota(category, (...at) => allowanceOf(...at).text)
  return (
    <span className={css(burst !== undefined && 'allowance')}>
      {burst !== undefined && <span className="number">{burst}</span>} <span>{text}</span>
    </span>
  )
}

function Full({ category }: CategoryProps) {
  const as = useLook((look) => look.fullAs)
  return useQuota(category, (quota, nowMs) => fullText(quota, nowMs, as))
}

function Age({ category }: CategoryProps) {
  const age = useQuota(category, ageText)
  const source = useQuota(category, (quota) => quota.source)
  const check = useQuota(category, nextCheckText)
  const seen = useQuota(category, ({ observedAt }) =>
    observedAt === undefined ? '' : `last header at ${clockText(observedAt)}`,
  )
  // There is no room for both the source and the next check. A planned check replaces `documented`, which is
  // then only in the tooltip.
  const shown = source === 'default' && check !== '' ? '–' : age?.replace(/ ago$/, '')
  const next = check === 'now' ? 'check ' : 'check in '
  const about = [source === 'default' ? `limit ${age}` : seen, check && `next ${next}${check}`]
  return (
    <span title={about.filter(Boolean).join(', ')}>
      <span data-testid="age">{shown}</span>
      {age !== 'documented' && <span className={css('without-head')}> old</span>}
      {check !== '' && (
        <span className={css('check', 'muted')}>
          {' / '}
          <span className={css('without-head')}>{next}</span>
          <span data-testid="next-check">{check}</span>
        </span>
      )}
    </span>
  )
}
