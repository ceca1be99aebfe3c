import type { RowDetails } from '../../app/contract/quotas.ts'
import { clockText } from '../../app/status/moments.ts'
import { classesOf } from '../components/classes.ts'
import sheet from './details.module.css'

const css = classesOf(sheet)

/** The quota headers of the last response, as received. */
export function AnswerHeaders({ details }: { readonly details: RowDetails }) {
  const { headers, headersAt, from, oddities } = details
  const names = Object.keys(headers)
  return (
    <div className={css('part')}>
      <h3>
        Last headers{headersAt === undefined ? '' : ` · ${clockText(headersAt)}`}
        {from !== undefined && ` · received by ${from}`}
      </h3>
      {names.length === 0 ? (
        <p>No headers seen yet.</p>
      ) : (
        <dl className={css('headers')} data-testid="headers">
          {names.map((name) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{headers[name]}</dd>
            </div>
          ))}
        </dl>
      )}
      {oddities.length > 0 && (
        <ul className={css('odd')} aria-label="Ignored">
          {oddities.map((oddity) => (
            <li key={oddity}>Ignored: {oddity}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
