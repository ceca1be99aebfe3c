import { useSyncExternalStore } from 'react'
import { sinceText } from '../../app/status/durations.ts'
import { clockText } from '../../app/status/moments.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { Shape } from '../components/shape.tsx'
import { useParts, usePausedSince } from '../state/window-parts.ts'
import sheet from './shell.module.css'

const css = classesOf(sheet)

/** The banner of a paused window. Without it, frozen numbers would look live. */
export function PausedBanner() {
  const { togglePause } = useParts()
  const sinceMs = usePausedSince()
  if (sinceMs === undefined) return null
  return (
    <section
      className={css('banner', 'box')}
      aria-label="Paused"
      data-banner="paused"
      data-severity="warning"
    >
      <Shape severity="warning" />
      <p>
        <b>Paused at {clockText(sinceMs)}</b>{' '}
        <span>
          These numbers are <Age sinceMs={sinceMs} /> old. Monitoring continues.
        </span>
      </p>
      <Button look="small" onClick={togglePause}>
        Resume
      </Button>
    </section>
  )
}

function Age({ sinceMs }: { readonly sinceMs: number }) {
  const { live } = useParts()
  return useSyncExternalStore(live.ticker.subscribe, () => sinceText(sinceMs, live.ticker.nowMs()))
}
