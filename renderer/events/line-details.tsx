import type { IncidentLine } from '../../app/conditions/incidents.ts'
import { classesOf } from '../components/classes.ts'
import { useCopy } from '../hooks/use-copy.ts'
import sheet from './events.module.css'
import { type RefusalCard, refusalCard, supportText } from './refusal-card.ts'
import { RequestId } from './request-id.tsx'

const css = classesOf(sheet)

/** What the two rows of a line do not show: the facts of a 429 and the request ids. */
export function LineDetails({ line }: { readonly line: IncidentLine }) {
  const card = refusalCard(line)
  const requestIds = card?.requestIds ?? (line.requestId === undefined ? [] : [line.requestId])
  return (
    <>
      {card && <Card card={card} />}
      {requestIds.map((id) => (
        <RequestId key={id} id={id} whole />
      ))}
    </>
  )
}

function Card({ card }: { readonly card: RefusalCard }) {
  const copy = useCopy()
  const text = supportText(card)
  return (
    <div className={css('card')}>
      <dl>
        {card.facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <button
        type="button"
        className={css('tab', 'tool')}
        onClick={() => copy(text, 'Copied for support.', text)}
      >
        Copy for support
      </button>
    </div>
  )
}
