import { aspectStatuses, keyFindings, keyStatus, spokenText } from '../../app/conditions/key-status.ts'
import { othersAlertsText } from '../../app/conditions/messages/conditions.ts'
import { unbroken } from '../../app/status/durations.ts'
import { classesOf } from '../components/classes.ts'
import headlineSheet from '../components/headline.module.css'
import { Shape } from '../components/shape.tsx'
import { useMedia } from '../hooks/use-media.ts'
import {
  useMirror,
  useMoment,
  usePausedSince,
  useShown,
  useShownValue,
  useSnapshot,
} from '../state/window-parts.ts'
import { FindingChips } from './finding-chips.tsx'
import { RemedyButton } from './remedy-button.tsx'
import { RevokeButton, TokenPanel } from './token-panel.tsx'
import sheet from './verdict.module.css'

const css = classesOf({ ...headlineSheet, ...sheet })

/** In a narrower window, the tokens have their own panel and the headline has the whole width. */
export const NARROW = '(max-width: 1099px)'

export function VerdictPanel() {
  const severity = useShown((snapshot, nowMs) => keyStatus(snapshot, nowMs).severity) ?? 'unknown'
  const label = useShown((snapshot, nowMs) => keyStatus(snapshot, nowMs).label)
  const isNarrow = useMedia(NARROW)
  return (
    <section
      className={css('headline', 'verdict')}
      aria-label="Verdict"
      data-verdict=""
      data-label={label}
      data-severity={severity}
    >
      <div className={css('mark', 'both-lines')}>
        <Shape severity={severity} label={label} />
      </div>
      <div className={css('sentence', 'health')}>
        <h1 data-testid="verdict-headline">
          <HeadlineRow />
        </h1>
        <p data-testid="verdict-detail">
          <Detail /> <OthersAlerts />
        </p>
      </div>
      <HeadlineRemedy />
      {!isNarrow && <TokenPanel />}
      <div className={css('below')}>
        <FindingChips />
        <Aspects />
        {!isNarrow && <RevokeButton />}
      </div>
      <Spoken />
    </section>
  )
}

export function HeadlineRemedy() {
  const remedy = useShownValue((snapshot, nowMs) => keyFindings(snapshot, nowMs)[0]?.remedy)
  return (
    <div className={css('remedy')} data-testid="remedy">
      <RemedyButton remedy={remedy} />
    </div>
  )
}

export function HeadlineRow() {
  const title = useShown((snapshot, nowMs) => unbroken(keyStatus(snapshot, nowMs).title))
  const text = useShown((snapshot, nowMs) => unbroken(keyStatus(snapshot, nowMs).text))
  return (
    <>
      <strong className={css('state-word')} data-testid="verdict-word">
        {title}
      </strong>
      {text !== '' && ` ${text}`}
    </>
  )
}

export function Detail() {
  const action = useShown((snapshot, nowMs) => unbroken(keyStatus(snapshot, nowMs).action))
  const detail = useShown((snapshot, nowMs) => unbroken(keyStatus(snapshot, nowMs).detail))
  return (
    <>
      {action !== '' && <b>{action}</b>} {detail}
    </>
  )
}

/** Names the other keys with alerts, because the header counts the alerts of all keys. */
function OthersAlerts() {
  const shown = useSnapshot(({ profile }) => profile.id)
  const text = useMirror(({ alerts, snapshots }) => {
    const of = alerts.filter(({ dismissed, profile }) => !dismissed && profile !== shown)
    const names = new Map(snapshots.map(({ profile }) => [profile.id, profile.name]))
    return othersAlertsText(
      of.map(({ profile }) => profile),
      names,
    )
  })
  return text === '' ? null : <span data-testid="others-alerts">{text}</span>
}

function Aspects() {
  const aspects = useShownValue(aspectStatuses) ?? []
  return (
    <ul className={css('aspects')} aria-label="Health of the key">
      {aspects.map(({ aspect, name, severity, label }) => (
        <li key={aspect} data-aspect={aspect} data-severity={severity}>
          <Shape severity={severity} label={label} />
          {name} <b className="word">{label}</b>
        </li>
      ))}
    </ul>
  )
}

/** The window's only live region. It announces changes of state, not of numbers. */
export function Spoken() {
  const isPaused = usePausedSince() !== undefined
  const words = useMoment(({ mirror, snapshot, nowMs }) => {
    if (mirror.link.kind === 'lost') return 'Headroom stopped responding.'
    return snapshot && spokenText(snapshot, nowMs)
  })
  return (
    <div className="spoken" role="status" aria-live="polite">
      {isPaused ? 'Paused.' : words}
    </div>
  )
}
