import { useEffect } from 'react'
import { classesOf } from '../theme/classes.ts'
import { Shape } from '../theme/shape.tsx'
import { useMoment } from '../view/window-parts.ts'
import sheet from './strip.module.css'
import { type StripWords, stripWords } from './strip-words.ts'

const css = classesOf(sheet)

/** Where the desktop host opens it: app://headroom/#strip, frameless, above every other window. */
export const STRIP_HASH = '#strip'

function useStrip<K extends keyof StripWords>(part: K): StripWords[K] | undefined {
  return useMoment(({ mirror, nowMs }) => stripWords(mirror.snapshots, nowMs)[part])
}

export function Strip() {
  const severity = useStrip('severity') ?? 'unseen'
  const name = useStrip('name')
  const remaining = useStrip('remaining')
  const percent = useStrip('percent')
  const note = useStrip('note')
  useEffect(() => {
    document.title = `${name ?? 'Headroom'} · Headroom`
  }, [name])
  return (
    <main className={css('strip', severity)} data-testid="strip" data-severity={severity}>
      <Shape severity={severity} />
      <h1 className={css('name')} title={name}>
        {name}
      </h1>
      {percent !== undefined && (
        <span className={css('bar')} aria-hidden="true">
          <i style={{ width: `${percent}%` }} />
        </span>
      )}
      {remaining !== undefined && <span className={css('number')}>{remaining}</span>}
      <span className={css('note')} title={note}>
        {note}
      </span>
    </main>
  )
}
