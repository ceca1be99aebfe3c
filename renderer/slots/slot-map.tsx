import { memo } from 'react'
import { isStopped as cannotCall, conditionsOf } from '../../app/conditions/evaluate.ts'
import { OTHERS_ARE } from '../../app/conditions/messages/rows.ts'
import type { SlotQuota, StreamSummary } from '../../app/contract/snapshot.ts'
import { streamCategoryName } from '../../app/service/stream-kinds.ts'
import { capitalised } from '../../app/status/sentences.ts'
import { readByText, slotStatus } from '../../app/status/stream-status.ts'
import { classesOf } from '../components/classes.ts'
import { Shape } from '../components/shape.tsx'
import { Unlisted } from '../components/unlisted.tsx'
import {
  freeText,
  othersSlotsText,
  ownSlots,
  slotAge,
  slotCells,
  slotSource,
  unobservedText,
  usedSlots,
} from '../format/slot-text.ts'
import { useShown, useSnapshot } from '../state/window-parts.ts'
import sheet from './slots.module.css'

const css = classesOf(sheet)

/** Maximum number of slots drawn as cells. Beyond it, only the number is shown. */
const MAX_CELLS = 100
/** Maximum number of slots for which cells have borders. */
const FEW_CELLS = 12

const UNKNOWN = { severity: 'unknown', label: '' } as const
const NONE: readonly SlotQuota[] = []
const NO_STREAMS: readonly StreamSummary[] = []

export function SlotMap() {
  const slots = useSnapshot((snapshot) => snapshot.slots) ?? NONE
  const streams = useSnapshot((snapshot) => snapshot.streams) ?? NO_STREAMS
  const hasDesk = useSnapshot(({ desk }) => desk !== undefined) ?? false
  const isStopped = useShown((snapshot, nowMs) => cannotCall(conditionsOf(snapshot, nowMs))) ?? false
  return (
    <section className={css('part')} aria-labelledby="slots-title">
      <div className="head">
        <h2 id="slots-title">Stream slots</h2>
        <Unlisted of="slots" />
        <span className={css('legend')}>
          open at once · <i className={css('own-mark')} /> own{' '}
          {hasDesk && (
            <>
              <i className={css('desk-mark')} /> desk{' '}
            </>
          )}
          <i className={css('others-mark')} /> <span title={OTHERS_ARE}>others</span>
        </span>
      </div>
      <ul className={css('slots')} aria-label="Stream slots">
        {slots.map((quota) => (
          <SlotGroup
            key={quota.category}
            quota={quota}
            isKnown={!isStopped && quota.source !== 'default'}
            shared={sharedText(streams, quota.category)}
          />
        ))}
      </ul>
    </section>
  )
}

/** The group's streams that have readers, one per line. */
const sharedText = (streams: readonly StreamSummary[], category: string): string =>
  streams
    .filter((stream) => stream.category === category && stream.readers)
    .map((stream) => `${stream.target}: ${readByText(stream, 'slot')}`)
    .join('\n')

interface GroupProps {
  readonly quota: SlotQuota
  /** Whether the slot count is current: it comes from a header, and not all calls of the key are failing. */
  readonly isKnown: boolean
  readonly shared: string
}

const SlotGroup = memo(function SlotGroup({ quota, isKnown, shared }: GroupProps) {
  const { severity, label } = isKnown ? slotStatus(quota) : UNKNOWN
  const about = [label && `${capitalised(label)}.`, othersSlotsText(quota), slotSource(quota)]
  return (
    <li
      className={css('group', !isKnown && 'unknown')}
      data-slots={quota.category}
      data-source={quota.source}
      data-severity={severity}
      title={[quota.category, ...about.filter(Boolean)].join('\n')}
    >
      <Shape severity={severity} label={label} />
      <span className={css('name', 'cut')}>{streamCategoryName(quota.category)}</span>
      <span className={css('cells', quota.limit <= FEW_CELLS && 'few')} aria-hidden="true">
        {quota.limit <= MAX_CELLS &&
          slotCells(isKnown ? quota : { ...quota, elsewhere: 0 }).map((cell, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its position and nothing else
            <i key={index} className={css(cell)} data-slot={cell} />
          ))}
      </span>
      {isKnown && <Age quota={quota} />}
      <span className={css('used')} data-testid="used">
        <b className="number">{isKnown ? usedSlots(quota) : ownSlots(quota)}</b> / {quota.limit}
      </span>
      <span className={css('free-word')} data-testid="free">
        {isKnown ? freeText(quota) : unobservedText(quota)}
      </span>
      {shared && (
        <small className={css('shared')} data-testid="shared">
          {shared}
        </small>
      )}
    </li>
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
