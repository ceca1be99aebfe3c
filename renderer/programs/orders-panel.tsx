import { useCallback, useState } from 'react'
import { NO_ORDERS, type OrderEntry, type OrdersSummary } from '../../app/contract/orders.ts'
import { DAY_MS, MINUTE_MS } from '../../app/contract/units.ts'
import { ordersCsv } from '../../app/history/orders-export.ts'
import { dayAndClockText } from '../../app/status/moments.ts'
import { lookupText } from '../../app/status/orders-status.ts'
import { countText } from '../../app/status/rates.ts'
import type { WindowApi } from '../api/window-api.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { Shape } from '../components/shape.tsx'
import { ColumnHeads, SideScroll } from '../components/table.tsx'
import { type SavedFile, saveFile } from '../hooks/save-file.ts'
import { useAnswer } from '../hooks/use-answer.ts'
import { useCommand } from '../hooks/use-asked.ts'
import { orderRow } from '../orders/order-rows.ts'
import ordersSheet from '../orders/orders.module.css'
import { useParts, useShown, useSnapshot } from '../state/window-parts.ts'
import sheet from './programs.module.css'

const css = classesOf({ ...sheet, ...ordersSheet })

const RANGES = { Today: DAY_MS, '30 days': 30 * DAY_MS } as const
type Range = keyof typeof RANGES
const RANGE_NAMES = Object.keys(RANGES) as readonly Range[]

/** The journal of orders, and the orders with an unknown outcome. Empty if orders were never allowed. */
export function OrdersPanel({ profile }: { readonly profile: string }) {
  const orders = useSnapshot((snapshot) => snapshot.orders) ?? NO_ORDERS
  if (orders.state === 'off' && orders.unknown.length === 0) return null
  return <Journal profile={profile} orders={orders} />
}

function Journal({ profile, orders }: { readonly profile: string; readonly orders: OrdersSummary }) {
  const [range, setRange] = useState<Range>('Today')
  const { unknown, today } = orders
  const nowMs = useMinute()
  const ask = useCallback(
    (main: WindowApi) =>
      main.orderJournal({ profile, fromMs: Math.max(0, nowMs - RANGES[range]), toMs: nowMs + DAY_MS }),
    [profile, range, nowMs],
  )
  const { answer, failure } = useAnswer(ask, JSON.stringify([today, unknown]))
  const entries = answer?.ok ? answer.entries.toReversed() : []
  const why = failure ?? (answer?.ok === false ? answer.message : undefined)
  const open = unknown.length === 0 ? '' : `, ${unknown.length} open`
  return (
    <section className={css('panel', 'journal')} aria-labelledby="journal-heading">
      <div className="head">
        <h2 id="journal-heading">Journal of orders</h2>
        <span>{`${today} today${open} · no symbols, prices or quantities`}</span>
        <div className={css('ranges', 'at-end')}>
          {RANGE_NAMES.map((one) => (
            <Button
              key={one}
              look={css('ghost', 'small')}
              aria-pressed={one === range}
              onClick={() => setRange(one)}
            >
              {one}
            </Button>
          ))}
          <Button
            look={css('ghost', 'small')}
            title="Saves the orders shown as CSV."
            disabled={entries.length === 0}
            onClick={() => saveFile(journalFile(entries.toReversed()))}
          >
            Export
          </Button>
        </div>
      </div>
      <UnknownOrders unknown={unknown} />
      {why !== undefined && (
        <p className={css('note')} role="alert">
          {why}
        </p>
      )}
      {entries.length === 0 ? (
        <p className={css('note')}>
          {range === 'Today' ? 'No orders in 24 hours.' : 'No orders in 30 days.'}
        </p>
      ) : (
        <SideScroll label="Journal of orders, table">
          <OrderTable entries={entries} />
        </SideScroll>
      )}
    </section>
  )
}

/** The start of the present minute, epoch ms. */
const useMinute = (): number => useShown((_, nowMs) => Math.floor(nowMs / MINUTE_MS) * MINUTE_MS) ?? 0

/** The journal as a CSV file. The content is that of `headroom export --orders`. */
const journalFile = (entries: readonly OrderEntry[]): SavedFile => ({
  name: `headroom-orders-${new Date(entries.at(-1)?.atMs ?? 0).toISOString().slice(0, 10)}.csv`,
  mediaType: 'text/csv',
  text: [...ordersCsv(entries)].join(''),
})

function UnknownOrders({ unknown }: Pick<OrdersSummary, 'unknown'>) {
  const { api } = useParts()
  const run = useCommand()
  const nowMs = useMinute()
  if (unknown.length === 0) return null
  return (
    <ul className={css('unknown')} aria-label={countText(unknown.length, 'unknown outcome')}>
      {unknown.map((one) => (
        <li key={one.id} data-severity={one.state === 'found' ? 'warning' : 'critical'} data-order={one.id}>
          <Shape severity={one.state === 'found' ? 'warning' : 'critical'} />
          <b className="mono">{dayAndClockText(one.at, nowMs)}</b>
          <span>{one.program}</span>
          <span className="word">{lookupText(one)}</span>
          <Button look={css('small')} onClick={() => run(() => api.dismissOrder({ id: one.id }))}>
            Dismiss
          </Button>
        </li>
      ))}
    </ul>
  )
}

function OrderTable({ entries }: { readonly entries: readonly OrderEntry[] }) {
  const nowMs = useMinute()
  return (
    <table className={css('headed', 'orders')}>
      <thead>
        <tr>
          <ColumnHeads names={['Time', 'Program', 'Kind', 'Account', 'Status', 'Order ID', 'Latency']} />
        </tr>
      </thead>
      <tbody>
        {entries
          .map((entry) => orderRow(entry, nowMs))
          .map((row) => (
            <tr key={row.id}>
              <th scope="row" className="mono">
                {row.time}
              </th>
              <td>{row.program}</td>
              <td className="mono">{row.request}</td>
              <td className="mono">{row.account}</td>
              <td data-severity={row.severity}>
                <Shape severity={row.severity} /> <span className="word">{row.status}</span>
              </td>
              <td className="mono">{row.orderIds}</td>
              <td className="mono">{row.latency}</td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}
