import { planHeadline, tightestText } from '../../app/plan/plan-words.ts'
import type { UnknownOthers } from '../../app/plan/running.ts'
import type { PlanVerdict } from '../../app/plan/verdict.ts'
import { durationText, unbroken } from '../../app/status/durations.ts'
import { clockText } from '../../app/status/moments.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import headlineSheet from '../components/headline.module.css'
import { Shape } from '../components/shape.tsx'
import { changesText, type PlanDraft } from '../state/plan-draft.ts'
import { useSnapshot } from '../state/window-parts.ts'
import sheet from './plan-banner.module.css'

const css = classesOf({ ...headlineSheet, ...sheet })

interface PlanBannerProps {
  readonly draft: PlanDraft
  readonly verdict: PlanVerdict
  /** Verdict if others' use is at the high end of its estimate. */
  readonly atMost: PlanVerdict
  /** Verdict on the programs that run now. */
  readonly before: PlanVerdict
  readonly close: () => void
}

export function PlanBanner({ draft, verdict, atMost, before, close }: PlanBannerProps) {
  const isServing = useSnapshot(({ gateway }) => gateway?.state === 'serving') ?? false
  const { unknown } = draft.base
  const { severity, label, text, action } = planHeadline(verdict, { atMost, ...(unknown && { unknown }) })
  const changes = changesText(draft)
  return (
    <section className={css('headline', 'banner')} aria-label="Verdict on the plan" data-severity={severity}>
      <div className={css('mark', 'beside')}>
        <Shape severity={severity} />
      </div>
      <div className={css('sentence', 'fits')}>
        <h1 data-testid="plan-headline">
          <strong className="word">{label}</strong> {unbroken(text)}
        </h1>
        <p>
          <span className={css('lead')}>{unbroken(action ?? tightestText(verdict))}</span>{' '}
          {isServing
            ? 'Requests wait in the gateway.'
            : 'The gateway is off: waiting requests would get 429.'}
        </p>
        <p className="spoken" role="status" data-testid="plan-spoken">
          {label} {text}
        </p>
      </div>
      <div className={css('compared')}>
        <Compared
          title={
            draft.base.recordedFromMs === undefined
              ? `Now, as of ${clockText(draft.sinceMs)}`
              : recordedTitle(draft.base)
          }
          verdict={before}
          unknown={unknown}
        />
        {changes !== '' && <Compared title={changes} verdict={verdict} unknown={unknown} isChosen />}
      </div>
      <Button look={css('ghost', 'close')} onClick={close}>
        Close <kbd>Esc</kbd>
      </Button>
    </section>
  )
}

/** Title of the recording that a plan is compared with. A nearly complete day is called `24 h`. */
const recordedTitle = ({ recordedMinutes = 0 }: PlanDraft['base']): string =>
  recordedMinutes >= 23 * 60 ? 'The last 24 h' : `${durationText(60 * recordedMinutes)} recorded`

interface ComparedProps {
  readonly title: string
  readonly verdict: PlanVerdict
  readonly unknown: UnknownOthers | undefined
  readonly isChosen?: boolean
}

function Compared({ title, verdict, unknown, isChosen = false }: ComparedProps) {
  const { severity, label, text } = planHeadline(verdict, unknown && { unknown })
  return (
    <div className={css('card', isChosen && 'chosen')} data-severity={severity}>
      <b className="cut">
        <Shape severity={severity} /> {title}
      </b>
      <span title={text}>
        <b className="word">{label}</b> {text}
      </span>
    </div>
  )
}
