import { levelAt } from '../../app/quota/model.ts'
import { alsoCounts } from '../../app/quota/shown-rows.ts'
import { clockText } from '../../app/status/moments.ts'
import { rateText } from '../../app/status/rates.ts'
import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import { Shape } from '../theme/shape.tsx'
import { useLook, useParts, useQuota, useShown } from '../view/window-parts.ts'
import {
  ageWords,
  fullWords,
  isStale,
  nextWords,
  remainingWords,
  rowSeverity,
  verdictWords,
} from '../words/row-words.ts'
import sheet from './capacity.module.css'
import { CapacityBar } from './capacity-bar.tsx'

const css = classesOf({ ...controlsSheet, ...sheet })

interface CategoryProps {
  readonly category: string
}

export function CapacityRow({ category, chosen }: CategoryProps & { readonly chosen: boolean }) {
  const { view } = useParts()
  const severity = useQuota(category, rowSeverity) ?? 'unseen'
  const source = useQuota(category, (quota) => quota.source)
  const stale = useQuota(category, isStale) ?? false
  const counted = useShown((snapshot) => alsoCounts(snapshot.requests, category).join(', '))
  const choose = () => view.setState({ category })
  return (
    // The name is the row's button for keyboards and screen readers; a click anywhere in the row is a shortcut to it.
    <tr
      className={css('row', severity, source === 'default' && 'default', chosen && 'chosen')}
      data-category={category}
      data-source={source}
      data-stale={stale}
      data-severity={severity}
      onClick={choose}
    >
      <th scope="row" className={css('name')}>
        <button
          type="button"
          className={css('choose')}
          aria-pressed={chosen}
          title={counted ? `also counts ${counted}` : undefined}
          onClick={choose}
        >
          <Shape severity={severity} />
          <span>{category}</span>
        </button>
      </th>
      <td className={css('bar-cell')}>
        <CapacityBar category={category} />
      </td>
      <td className={css('count')}>
        <Remaining category={category} />
      </td>
      <td className={css('rate')}>
        <Use category={category} />
      </td>
      <td className={css('elsewhere')}>
        <Elsewhere category={category} />
      </td>
      <td className={css('rate')}>
        <Next category={category} />
      </td>
      <td className={css('full', 'muted')}>
        <Full category={category} />
      </td>
      <td className={css('word')} data-testid="verdict">
        <VerdictWord category={category} />
      </td>
      <td className={css('muted')} data-testid="age">
        <Age category={category} />
      </td>
    </tr>
  )
}

// One component a cell, so that a tick renders the cells whose words changed and no others.

function Remaining({ category }: CategoryProps) {
  const words = useQuota(category, (quota, nowMs) => remainingWords(quota, levelAt(quota, nowMs), nowMs))
  const limit = useQuota(category, (quota) => quota.limit)
  return (
    <>
      <span className={css('number')} data-testid="remaining">
        {words}
      </span>{' '}
      <span className={css('muted')}>/ {limit}</span>
    </>
  )
}

function Use({ category }: CategoryProps) {
  return useQuota(category, (quota) => rateText(quota.use?.total))
}

function Elsewhere({ category }: CategoryProps) {
  return useQuota(category, (quota) => rateText(quota.use?.elsewhere))
}

function Next({ category }: CategoryProps) {
  return useQuota(category, (quota, nowMs) => nextWords(quota, levelAt(quota, nowMs), nowMs))
}

function Full({ category }: CategoryProps) {
  const as = useLook((look) => look.fullAs)
  return useQuota(category, (quota, nowMs) => fullWords(quota, levelAt(quota, nowMs), nowMs, as))
}

function VerdictWord({ category }: CategoryProps) {
  return useQuota(category, verdictWords)
}

function Age({ category }: CategoryProps) {
  const words = useQuota(category, ageWords)
  const seenAt = useQuota(category, (quota) => quota.observedAt)
  return <span title={seenAt === undefined ? undefined : `header seen at ${clockText(seenAt)}`}>{words}</span>
}
