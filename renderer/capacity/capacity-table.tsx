import { type ComponentProps, useCallback } from 'react'
import { judgedRows } from '../../app/conditions/evaluate.ts'
import { OTHERS_ARE } from '../../app/conditions/messages/rows.ts'
import { mostUrgent } from '../../app/contract/severity.ts'
import type { RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import { quotaStatus } from '../../app/status/quota-status.ts'
import { classesOf } from '../components/classes.ts'
import { IconButton } from '../components/controls.tsx'
import { LazyMenu, menuCode } from '../components/lazy-menu.tsx'
import { Shape } from '../components/shape.tsx'
import { Unlisted } from '../components/unlisted.tsx'
import { useRepeated } from '../hooks/use-repeated.ts'
import type { RowGroup } from '../state/row-groups.ts'
import { useLook, useParts, usePausedSince, useShown, useSnapshot } from '../state/window-parts.ts'
import sheet from './capacity.module.css'
import { CapacityRow } from './capacity-row.tsx'
import { useChosenCategory } from './chosen-category.ts'
import { TREND, type TrendPath, trendPaths } from './trend-path.ts'
import { useGroups, useRowActions } from './use-groups.ts'

const css = classesOf(sheet)

export function CapacityTable() {
  const groups = useGroups()
  const trends = useTrends()
  const hasDesk = useSnapshot(({ desk }) => desk !== undefined) ?? false
  const further = hasDesk ? WITH_DESK : FURTHER_COLUMNS
  const fixed = useShown((snapshot) => snapshot.requests.some((quota) => quota.model === 'fixed'))
  const threshold = useShown((snapshot) => commonThresholdText(snapshot.requests))
  const chosen = useChosenCategory()
  const worst = useShown(worstCategory)
  return (
    <section className={css('panel', 'capacity')} aria-labelledby="capacity-title">
      <div className="head">
        <h2 id="capacity-title">Request quotas</h2>
        <span className={css('about')}>
          {fixed && 'fixed windows · '}solid = certain, hatched = possible, mark = low below {threshold}
        </span>
        <span className={css('about', 'who')}>{OTHERS_ARE}</span>
        <Unlisted of="requests" />
        <RowTools category={chosen} />
      </div>
      <div className="scroll">
        <table className={css('headed', 'table', hasDesk && 'with-desk')} aria-labelledby="capacity-title">
          <thead>
            <tr>
              <th scope="col" className={css('state')}>
                State
              </th>
              <th scope="col" className={css('name')}>
                Category
              </th>
              <th scope="col" className={css('bar-cell')}>
                Left
              </th>
              <th scope="col" className={css('count')}>
                <span className={css('beside-bar')}>of limit</span>
                <span className={css('without-bar')}>Left</span>
              </th>
              <th scope="col" className={css('trend')}>
                15 min
              </th>
              <th scope="col" className={css('own')}>
                Own /s
              </th>
              {hasDesk && (
                <th scope="col" className={css('desk')} title="The desk’s other machines.">
                  Desk /s
                </th>
              )}
              <th scope="col" className={css('others')} title={`${OTHERS_ARE} Estimated from headers.`}>
                Others /s
              </th>
              <th scope="col" className={css('pace')}>
                Burst now, then pace
              </th>
              <th scope="col" className={css('full')}>
                <FullHead />
              </th>
              <th
                scope="col"
                className={css('age')}
                title="Age of the last header, and the time until the next check."
              >
                Age <span className={css('check')}>/ check in</span>
              </th>
            </tr>
          </thead>
          {groups.length === 0 && (
            <tbody>
              <tr className={css('group')}>
                <th colSpan={2}>No quotas yet.</th>
                {further.map((column) => (
                  <td key={column} className={css(column)} />
                ))}
              </tr>
            </tbody>
          )}
          {groups.map((group) => (
            <tbody key={group.id} data-group={group.id}>
              <GroupHead group={group} further={further} />
              {group.rows.map((category) => (
                <CapacityRow
                  key={category}
                  category={category}
                  chosen={category === chosen}
                  worst={category === worst}
                  trend={trends.get(category)}
                  hasDesk={hasDesk}
                />
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </section>
  )
}

/** The worst row, which stays visible when the table scrolls. `undefined` while all rows are ok. */
function worstCategory(snapshot: Snapshot, nowMs: number): string | undefined {
  const [tightest] = judgedRows(snapshot, nowMs)
  return tightest === undefined || tightest.state === 'ok' ? undefined : tightest.row.category
}

/**
 * The columns that only a wide window shows. In a heading row, each of them has a cell of its own. A single
 * cell across them would take up space even while they are hidden.
 */
const FURTHER_COLUMNS = ['bar-cell', 'count', 'trend', 'own', 'others', 'pace', 'full', 'age'] as const
const WITH_DESK = [...FURTHER_COLUMNS.slice(0, 4), 'desk', ...FURTHER_COLUMNS.slice(4)] as const

interface GroupHeadProps {
  readonly group: RowGroup
  readonly further: readonly string[]
}

/** The heading of a group. Its button shows or hides the rows for which no quota header has arrived. */
function GroupHead({ group: { id, name, window, unseen, isOpen }, further }: GroupHeadProps) {
  const { view } = useParts()
  const toggle = () =>
    view.setState(({ openGroups }) => ({
      openGroups: isOpen ? openGroups.filter((one) => one !== id) : [...openGroups, id],
    }))
  return (
    <tr className={css('group')}>
      <th scope="rowgroup" colSpan={2}>
        <span>
          <b>{name}</b> {window}
          {unseen > 0 && (
            <button type="button" className={css('fold')} aria-expanded={isOpen} onClick={toggle}>
              {isOpen ? '▾' : '▸'} {unseen} more, not checked
            </button>
          )}
        </span>
      </th>
      {further.map((column) => (
        <td key={column} className={css(column)} />
      ))}
    </tr>
  )
}

function RowTools({ category }: { readonly category: string | undefined }) {
  const actions = useRowActions()
  const isPinned = useLook(({ rows }) => category !== undefined && rows.pinned.includes(category))
  if (category === undefined) return null
  return (
    <div className={css('tools')}>
      <Tool
        icon="pin"
        label={`Pin ${category} on top`}
        shortcut="*"
        pressed={isPinned}
        onClick={() => actions.pin()}
      />
      <Tool icon="up" label={`Move ${category} up`} shortcut="K" onClick={() => actions.move(-1)} />
      <Tool icon="down" label={`Move ${category} down`} shortcut="J" onClick={() => actions.move(1)} />
      <Tool icon="hide" label={`Hide ${category}`} shortcut="h" onClick={() => actions.hide()} />
      <HiddenRows />
    </div>
  )
}

function Tool({ shortcut, ...props }: ComponentProps<typeof IconButton> & { readonly shortcut: string }) {
  return <IconButton {...props} title={`${props.label} (${shortcut})`} />
}

const HIDDEN_ROWS = menuCode(async () => (await import('./hidden-rows.tsx')).OpenedHiddenRows)

function HiddenRows() {
  const hidden = useLook(({ rows }) => rows.hidden)
  const severity = useShown(
    (snapshot, nowMs) =>
      mostUrgent(
        snapshot.requests
          .filter(({ category }) => hidden.includes(category))
          .map((quota) => quotaStatus(quota, nowMs)),
      )?.severity,
  )
  if (hidden.length === 0) return null
  return (
    <LazyMenu menu={HIDDEN_ROWS} className={css('tab', 'with-icon', 'hidden-rows')}>
      {severity !== undefined && <Shape severity={severity} />} Hidden rows {hidden.length}
    </LazyMenu>
  )
}

/** The threshold of all rows, such as `20 %`. If rows have different thresholds: `the row's threshold`. */
function commonThresholdText(rows: readonly RequestQuota[]): string {
  const [first] = rows
  const isCommon = rows.every(({ threshold }) => threshold === first?.threshold)
  return first !== undefined && isCommon ? `${Math.round(first.threshold * 100)} %` : "the row's threshold"
}

function FullHead() {
  const { look } = useParts()
  const as = useLook(({ fullAs }) => fullAs)
  return (
    <button
      type="button"
      className={css('toggle')}
      title={`Time at which the quota is full, if all use stops. ${as === 'clock' ? 'Show as a countdown' : 'Show as a time of day'}.`}
      onClick={() => look.setState({ fullAs: as === 'clock' ? 'countdown' : 'clock' })}
    >
      {as === 'clock' ? 'Full at' : 'Full in'}
    </button>
  )
}

/** Interval of requests, in milliseconds. In this time, a small chart moves by less than a pixel. */
const ASK_AGAIN_MS = 10_000

const NONE: ReadonlyMap<string, TrendPath> = new Map()

function useTrends(): ReadonlyMap<string, TrendPath> {
  const { api, ticker, mirror } = useParts()
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const isPaused = usePausedSince() !== undefined
  const ask = useCallback(async () => {
    if (profile === undefined) return undefined
    const toMs = Math.round(ticker.nowMs())
    const fromMs = Math.max(0, toMs - TREND.pastMs)
    const trends = await api.trends({ profile, fromMs, toMs, points: TREND.points })
    const rows = mirror.getState().snapshots.find((one) => one.profile.id === profile)?.requests ?? []
    return trendPaths(trends, rows, { fromMs, toMs })
  }, [api, ticker, mirror, profile])
  const isOn = profile !== undefined && !isPaused
  return useRepeated({ ask, isOn, everyMs: ASK_AGAIN_MS }) ?? NONE
}
