import { levelAt } from '../../app/quota/model.ts'
import { classesOf } from '../theme/classes.ts'
import { useQuota } from '../view/window-parts.ts'
import { isStale, RESERVE_FRACTION } from '../words/row-words.ts'
import { barParts } from './bar-parts.ts'
import sheet from './capacity.module.css'

const css = classesOf(sheet)

/** Solid: what the header said. Hatched: what the model adds since. The tick is the reserve. */
export function CapacityBar({ category }: { readonly category: string }) {
  const seen = useQuota(category, (quota, nowMs) => barParts(quota, levelAt(quota, nowMs), nowMs).seen) ?? 0
  const modelled =
    useQuota(category, (quota, nowMs) => barParts(quota, levelAt(quota, nowMs), nowMs).modelled) ?? 0
  const isDefault = useQuota(category, (quota) => quota.source === 'default') ?? true
  const stale = useQuota(category, isStale) ?? false
  const remaining = useQuota(category, (quota, nowMs) => Math.floor(levelAt(quota, nowMs))) ?? 0
  const limit = useQuota(category, (quota) => quota.limit) ?? 0
  const text = isDefault
    ? `not seen; the standard limit is ${limit}`
    : `${stale ? 'about ' : ''}${remaining} of ${limit}`
  return (
    // A <meter> draws itself and could show neither the hatching nor the tick.
    // biome-ignore lint/a11y/useSemanticElements: see above
    <span
      className={css('bar')}
      role="meter"
      aria-label={`${category}, remaining requests`}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={remaining}
      aria-valuetext={text}
    >
      {!isDefault && (
        <>
          <i style={{ width: `${seen}%` }} />
          <em style={{ left: `${seen}%`, width: `${modelled}%` }} />
          <u style={{ left: `${RESERVE_FRACTION * 100}%` }} />
        </>
      )}
    </span>
  )
}
