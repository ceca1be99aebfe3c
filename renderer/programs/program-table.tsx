import { mayHaveOrders } from '../../app/contract/orders.ts'
import type { ProgramSummary } from '../../app/contract/snapshot.ts'
import { DESK_NAME, OTHERS_NAME, OWN_NAME } from '../../app/plan/running.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { Shape } from '../components/shape.tsx'
import { Swatch } from '../components/swatch.tsx'
import { ColumnHeads, Columns, SideScroll } from '../components/table.tsx'
import { Unlisted } from '../components/unlisted.tsx'
import { useParts, useShown, useShownValue, useSnapshot } from '../state/window-parts.ts'
import { ClassMark } from './class-mark.tsx'
import { ProgramMenu } from './program-menu.tsx'
import {
  otherMachineRows,
  otherUsers,
  type ProgramRow,
  programRow,
  type ShownUse,
  sharingText,
} from './program-rows.ts'
import tableSheet from './program-table.module.css'
import sheet from './programs.module.css'
import { useRecentUse } from './use-recent-use.ts'
import { WaitUsed } from './waiting-list.tsx'

const css = classesOf({ ...sheet, ...tableSheet })

interface ProgramTableProps {
  readonly profile: string
  readonly programs: readonly ProgramSummary[]
  readonly waiting: boolean
  cut(name: string): void
}

export function ProgramTable({ profile, programs, waiting, cut }: ProgramTableProps) {
  const { view } = useParts()
  const rows =
    useShownValue(({ requests }, nowMs) => programs.map((one) => programRow(one, requests, nowMs))) ?? []
  const hasOrders = useSnapshot(mayHaveOrders) ?? false
  const elsewhere = useShownValue(otherMachineRows) ?? []
  const rest = useShownValue(otherUsers)
  const unlisted = useShown((snapshot) => snapshot.unlisted?.programs) ?? 0
  const sharing = useShown(({ desk }) => sharingText(programs.length + unlisted, desk))
  const recent = useRecentUse(profile)
  return (
    <section className={css('panel', 'table')} aria-labelledby="programs-heading">
      <div className="head">
        <h2 id="programs-heading">Programs</h2>
        <span>{sharing}</span>
        <Unlisted of="programs" />
        <Button look={css('ghost', 'small', 'at-end')} onClick={() => view.setState({ dialog: 'report' })}>
          Report…
        </Button>
      </div>
      <SideScroll label="Programs, table">
        <table className={css('headed', 'programs', hasOrders && 'with-orders')}>
          <Columns
            widths={[undefined, 106, 54, 132, '18%', 60, ...(hasOrders ? [120] : []), 60, '19%', 50]}
          />
          <thead>
            <tr>
              <ColumnHeads names={['Program', 'Class', 'Weight', 'Forwarded /s', 'Waiting', 'Declined']} />
              {hasOrders && (
                <th scope="col" className={css('orders')}>
                  Orders
                </th>
              )}
              <th scope="col">Streams</th>
              <th scope="col">Use per category, /s</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <Row
                key={row.id}
                row={row}
                hasOrders={hasOrders}
                at={at}
                recent={recent?.get(row.name)}
                waiting={waiting}
                cut={cut}
              />
            ))}
            {elsewhere.map((row) => (
              <OtherMachinesRow key={`${row.machine}/${row.name}`} row={row} hasOrders={hasOrders} />
            ))}
            {rest !== undefined && <RestRows rest={rest} hasOrders={hasOrders} at={rows.length} />}
          </tbody>
        </table>
      </SideScroll>
    </section>
  )
}

interface RowProps {
  readonly row: ProgramRow
  /** Whether the table has a column for orders. */
  readonly hasOrders: boolean
  readonly at: number
  readonly recent: readonly number[] | undefined
  readonly waiting: boolean
  cut(name: string): void
}

function Row({ row, hasOrders, at, recent, waiting, cut }: RowProps) {
  return (
    <tr title={row.used}>
      <th scope="row">
        <div className={css('named')}>
          <Swatch name={row.name} at={at} />
          <div>
            <b>{row.name}</b>
            <span className={css('process')}>
              {row.process !== undefined && (
                <span className="cut" title={row.process}>
                  {row.process}
                </span>
              )}
              <span>…{row.keyEnding}</span>
            </span>
          </div>
        </div>
      </th>
      <td>
        <ClassMark of={row.class} />
      </td>
      <td className="mono">{row.weight}</td>
      <td>
        <div className={css('rate')}>
          {recent !== undefined && <Trend counts={recent} />}
          <div>
            <b>{row.rate}</b>
            <small>{row.forwarded} in total</small>
          </div>
        </div>
      </td>
      <td>
        <WaitingCell row={row} />
      </td>
      <td className={css('mono', row.refused > 0 ? 'warned' : 'muted')}>{row.refused}</td>
      {hasOrders && (
        <td className={css('orders')}>
          <OrdersCell orders={row.orders} />
        </td>
      )}
      <td className="mono">{row.streams}</td>
      <td>
        <Uses uses={row.uses} more={row.moreUses} />
      </td>
      <td>
        <ProgramMenu name={row.name} isPaused={row.isPaused} isBusy={waiting} cut={cut} />
      </td>
    </tr>
  )
}

interface OtherMachinesRowProps extends Pick<RowProps, 'hasOrders'> {
  readonly row: ReturnType<typeof otherMachineRows>[number]
}

/** A program on another machine of the desk. It can be changed only on that machine. */
function OtherMachinesRow({ row, hasOrders }: OtherMachinesRowProps) {
  const unknown = <td className="mono muted">–</td>
  return (
    <tr data-machine={row.machine}>
      <th scope="row">
        <div className={css('named')}>
          <Swatch name={DESK_NAME} at={0} />
          <div>
            <b>{row.name}</b>
            <span className={css('process')}>
              <span className="cut" title={row.machine}>
                {row.machine}
              </span>
            </span>
          </div>
        </div>
      </th>
      <td>
        <ClassMark of={row.class} />
      </td>
      <td className="mono">{row.weight}</td>
      <td>
        <div className={css('rate')}>
          <b>{row.rate}</b>
        </div>
      </td>
      <td>
        <WaitingCell row={row} />
      </td>
      {unknown}
      {hasOrders && <td className={css('orders', 'muted')}>–</td>}
      {unknown}
      <td>
        <Uses uses={row.uses} more={row.moreUses} />
      </td>
      <td />
    </tr>
  )
}

function OrdersCell({ orders }: { readonly orders: string | undefined }) {
  if (orders === undefined) return <span className="muted">read-only</span>
  return (
    <span data-severity="ok">
      <Shape severity="ok" /> <b className="word">{orders}</b> <span className="muted">/min</span>
    </span>
  )
}

type WaitingOf = Pick<ProgramRow, 'waiting' | 'next' | 'waitUsed' | 'longest'> & Partial<ProgramRow>

function WaitingCell({ row }: { readonly row: WaitingOf }) {
  if (row.waiting === 0) return <span className="muted">{row.state ?? '–'}</span>
  return (
    <div className={css('wait')}>
      <span>
        <b>{row.waiting}</b> waiting
      </span>
      <span>{row.next}</span>
      {row.waitUsed === undefined ? <span /> : <WaitUsed used={row.waitUsed} />}
      <span className={css('muted', 'longest')}>longest {row.longest}</span>
    </div>
  )
}

function Uses({ uses, more = 0 }: { readonly uses: readonly ShownUse[]; readonly more?: number }) {
  return (
    <ul className={css('uses')}>
      {uses.map(({ category, text, waits, share }, at) => (
        <li key={category}>
          <span className="cut" title={category}>
            {category}
          </span>
          {waits ? (
            <b className={css('warned')}>{text}</b>
          ) : (
            <>
              <i className={css('share', 'track')}>
                <i style={{ width: `${100 * share}%` }} />
              </i>
              <b>{text}</b>
            </>
          )}
          {at === uses.length - 1 && more > 0 && <small>+{more}</small>}
        </li>
      ))}
    </ul>
  )
}

/** Requests per minute as small bars. The largest bar has the full height. */
function Trend({ counts }: { readonly counts: readonly number[] }) {
  const most = Math.max(1, ...counts)
  return (
    <span className={css('trend')} aria-hidden="true" title="Last 15 minutes">
      {counts.map((count, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: minutes have no other name
        <i key={at} style={{ height: `${(100 * count) / most}%` }} />
      ))}
    </span>
  )
}

interface RestRowsProps extends Pick<RowProps, 'hasOrders' | 'at'> {
  readonly rest: ReturnType<typeof otherUsers>
}

function RestRows({ rest: { checks, hasDesk, sharesChecks, desk, others }, hasOrders, at }: RestRowsProps) {
  return (
    <>
      <tr className={css('rest')}>
        <th scope="row">
          <div className={css('named')}>
            <Swatch name={OWN_NAME} at={at} />
            <b>Headroom's checks</b>
          </div>
        </th>
        <td>
          <ClassMark of="background" />
        </td>
        <td className="mono muted">1</td>
        <td>
          <div className={css('rate')}>
            <b>{checks.rate}</b>
          </div>
        </td>
        <td colSpan={hasOrders ? 3 : 2} className="muted">
          {sharesChecks && 'once for the whole desk'}
        </td>
        <td className="mono">{checks.streams}</td>
        <td className="muted">
          <span title={checks.uses.map(({ category, text }) => `${category} ${text}`).join(', ')}>
            {checks.uses[0] && `${checks.uses[0].category} ${checks.uses[0].text}`}
            {checks.uses.length > 1 && ` +${checks.uses.length - 1}`}
          </span>
        </td>
        <td />
      </tr>
      {desk !== undefined && (
        <tr className={css('rest')}>
          <th scope="row">
            <div className={css('named')}>
              <Swatch name={DESK_NAME} at={at} />
              <b>Desk</b>
            </div>
          </th>
          <td colSpan={2} className="muted">
            other machines
          </td>
          <td>
            <div className={css('rate')}>
              <b>{desk.rate}</b>
            </div>
          </td>
          <td colSpan={hasOrders ? 4 : 3} className="muted">
            checks and unlisted programs
          </td>
          <td colSpan={2}>{desk.most}</td>
        </tr>
      )}
      {others !== undefined && (
        <tr className={css('rest')}>
          <th scope="row">
            <div className={css('named')}>
              <Swatch name={OTHERS_NAME} at={at} />
              <b>Others</b>
            </div>
          </th>
          <td colSpan={2} className="muted">
            {hasDesk ? 'outside the desk' : 'outside the gateway'}
          </td>
          <td>
            <div className={css('rate')}>
              <b>{others.rate}</b>
            </div>
          </td>
          <td colSpan={hasOrders ? 4 : 3} className="muted">
            estimate {others.range}, {others.age}
          </td>
          <td colSpan={2}>{others.most}</td>
        </tr>
      )}
    </>
  )
}
