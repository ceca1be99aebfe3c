import { memo } from 'react'
import type { SlotQuota } from '../../app/contract/snapshot.ts'
import { capitalised } from '../../app/status/sentences.ts'
import { slotStatus } from '../../app/status/stream-status.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { slotAge, slotCells, slotSource, slotText } from '../format/slot-text.ts'
import { useShown, useSnapshot } from '../state/window-parts.ts'
import sheet from './slots.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** Maximum number of slots drawn as cells; for more, only the number is shown. */
const MAX_CELLS = 100

const NONE: readonly SlotQuota[] = []

export function SlotMap() {
  const slots = useSnapshot((snapshot) => snapshot.slots) ?? NONE
  return (
    <section className={css('part')} aria-labelledby="slots-title">
      <div className={css('head')}>
        <h2 id="slots-title">Stream slots</h2>
        <span>open at once</span>
      </div>
      <div className={css('slots')}>
        {slots.map((quota) => (
          <SlotGroup key={quota.category} quota={quota} />
        ))}
      </div>
    </section>
  )
}

const SlotGroup = memo(function SlotGroup({ quota }: { readonly quota: SlotQuota }) {
  const isDefault = quota.source === 'default'
  const { severity, label } = slotStatus(quota)
  return (
    <div
      className={css('group', severity, isDefault && 'default')}
      data-slots={quota.category}
      data-source={quota.source}
      data-severity={severity}
      title={label ? `${capitalised(label)}. ${slotSource(quota)}` : slotSource(quota)}
    >
      <div className={css('words')}>
        <span>
          {quota.category} <Age quota={quota} />
        </span>
        <span>
          <b className={css('number')} data-testid="free">
            {quota.free}
          </b>{' '}
          <span className={css('muted')}>{slotText(quota)}</span>
        </span>
      </div>
      {quota.limit <= MAX_CELLS && (
        <div className={css('cells')} aria-hidden="true">
          {slotCells(quota).map((cell, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its position and nothing else
            <i key={index} className={css(cell)} data-slot={cell} />
          ))}
        </div>
      )}
    </div>
  )
})

function Age({ quota }: { readonly quota: SlotQuota }) {
  const age = useShown((_, nowMs) => slotAge(quota, nowMs))
  return (
    <small className={css('age')} data-testid="slot-age">
      {age}
    </small>
  )
}
