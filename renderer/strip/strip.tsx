import { useEffect } from 'react'
import barSheet from '../components/bar.module.css'
import { classesOf } from '../components/classes.ts'
import { Shape } from '../components/shape.tsx'
import { useStopOrders } from '../orders/use-stop-orders.ts'
import { useMoment } from '../state/window-parts.ts'
import sheet from './strip.module.css'
import { stripText } from './strip-text.ts'

const css = classesOf({ ...barSheet, ...sheet })

export function Strip() {
  useStopOrders()
  const severity = useMoment(({ mirror, nowMs }) => stripText(mirror.snapshots, nowMs).severity) ?? 'unknown'
  const label = useMoment(({ mirror, nowMs }) => stripText(mirror.snapshots, nowMs).label)
  const name = useMoment(({ mirror, nowMs }) => stripText(mirror.snapshots, nowMs).name)
  const left = useMoment(({ mirror, nowMs }) => stripText(mirror.snapshots, nowMs).left)
  const low = useMoment(({ mirror, nowMs }) => stripText(mirror.snapshots, nowMs).bar?.low)
  const possible = useMoment(({ mirror, nowMs }) => stripText(mirror.snapshots, nowMs).bar?.possible)
  const note = useMoment(({ mirror, nowMs }) => stripText(mirror.snapshots, nowMs).note)
  const more = useMoment(({ mirror, nowMs }) => stripText(mirror.snapshots, nowMs).more) ?? 0
  useEffect(() => {
    document.title = `${name ?? 'Headroom'} · Headroom`
  }, [name])
  return (
    <main className={css('strip')} data-testid="strip" data-severity={severity}>
      <Shape severity={severity} label={label} />
      <h1 className={css('name', 'cut')} title={name}>
        {name}
      </h1>
      {low !== undefined && (
        <span className={css('bar', 'short')} aria-hidden="true">
          <i style={{ width: `${low}%` }} />
          <em style={{ left: `${low}%`, width: `${possible ?? 0}%` }} />
        </span>
      )}
      {left !== undefined && <span className={css('number')}>{left}</span>}
      <span className={css('note', 'cut')} title={note}>
        {note}
      </span>
      {more > 0 && (
        <b className={css('more')} title={`${more} more`} data-testid="strip-more">
          +{more}
        </b>
      )}
    </main>
  )
}
