import { Suspense, useCallback } from 'react'
import type { RowDetails } from '../../app/contract/quotas.ts'
import { clockText, dayAndMinuteText } from '../../app/status/moments.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { loadedLater } from '../components/loaded-later.ts'
import { ScrollBox } from '../components/table.tsx'
import { RequestId } from '../events/request-id.tsx'
import { useAsked } from '../hooks/use-asked.ts'
import { useRepeated } from '../hooks/use-repeated.ts'
import { useParts, usePausedSince, useShown, useShownValue, useSnapshot } from '../state/window-parts.ts'
import { detailFacts, programsText } from './detail-facts.ts'
import sheet from './details.module.css'
import { WhatIf } from './what-if.tsx'

const ProgramChart = loadedLater(async () => (await import('../programs/program-chart.tsx')).ProgramChart)

const css = classesOf(sheet)

export function RowDetailsPanel({ category }: { readonly category: string }) {
  const { ticker } = useParts()
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const details = useRowDetails(profile, category)
  const hasPrograms = useSnapshot((snapshot) => snapshot.programs !== undefined) === true
  return (
    <ScrollBox label={`${category}, details`} look={css('details')}>
      <div>
        <WhatIf category={category} />
        <Facts category={category} />
        <Suspense fallback={null}>
          {hasPrograms && <ProgramChart profile={profile} category={category} />}
        </Suspense>
      </div>
      <div>
        {profile !== undefined && <CheckNow key={profile} profile={profile} category={category} />}
        {details !== undefined && (
          <>
            <AnswerHeaders details={details} />
            <Refusals refusals={details.refusals} nowMs={ticker.nowMs()} />
          </>
        )}
      </div>
    </ScrollBox>
  )
}

/** The button that checks a row now. For a category of streams, the check opens a stream. */
function CheckNow({ profile, category }: { readonly profile: string; readonly category: string }) {
  const { api } = useParts()
  const asked = useAsked()
  return (
    <div className={css('check')}>
      <Button
        disabled={asked.waiting}
        onClick={() => void asked.run(() => api.checkNow({ profile, category }))}
      >
        {asked.waiting ? 'Checking…' : 'Check now'}
      </Button>
      <span role="alert">{asked.refusal}</span>
    </div>
  )
}

function Facts({ category }: { readonly category: string }) {
  const facts =
    useShownValue(({ requests, desk }, nowMs) => {
      const quota = requests.find((one) => one.category === category)
      return quota && detailFacts(quota, nowMs, desk)
    }) ?? []
  const programs = useShown((snapshot) => programsText(snapshot, category))
  return (
    <dl className={css('facts')}>
      {programs && (
        <div title="Through the gateway, over the last minute. Included in Headroom’s use.">
          <dt>Programs</dt>
          <dd>{programs}</dd>
        </div>
      )}
      {facts.map(({ name, value, about }) => (
        <div key={name} title={about}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const ASK_AGAIN_MS = 2000

function useRowDetails(profile: string | undefined, category: string): RowDetails | undefined {
  const { api } = useParts()
  const isPaused = usePausedSince() !== undefined
  const ask = useCallback(async () => {
    const answer = profile === undefined ? undefined : await api.rowDetails({ profile, category })
    return answer?.ok === true ? answer.details : undefined
  }, [api, profile, category])
  const isOn = profile !== undefined && !isPaused
  return useRepeated({ ask, isOn, everyMs: ASK_AGAIN_MS })
}

function AnswerHeaders({ details }: { readonly details: RowDetails }) {
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

interface RefusalsProps {
  readonly refusals: RowDetails['refusals']
  readonly nowMs: number
}

function Refusals({ refusals, nowMs }: RefusalsProps) {
  return (
    <div className={css('part')}>
      <h3>Latest 429s</h3>
      {refusals.length === 0 ? (
        <p>No 429s since Headroom started.</p>
      ) : (
        <ul className={css('refusals')} aria-label="Latest 429s">
          {refusals.toReversed().map(({ at, requestId }) => (
            <li key={`${at} ${requestId}`}>
              <time dateTime={new Date(at).toISOString()}>{dayAndMinuteText(at, nowMs)}</time>
              {requestId === undefined ? (
                <span className="muted">no request id</span>
              ) : (
                <RequestId id={requestId} whole />
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
