import { useState } from 'react'
import { conditionsOf, isStopped } from '../../app/conditions/evaluate.ts'
import { criticalSubjects, incidentLines } from '../../app/conditions/incidents.ts'
import type { LoggedEvent } from '../../app/contract/events.ts'
import { startOfToday } from '../../app/status/moments.ts'
import { stateAt, usesWholeRefill } from '../../app/status/quota-status.ts'
import { classesOf } from '../components/classes.ts'
import { Select } from '../components/controls.tsx'
import { LazyMenu, menuCode } from '../components/lazy-menu.tsx'
import { unanswered } from '../hooks/use-asked.ts'
import { useMirror, useMoment, useParts, useShownValue, useSnapshot } from '../state/window-parts.ts'
import { EventRow } from './event-row.tsx'
import sheet from './events.module.css'
import { EVENT_FILTER_LABELS, EVENT_FILTERS, type EventFilter, ExportsOf, passes } from './shown-events.ts'

const css = classesOf(sheet)

const EXPORTS = menuCode(async () => (await import('./export-items.tsx')).OpenedExports)

/** Maximum number of drawn events. The window stores more, because it stores the events of all profiles. */
const MAX_SHOWN = 100
const MAX_PAST = 400

const ORDER = 'Open events first, the worst on top; then the newest events'

export function EventList() {
  const events = useMirror((mirror) => mirror.events)
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const stored = useSnapshot((snapshot) => snapshot.refresh.stored) ?? 'memory'
  const [filter, setFilter] = useState<EventFilter>('all')
  const [onlyOpen, setOnlyOpen] = useState(false)
  const { live } = useParts()
  const past = usePastEvents(profile)
  const dayStartMs = useMoment(({ nowMs }) => startOfToday(nowMs))
  const ofRun = events.filter((event) => event.profile === profile)
  const waitOverMs = useMoment(({ nowMs }) => lastWaitOver(ofRun, nowMs))
  const ofProfile = [...ofRun.slice(0, MAX_SHOWN), ...past.events]
  const passing = ofProfile.filter((event) => passes(event, filter)).slice(0, MAX_SHOWN + MAX_PAST)
  const critical = useShownValue(criticalSubjects)
  const othersTakeAll = useShownValue(({ requests }, nowMs) =>
    requests
      .filter((row) => stateAt(row, nowMs) === 'blocked' && usesWholeRefill(row))
      .map(({ category }) => category),
  )
  const stopped = useShownValue((snapshot, nowMs) => isStopped(conditionsOf(snapshot, nowMs)))
  const all = incidentLines(passing, {
    stored,
    nowMs: waitOverMs,
    runSinceMs: oldestAt(ofRun),
    isStopped: stopped === true,
    critical: new Set(critical),
    othersTakeAll: new Set(othersTakeAll),
  })
  const open = all.filter(({ isOpen }) => isOpen)
  const lines = onlyOpen ? open : all
  const shown = onlyOpen ? open.flatMap((line) => line.events) : passing
  return (
    <section className={css('part')} aria-labelledby="events-title">
      <div className={css('head', 'joined')}>
        <h2 id="events-title">Incidents</h2>
        <span className={css('order', 'cut')} title={ORDER}>
          {open.length === 0 ? 'none open' : `${open.length} open`}
        </span>
        <span className={css('tabs', 'tools')}>
          <button type="button" aria-pressed={!onlyOpen} onClick={() => setOnlyOpen(false)}>
            All
          </button>
          <button type="button" aria-pressed={onlyOpen} onClick={() => setOnlyOpen(true)}>
            Open
          </button>
          <Select
            id="event-filter"
            className={css('filter')}
            aria-label="Show events"
            value={filter}
            choices={EVENT_FILTERS}
            words={(one) => EVENT_FILTER_LABELS[one]}
            onChoose={setFilter}
          />
          <ExportsOf.Provider value={{ shown, stored }}>
            <LazyMenu menu={EXPORTS}>Export</LazyMenu>
          </ExportsOf.Provider>
        </span>
      </div>
      <div className={css('list')}>
        {/* A scrolling list needs its own focus for the keyboard. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
        <ol aria-label="Events" tabIndex={0}>
          {lines.map((line) => (
            // The key includes more than `seq`, because `seq` restarts with each run of the app.
            <EventRow
              key={`${line.at} ${Math.min(...line.events.map(({ seq }) => seq))}`}
              line={line}
              isToday={line.at >= dayStartMs}
            />
          ))}
          {lines.length === 0 && (
            <li className={css('none')}>
              {ofProfile.length === 0
                ? 'Nothing has happened yet.'
                : onlyOpen
                  ? 'No event is open.'
                  : 'No events of this kind.'}
            </li>
          )}
        </ol>
        {past.state !== 'asked' && (
          <button
            type="button"
            className={css('tab', 'tool', 'earlier')}
            title="Events before this run, up to a week"
            disabled={past.state === 'asking'}
            onClick={() => past.load(ofRun.at(-1)?.at ?? Math.round(live.ticker.nowMs()))}
          >
            Earlier
          </button>
        )}
      </div>
    </section>
  )
}

/** Time of this run's first event, epoch ms. Earlier events come from the history. */
const oldestAt = (ofRun: readonly LoggedEvent[]): number => ofRun.at(-1)?.at ?? 0

/** When the latest wait after a 429 ended, epoch ms. 0 if none has ended. */
function lastWaitOver(events: readonly LoggedEvent[], nowMs: number): number {
  const over = events.flatMap((event) =>
    event.kind === 'rate-limited' && event.nextTryAt === undefined && event.retryAt <= nowMs
      ? event.retryAt
      : [],
  )
  return Math.max(0, ...over)
}

const STEP_MS = 7 * 86_400_000

interface PastEvents {
  /** Earlier events, newest first. */
  readonly events: readonly LoggedEvent[]
  readonly state: 'not-asked' | 'asking' | 'asked'
  load(beforeMs: number): void
}

/** Loads the events of the seven days before `beforeMs` from the history, on request. */
function usePastEvents(profile: string | undefined): PastEvents {
  const { api, view } = useParts()
  const [asked, setAsked] = useState<{ readonly profile: string; readonly events?: readonly LoggedEvent[] }>()
  const own = asked !== undefined && asked.profile === profile ? asked : undefined
  return {
    events: own?.events ?? [],
    state: own === undefined ? 'not-asked' : own.events === undefined ? 'asking' : 'asked',
    load: (beforeMs) => {
      if (profile === undefined) return
      setAsked({ profile })
      api.pastEvents({ profile, fromMs: Math.max(0, beforeMs - STEP_MS), toMs: beforeMs - 1 }).then(
        (events) => setAsked({ profile, events: events.toReversed() }),
        (error: unknown) => {
          setAsked(undefined)
          view.setState({ notice: unanswered(error) })
        },
      )
    },
  }
}
