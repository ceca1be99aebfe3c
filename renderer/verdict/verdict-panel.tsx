import { headline, spokenText } from '../../app/status/key-status.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { Shape } from '../components/shape.tsx'
import { useMoment, usePausedSince, useShown } from '../state/window-parts.ts'
import { TokenLife } from './token-life.tsx'
import sheet from './verdict.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** The headline of the key and the life of its tokens. */
export function VerdictPanel() {
  const severity = useShown((snapshot, nowMs) => headline(snapshot, nowMs).severity) ?? 'unseen'
  return (
    <section className={css('verdict', severity)} aria-label="Verdict" data-verdict={severity}>
      <div className={css('sentence')}>
        <h1 data-testid="verdict-headline">
          <Shape severity={severity} />
          <Headline />
        </h1>
        <p data-testid="verdict-detail">
          <Detail />
        </p>
      </div>
      <div className={css('tokens')}>
        <TokenLife token="access" />
        <TokenLife token="refresh" />
      </div>
      <Spoken />
    </section>
  )
}

function Headline() {
  return useShown((snapshot, nowMs) => headline(snapshot, nowMs).headline)
}

function Detail() {
  return useShown((snapshot, nowMs) => headline(snapshot, nowMs).detail)
}

/** The window's only live region. It announces changes of state, not of numbers. */
function Spoken() {
  const isPaused = usePausedSince() !== undefined
  const words = useMoment(({ mirror, snapshot, nowMs }) => {
    if (mirror.link.kind === 'lost') return 'Headroom stopped answering.'
    return snapshot && spokenText(snapshot, nowMs)
  })
  return (
    <div className={css('spoken')} role="status" aria-live="polite">
      {isPaused ? 'Paused.' : words}
    </div>
  )
}
