import type { RequestQuota } from '../../app/contract/snapshot.ts'
import { isUnchecked, leftText } from '../../app/status/quota-status.ts'
import barSheet from '../components/bar.module.css'
import { classesOf } from '../components/classes.ts'
import { useQuota } from '../state/window-parts.ts'
import { type BarParts, barParts } from './bar-parts.ts'
import sheet from './capacity.module.css'

const css = classesOf({ ...barSheet, ...sheet })

/** Parts of a row's bar at `nowMs`. For an unchecked row, the level of its last header is only `possible`. */
function partsAt(quota: RequestQuota, nowMs: number): BarParts {
  const { seen = quota.remaining, limit } = quota
  return barParts(isUnchecked(quota, nowMs) ? { low: 0, high: seen, limit } : quota)
}

/**
 * A bar that is solid for the lower bound and hatched up to the upper bound. The tick is the row's threshold.
 */
export function CapacityBar({ category }: { readonly category: string }) {
  const low = useQuota(category, (quota, nowMs) => partsAt(quota, nowMs).low) ?? 0
  const possible = useQuota(category, (quota, nowMs) => partsAt(quota, nowMs).possible) ?? 0
  const threshold =
    useQuota(category, (quota, nowMs) => (isUnchecked(quota, nowMs) ? 0 : quota.threshold)) ?? 0
  const isDefault = useQuota(category, (quota) => quota.source === 'default') ?? true
  const left = useQuota(category, leftText) ?? ''
  const remaining = useQuota(category, (quota) => quota.remaining) ?? 0
  const limit = useQuota(category, (quota) => quota.limit) ?? 0
  const text = isDefault
    ? `not checked; the documented limit is ${limit}`
    : `${left.replace('~', 'about ')} of ${limit}`
  return (
    // A <meter> could show neither the hatching nor the tick.
    // biome-ignore lint/a11y/useSemanticElements: see above
    <span
      className={css('bar', 'of-row')}
      role="meter"
      aria-label={`${category}, requests left`}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={remaining}
      aria-valuetext={text}
    >
      {!isDefault && (
        <>
          <i style={{ width: `${low}%` }} />
          <em style={{ left: `${low}%`, width: `${possible}%` }} />
          {threshold > 0 && <u style={{ left: `${threshold * 100}%` }} />}
        </>
      )}
    </span>
  )
}
