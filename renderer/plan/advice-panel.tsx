import { memo } from 'react'
import { concessionsOf } from '../../app/plan/advice.ts'
import { demandsOf } from '../../app/plan/demand.ts'
import { planFileText } from '../../app/plan/plan-file-text.ts'
import { concessionLine, slotLine } from '../../app/plan/plan-words.ts'
import { OTHERS_NAME } from '../../app/plan/running.ts'
import type { PlanVerdict } from '../../app/plan/verdict.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { ScrollBox } from '../components/table.tsx'
import { saveFile } from '../hooks/save-file.ts'
import { useCopy } from '../hooks/use-copy.ts'
import { type ChangeDraft, conceded, type PlanDraft } from '../state/plan-draft.ts'
import planSheet from './plan.module.css'
import sheet from './plan-advice.module.css'

const css = classesOf({ ...planSheet, ...sheet })

interface AdvicePanelProps {
  readonly draft: PlanDraft
  readonly verdict: PlanVerdict
  readonly change: ChangeDraft
}

export const AdvicePanel = memo(function AdvicePanel({ draft, verdict, change }: AdvicePanelProps) {
  const copy = useCopy()
  const concessions = demandsOf(draft.plan).flatMap(concessionsOf)
  const slots = verdict.slots.filter(({ fits }) => !fits)
  const copied = () =>
    copy(
      planFileText(draft.plan),
      'Plan copied. Save it as plan.json for “headroom plan plan.json”.',
      'Copying failed: this page has no clipboard. Use Save as.',
    )
  return (
    <section className={css('panel', 'advice')} aria-labelledby="plan-advice">
      <div className={css('head', 'heading')}>
        <h2 id="plan-advice">Advice</h2>
        <span className="cut">{verdict.fits ? '' : 'best first'}</span>
      </div>
      <ScrollBox label="Advice, list">
        {verdict.fits && (
          <p className={css('note')}>If others keep their present rate, nothing needs to be reduced.</p>
        )}
        <ol className={css('advices')}>
          {concessions.map((concession) => {
            const line = concessionLine(concession)
            return (
              <li key={line}>
                <span>{line}</span>
                {concession.program !== OTHERS_NAME && (
                  <Button
                    look={css('small')}
                    aria-label={`Apply: ${line}`}
                    onClick={() => change((now) => conceded(now, concession))}
                  >
                    Apply
                  </Button>
                )}
              </li>
            )
          })}
          {slots.map((slot) => (
            <li key={slot.category}>
              <span>{slotLine(slot)}</span>
            </li>
          ))}
        </ol>
      </ScrollBox>
      <p className={css('command')}>
        <code>headroom plan plan.json --json</code>
        <Button
          look={css('small')}
          onClick={() =>
            saveFile({
              name: 'plan.json',
              mediaType: 'application/json',
              text: planFileText(draft.plan),
            })
          }
        >
          Save as…
        </Button>
        <Button look={css('small')} onClick={copied}>
          Copy as JSON
        </Button>
      </p>
    </section>
  )
})
