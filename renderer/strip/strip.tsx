import { useEffect } from 'react'
import barSheet from '../components/bar.module.css'
import { classesOf } from '../components/classes.ts'
import { Shape } from '../components/shape.tsx'
import { useStopOrders } from '../orders/use-stop-orders.ts'
import { useMomentValue } from '../state/window-parts.ts'
import sheet from './strip.module.css'
import { stripText } from './strip-text.ts'

const css = classesOf({ ...barSheet, ...sheet })

export function Strip() {
  useStopOrders()
  const { severity, label, name, left, bar, note, more } = useMomentValue(({ mirror, nowMs }) =>
    stripText(mirror.snapshots, nowMs),
  )
  useEffect(() => {
    document.title = `${name} · Headroom`
  }, [name])
  return (
    <main className={css('strip')} data-testid="strip" data-severity={severity}>
      <Shape severity={severity} label={label} />
      <h1 className={css('name', 'cut')} title={name}>
        {name}
      </h1>
      {bar !== undefined && (
        <span className={css('bar', 'short')} aria-hidden="true">
          <i style={{ width: `${bar.low}%` }} />
          <em style={{ left: `${bar.low}%`, width: `${bar.possible}%` }} />
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
