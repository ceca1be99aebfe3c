import { useMemo } from 'react'
import type { LoggedEvent } from '../../app/contract/events.ts'
import { RequestId } from '../events/request-id.tsx'
import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import { useMirror, useQuota, useSnapshot } from '../view/window-parts.ts'
import { clockWords } from '../words/moments.ts'
import { detailFacts, type Fact } from './detail-facts.ts'
import sheet from './details.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** Everything known of one row: for judging a number, and for asking the provider about it. */
export function RowDetails({ category }: { readonly category: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard through its own focus
    <section className={css('scroll', 'details')} aria-label={`${category}, details`} tabIndex={0}>
      <Facts category={category} />
      <Refusals category={category} />
    </section>
  )
}

function Facts({ category }: { readonly category: string }) {
  // As text, so that it is drawn again when its words change and not with every tick.
  const said = useQuota(category, (quota, nowMs) => JSON.stringify(detailFacts(quota, nowMs)))
  const facts = useMemo(() => (said === undefined ? [] : (JSON.parse(said) as readonly Fact[])), [said])
  return (
    <dl className={css('facts')}>
      {facts.map(({ name, value, about }) => (
        <div key={name} title={about}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

type Refusal = Extract<LoggedEvent, { readonly kind: 'rate-limited' }>

function Refusals({ category }: { readonly category: string }) {
  const events = useMirror((mirror) => mirror.events)
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const refusals = events.filter(
    (event): event is Refusal =>
      event.kind === 'rate-limited' && event.profile === profile && event.category === category,
  )
  return (
    <div className={css('refusals')}>
      <h3>429s of this row</h3>
      {refusals.length === 0 ? (
        <p>None since Headroom started.</p>
      ) : (
        <ul>
          {refusals.map(({ seq, at, retryAt, requestId }) => (
            <li key={seq}>
              <time dateTime={new Date(at).toISOString()}>{clockWords(at)}</time>
              <span>held until {clockWords(retryAt)}</span>
              {requestId === undefined ? (
                <span className={css('muted')}>no request id</span>
              ) : (
                <RequestId id={requestId} />
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
