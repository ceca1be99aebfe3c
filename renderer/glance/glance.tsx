import {
  type GlanceNumber,
  glanceLines,
  glanceNote,
  glanceNumber,
  signInByText,
} from '../../app/conditions/glance.ts'
import { aspectStatuses, keyFindings, keyStatus } from '../../app/conditions/key-status.ts'
import type { Aspect } from '../../app/conditions/kinds.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { unbroken } from '../../app/status/durations.ts'
import { zonedClockText } from '../../app/status/moments.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { Icon } from '../components/icon.tsx'
import { Shape } from '../components/shape.tsx'
import { ENVIRONMENT_LABELS } from '../format/environment-labels.ts'
import { accessText } from '../format/token-text.ts'
import { useMedia } from '../hooks/use-media.ts'
import { useWayBack } from '../hooks/use-way-back.ts'
import { BannerArea, RefusalNotice } from '../shell/banner.tsx'
import { PausedBanner } from '../shell/paused-banner.tsx'
import { Title } from '../shell/title.tsx'
import { useMirror, useMoment, useShown, useShownValue, useSnapshot } from '../state/window-parts.ts'
import { Strip } from '../strip/strip.tsx'
import { stripKey } from '../strip/strip-text.ts'
import { HeadlineRemedy } from '../verdict/verdict-panel.tsx'
import sheet from './glance.module.css'
import { KeyTable } from './key-table.tsx'

const css = classesOf(sheet)

/** Maximum number of cards. The first finding is shown in large type, and each further finding on a card. */
const MAX_CARDS = 3

/**
 * One key in large type, readable from across the room. If there are several keys, also a list. A low window
 * shows a single line.
 */
export function Glance({ inert }: { readonly inert: boolean }) {
  const isLine = useMedia('(max-height: 220px)')
  const isSeveral = useMirror(({ snapshots }) => snapshots.length > 1)
  const close = useWayBack()
  return (
    <div className={css('page')} inert={inert} data-testid="glance">
      {isLine ? (
        <div className={css('line')}>
          <Strip />
          <LineRemedy />
          <Button look={css('ghost', 'close-line')} aria-label="Close" title="Close (Esc)" onClick={close}>
            <Icon name="close" />
          </Button>
        </div>
      ) : (
        <main className={css('whole')}>
          <Hero close={close} />
          {isSeveral && <KeyTable />}
        </main>
      )}
      <PausedBanner />
      <BannerArea />
      <RefusalNotice />
      <Title />
    </div>
  )
}

/**
 * The button for the remedy of the line's condition. It acts on the chosen key, so it is absent while the
 * line is about another key.
 */
function LineRemedy() {
  const shown = useSnapshot(({ profile }) => profile.id)
  const isOfLine = useMoment(({ mirror, nowMs }) => stripKey(mirror.snapshots, nowMs)?.profile.id === shown)
  return isOfLine ? <HeadlineRemedy /> : null
}

function Hero({ close }: { readonly close: () => void }) {
  const status = useShownValue(heroOf)
  const number = useShownValue(glanceNumber) ?? { caption: '', value: '' }
  const name = useShown(({ profile }) => profile.name)
  const environment = useSnapshot(({ profile }) => profile.environment)
  const time = useMoment(({ nowMs }) => zonedClockText(nowMs))
  const severity = status?.severity ?? 'unknown'
  return (
    <section className={css('glance')} aria-label="Glance" data-severity={severity}>
      <div className={css('top')}>
        <Shape severity={severity} label={status?.label} />
        <b>{name}</b>
        <span className="muted">{environment && ENVIRONMENT_LABELS[environment]}</span>
        <span className={css('spacer')} />
        <Button look="ghost" onClick={close}>
          Close <kbd>Esc</kbd>
        </Button>
        <time className={css('clock')}>{time}</time>
      </div>
      <div className={css('hero')}>
        {number.value !== '' && <BigNumber number={number} />}
        <div className={css('say')}>
          <h1 className="word" data-testid="glance-word">
            <Shape severity={severity} label={status?.label} /> {status?.label}
          </h1>
          <p className={css('subject')}>{status?.subject}</p>
          {status?.lines.map((line) => (
            <p key={line} className="muted">
              {line}
            </p>
          ))}
          <HeadlineRemedy />
        </div>
      </div>
      <Cards />
      <Facts />
    </section>
  )
}

function heroOf(snapshot: Snapshot, nowMs: number) {
  const { severity, label, subject, row, moment, title, text, action } = keyStatus(snapshot, nowMs)
  // For a quota, the large number already shows the content of `text`, so the lines omit `text`.
  const isQuota = subject !== undefined && row !== undefined
  const lines = isQuota
    ? glanceLines(row, moment, nowMs)
    : [`${title} ${text}`.trim(), action].filter(Boolean)
  return { severity, label, subject, lines: lines.map(unbroken) }
}

function BigNumber({ number: { caption, value } }: { readonly number: GlanceNumber }) {
  return (
    <p className={css('figure')}>
      <span className={css('caption')}>{caption}</span>
      <strong
        className={css('big')}
        data-length={value.length > 4 ? 'long' : 'short'}
        data-testid="glance-number"
      >
        {value}
      </strong>
    </p>
  )
}

function Cards() {
  const cards = useShownValue(cardsOf) ?? []
  if (cards.length === 0) return null
  return (
    <ol className={css('cards')} aria-label="Also">
      {cards.map(({ severity, label, subject, note }) => (
        <li key={`${subject} ${label}`} data-severity={severity}>
          <span className="word">
            <Shape severity={severity} label={label} /> {label}
          </span>
          <span className={css('card-subject')}>
            {subject} <b className="word">{note}</b>
          </span>
        </li>
      ))}
    </ol>
  )
}

const cardsOf = (snapshot: Snapshot, nowMs: number) =>
  keyFindings(snapshot, nowMs)
    .slice(1, 1 + MAX_CARDS)
    .map((finding) => {
      const { severity, label, subject = '' } = finding
      return { severity, label, subject, note: glanceNote(finding, nowMs) }
    })

const FACT_ASPECTS: ReadonlySet<Aspect> = new Set(['streams', 'slots', 'desk', 'data'])

function Facts() {
  const facts = useShownValue(factsOf) ?? []
  return (
    <ul className={css('facts')} aria-label="Slots, streams and tokens">
      {facts.map(({ name, severity, label }) => (
        <li key={name} data-severity={severity}>
          <Shape severity={severity} label={label} /> {name} <b className="word">{label}</b>
        </li>
      ))}
    </ul>
  )
}

function factsOf(snapshot: Snapshot, nowMs: number) {
  const aspects = aspectStatuses(snapshot, nowMs)
  const signIn = aspects.find(({ aspect }) => aspect === 'sign-in')
  const token = accessText(snapshot, nowMs)
  return [
    ...aspects.filter(({ aspect }) => FACT_ASPECTS.has(aspect)),
    { name: 'Token', severity: token.severity, label: token.value },
    { name: 'Sign in by', severity: signIn?.severity ?? 'unknown', label: signInByText(snapshot, nowMs) },
  ]
}
