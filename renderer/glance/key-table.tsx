import { useEffect, useMemo, useState } from 'react'
import { type KeyLine, keyLines, refusalsSince } from '../../app/conditions/glance.ts'
import type { LoggedEvent } from '../../app/contract/events.ts'
import type { RefreshSummary } from '../../app/contract/snapshot.ts'
import { startOfToday } from '../../app/status/moments.ts'
import { countText } from '../../app/status/rates.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { Shape } from '../components/shape.tsx'
import { ColumnHeads } from '../components/table.tsx'
import { ENVIRONMENT_LABELS } from '../format/environment-labels.ts'
import { useKeyDown } from '../hooks/use-key-down.ts'
import { MAX_EVENTS } from '../state/mirror-state.ts'
import { useMirror, useMoment, useMomentValue, useParts, useSnapshot } from '../state/window-parts.ts'
import sheet from './glance.module.css'

const css = classesOf(sheet)

/** All keys, worst first. Alt and a number open a key. */
export function KeyTable() {
  const { view } = useParts()
  const refusals = useRefusalsToday()
  const lines = useMomentValue(({ mirror, nowMs }) => keyLines(mirror.snapshots, nowMs, refusals))
  const open = (profile: string) => view.setState({ profile, category: undefined, page: 'dashboard' })
  useKeyDown((event) => {
    const line =
      event.altKey && /^Digit[1-9]$/.test(event.code) ? lines[Number(event.code.at(-1)) - 1] : undefined
    if (line === undefined) return
    event.preventDefault()
    open(line.id)
  })
  const urgent = lines.filter(({ severity }) => severity === 'critical').length
  return (
    <section className={css('keys')} aria-labelledby="keys-title">
      <div className={css('head', 'keys-head')}>
        <h2 id="keys-title">All keys</h2>
        <span>worst first · Alt+1–9 opens</span>
        <span className={css('how-many')}>
          {countText(lines.length, 'key')} · {urgent} critical
        </span>
      </div>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <ColumnHeads names={['Key', 'State', 'Tightest quota']} />
              <ColumnHeads look={css('amount')} names={['Left', 'Until']} />
              <th scope="col" className={css('amount')} title="429s since midnight">
                429s today
              </th>
              <ColumnHeads look={css('amount')} names={['Silent', 'Sign in by']} />
            </tr>
          </thead>
          <tbody>
            {lines.map((line, index) => (
              <KeyRow key={line.id} line={line} index={index} open={open} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

interface KeyRowProps {
  readonly line: KeyLine
  readonly index: number
  readonly open: (profile: string) => void
}

function KeyRow({ line, index, open }: KeyRowProps) {
  const { id, severity, state, refusals, silent, signInBy } = line
  const profile = useMirror(({ snapshots }) => snapshots.find((one) => one.profile.id === id)?.profile)
  const isSignedOut = useMirror(({ snapshots }) => {
    const refresh = snapshots.find((one) => one.profile.id === id)?.refresh
    return refresh !== undefined && SIGNED_OUT.includes(refresh.state)
  })
  const { tightest, left, until } = quotaCells(line, isSignedOut)
  const isShown = useSnapshot((snapshot) => snapshot.profile.id) === id
  if (profile === undefined) return null
  return (
    <tr data-severity={severity} aria-current={isShown ? 'true' : undefined} data-key={id}>
      <th scope="row">
        <Button look={css('ghost', 'key')} onClick={() => open(id)}>
          {index < 9 && <kbd>Alt {index + 1}</kbd>} <b>{profile.name}</b>{' '}
          <span className="muted">{ENVIRONMENT_LABELS[profile.environment]}</span>
        </Button>
      </th>
      <td>
        <Shape severity={severity} label={state} /> <b className="word">{state}</b>
      </td>
      <td className={css(isSignedOut && 'muted')}>{tightest || '–'}</td>
      <td className={css('amount', 'mono')}>{left || '–'}</td>
      <td className={css('amount')}>{until || '–'}</td>
      <td className={css('amount')}>{refusals ?? '–'}</td>
      <td className={css('amount')}>{silent || '–'}</td>
      <td className={css('amount', isSignedOut && 'word')}>{signInBy}</td>
    </tr>
  )
}

const SIGNED_OUT: readonly RefreshSummary['state'][] = ['none', 'sign-in-required', 'revoked']

/**
 * The cells for the tightest quota. `until` shows the note, unless the note is a percentage, which `left`
 * already shows.
 */
function quotaCells({ tightest, left, note }: KeyLine, isSignedOut: boolean) {
  if (isSignedOut) return { tightest: 'checks paused', left: '', until: '' }
  return { tightest, left, until: note.endsWith('%') ? '' : note }
}

/** Number of new events after which the past events are fetched again. */
const FETCHED_EACH = MAX_EVENTS / 2

/**
 * Each key's 429s since midnight in the displayed zone, from the history and this run of the app. Keys
 * without a readable history are left out.
 */
function useRefusalsToday(): Readonly<Record<string, number>> {
  const { api, live } = useParts()
  const fromMs = useMoment(({ nowMs }) => startOfToday(nowMs))
  const profiles = useMirror(({ snapshots }) => snapshots.map(({ profile }) => profile.id).join('\n'))
  const ofRun = useMirror(({ events }) => events)
  // The window drops old events. Past events are fetched again early enough that no event is missing.
  const turn = useMirror(({ events: [newest] }) => Math.floor((newest?.seq ?? 0) / FETCHED_EACH))
  const [past, setPast] = useState<Readonly<Record<string, readonly LoggedEvent[]>>>({})
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn must fetch again
  useEffect(() => {
    let stopped = false
    for (const profile of profiles.split('\n').filter(Boolean)) {
      api.pastEvents({ profile, fromMs, toMs: Math.max(fromMs + 1, Math.round(live.ticker.nowMs())) }).then(
        (events) => !stopped && setPast((before) => ({ ...before, [profile]: events })),
        // If the request failed, the key's cell stays empty. If the host was lost, the window reports this
        // elsewhere.
        () => {},
      )
    }
    return () => {
      stopped = true
    }
  }, [api, live, fromMs, profiles, turn])
  return useMemo(
    () =>
      Object.fromEntries(
        Object.entries(past).map(([profile, events]) => [
          profile,
          refusalsSince([...events, ...ofRun], profile, fromMs),
        ]),
      ),
    [past, ofRun, fromMs],
  )
}
