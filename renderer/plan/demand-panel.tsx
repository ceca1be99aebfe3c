import { memo } from 'react'
import type { Severity } from '../../app/contract/severity.ts'
import type { PlannedProgram } from '../../app/plan/plan.ts'
import { isUnmeasured } from '../../app/plan/plan-words.ts'
import { OTHERS_NAME } from '../../app/plan/running.ts'
import type { CategoryVerdict, PlanVerdict, SlotVerdict } from '../../app/plan/verdict.ts'
import { streamCategoryName } from '../../app/service/stream-kinds.ts'
import { rateRangeText, shareText } from '../../app/status/rates.ts'
import { classesOf } from '../components/classes.ts'
import { Shape } from '../components/shape.tsx'
import { fillOf } from '../components/swatch.tsx'
import { ColumnHeads, SideScroll } from '../components/table.tsx'
import type { PlanDraft } from '../state/plan-draft.ts'
import planSheet from './plan.module.css'
import sheet from './plan-demand.module.css'

const css = classesOf({ ...planSheet, ...sheet })

/** Bounds for the position of the refill line, in per cent of a bar's width. */
const REFILL_AT_MOST = 80
const REFILL_AT_LEAST = 25

/**
 * Position of the line that shows the refill on all bars of a plan, in per cent of their width. Leaves room
 * for bars of up to four times the refill.
 */
function refillAt(categories: readonly CategoryVerdict[]): number {
  const highest = Math.max(
    0,
    ...categories.map(({ perSecond, capacityPerSecond }) => perSecond / capacityPerSecond),
  )
  return Math.max(REFILL_AT_LEAST, Math.min(REFILL_AT_MOST, Math.floor(98 / highest)))
}

/**
 * The plan's demand in each category next to the category's refill, and the slots that the plan's streams
 * need.
 */
export const DemandPanel = memo(function DemandPanel({
  draft,
  verdict: { categories, slots },
}: {
  readonly draft: PlanDraft
  readonly verdict: PlanVerdict
}) {
  const rows = Object.keys(draft.plan.limits)
  const placeOf = ({ category }: CategoryVerdict) =>
    rows.includes(category) ? rows.indexOf(category) : rows.length
  const markAt = refillAt(categories)
  const { unknown } = draft.base
  const inRowOrder = categories.toSorted((a, b) => placeOf(a) - placeOf(b))
  return (
    <section className={css('panel', 'demand')} aria-labelledby="plan-demand">
      <div className={css('head', 'heading')}>
        <h2 id="plan-demand">Demand against capacity</h2>
        <span className="cut">requests per second; the mark is the refill rate</span>
      </div>
      <SideScroll label="Demand by category">
        <table className={css('headed', 'demands')}>
          <thead>
            <tr>
              <ColumnHeads names={['Category', 'Share', 'per second', 'burst + reserve']} />
            </tr>
          </thead>
          <tbody>
            {inRowOrder.map((category) => (
              <DemandRow key={category.category} draft={draft} category={category} markAt={markAt} />
            ))}
          </tbody>
          {slots.length > 0 && (
            <tbody>
              <tr>
                <th scope="rowgroup" colSpan={4} className={css('group')}>
                  Stream slots
                </th>
              </tr>
              {slots.map((slot) => (
                <SlotRow
                  key={slot.category}
                  slot={slot}
                  isUnknown={unknown?.slots.includes(slot.category) ?? false}
                />
              ))}
            </tbody>
          )}
        </table>
        {categories.length === 0 && <p className={css('note')}>No requests planned.</p>}
        <RoomLeft categories={inRowOrder} unknown={unknown?.requests ?? []} />
      </SideScroll>
    </section>
  )
})

interface DemandRowProps {
  readonly draft: PlanDraft
  readonly category: CategoryVerdict
  /** Position of the refill line, in per cent of the bar's width. */
  readonly markAt: number
}

function DemandRow({ draft, category, markAt }: DemandRowProps) {
  const { category: name, perSecond, capacityPerSecond, burst, reserve, limit, fits } = category
  const share = perSecond / capacityPerSecond
  const { others: estimates, unknown } = draft.base
  const isUnknown = isUnmeasured(category, unknown)
  const severity = fits && isUnknown ? 'unknown' : severityOf(fits, category)
  const others = estimates.find((one) => one.category === name)
  const estimate =
    others === undefined
      ? isUnknown
        ? ', others not measured yet'
        : ''
      : `, others about ${others.perSecond.toFixed(2)}/s (${rateRangeText(others.low, others.high)}/s)`
  return (
    <tr data-demand={name} data-severity={severity} title={category.why}>
      <th scope="row">
        <Shape severity={severity} /> {name}
      </th>
      <td>
        {/* biome-ignore lint/a11y/useSemanticElements: a <meter> has no parts for programs */}
        <span
          className={css('stack')}
          role="meter"
          aria-label={`${name}, demand as a share of the refill${estimate}`}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.min(100, Math.round(share * 100))}
          aria-valuetext={`${shareText(share)}, ${fits ? (isUnknown ? 'fits so far' : 'fits') : 'does not fit'}`}
        >
          {draft.plan.programs.map((program, at) => (
            <Part key={program.name} program={program} at={at} category={category} markAt={markAt} />
          ))}
          <u style={{ left: `${markAt}%` }} />
          {share * markAt > 100 && <b className={css('broken')} />}
        </span>
      </td>
      <td className={css('number')}>
        {perSecond.toFixed(2)} <span className="muted">/ {capacityPerSecond.toFixed(2)}</span>{' '}
        <span className="word">{shareText(share)}</span>
      </td>
      <td className="muted">
        {burst} + {reserve} / {limit}
      </td>
    </tr>
  )
}

interface PartProps {
  readonly program: PlannedProgram
  readonly at: number
  readonly category: CategoryVerdict
  readonly markAt: number
}

function Part({ program, at, category: { category, capacityPerSecond }, markAt }: PartProps) {
  const perSecond = program.requests
    .filter((one) => one.category === category)
    .reduce((sum, one) => sum + one.perSecond, 0)
  if (perSecond === 0) return null
  const width = (markAt * perSecond) / capacityPerSecond
  const words = `${program.name} ${perSecond.toFixed(2)}/s${program.name === OTHERS_NAME ? ', an estimate' : ''}`
  return <i className={fillOf(program.name, at)} style={{ width: `${width}%` }} title={words} />
}

/** From this share of the refill on, a category counts as close to its limit. */
const CLOSE = 0.9

function severityOf(fits: boolean, { perSecond, capacityPerSecond, waits }: CategoryVerdict): Severity {
  if (!fits) return 'critical'
  const someWait = waits.some(({ program, worstSeconds }) => program !== OTHERS_NAME && worstSeconds !== 0)
  return someWait || perSecond / capacityPerSecond >= CLOSE ? 'warning' : 'ok'
}

interface SlotRowProps {
  readonly slot: SlotVerdict
  /** Whether no header has shown how many slots others use. */
  readonly isUnknown: boolean
}

function SlotRow({ slot, isUnknown }: SlotRowProps) {
  const { category, streams, shared, elsewhere, limit, fits } = slot
  const left = limit - shared - elsewhere
  const severity: Severity = !fits ? 'critical' : isUnknown ? 'unknown' : left === 0 ? 'warning' : 'ok'
  const leftText = isUnknown ? 'others ?' : `${left} left`
  return (
    <tr data-slots-of={category} data-severity={severity}>
      <th scope="row">
        <Shape severity={severity} /> {streamCategoryName(category)}
      </th>
      <td>
        <span className={css('cells')} aria-hidden="true">
          {Array.from({ length: limit }, (_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: slots have no names
            <i key={at} className={css(at < shared ? 'held' : at < shared + elsewhere && 'outside')} />
          ))}
        </span>
      </td>
      <td className={css('number')}>
        {shared + elsewhere} <span className="muted">/ {limit}</span>{' '}
        <span className="word">{fits ? leftText : `${-left} too many`}</span>
      </td>
      <td className="muted">
        {[
          ...(elsewhere > 0 ? [`${elsewhere} used by others`] : []),
          ...(shared < streams ? [`${streams - shared} shared`] : []),
        ].join(', ')}
      </td>
    </tr>
  )
}

interface RoomLeftProps {
  readonly categories: readonly CategoryVerdict[]
  /** Categories in which others' use is not known yet. They have at most the room that is shown. */
  readonly unknown: readonly string[]
}

/** The rate and burst that remain for one more program. */
function RoomLeft({ categories, unknown }: RoomLeftProps) {
  if (categories.length === 0) return null
  return (
    <>
      <h3 className={css('subhead')}>
        Room left <span>for one more program</span>
      </h3>
      <ul className={css('room')}>
        {categories.map(({ category, perSecond, capacityPerSecond, burst, reserve, limit }) => {
          const rate = Math.floor(Math.max(0, capacityPerSecond - perSecond) * 100) / 100
          const once = Math.max(0, limit - burst - reserve)
          const atMost = unknown.includes(category) ? 'at most ' : ''
          return (
            <li key={category} className={css('chip')}>
              {category}{' '}
              <b>{rate === 0 || once === 0 ? 'none' : `${atMost}${rate.toFixed(2)}/s, ${once} at once`}</b>
            </li>
          )
        })}
      </ul>
    </>
  )
}
