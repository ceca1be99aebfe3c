import { useState } from 'react'
import { groupsOf, groupTitle } from '../../app/alerts/groups.ts'
import { alertPlace, presentAlert } from '../../app/conditions/messages/conditions.ts'
import type { Alert, ClosedAlert } from '../../app/contract/alerts.ts'
import { mostUrgent } from '../../app/contract/severity.ts'
import { sinceText, untilText } from '../../app/status/durations.ts'
import { clockText, dayAndMinuteText, minuteText } from '../../app/status/moments.ts'
import type { WindowApi } from '../api/window-api.ts'
import { chooseIfRow } from '../capacity/chosen-category.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { DialogFrame } from '../components/dialog-frame.tsx'
import { Shape } from '../components/shape.tsx'
import { useAlertPreferences, useAnswer } from '../hooks/use-answer.ts'
import { unanswered, useAsked } from '../hooks/use-asked.ts'
import type { MirrorState } from '../state/mirror-state.ts'
import { useMirror, useMoment, useMomentValue, useParts, type WindowParts } from '../state/window-parts.ts'
import sheet from './alerts.module.css'
import { snoozeChoices } from './announce.ts'

const css = classesOf(sheet)

/** The open and the closed alerts of all keys. An alert closes automatically when its cause has ended. */
export function AlertsDialog() {
  const { view } = useParts()
  const [shown, setShown] = useState<'open' | 'closed'>('open')
  const open = useMirror(({ alerts }) => alerts.length)
  return (
    <DialogFrame title="Alerts" about="Open problems, worst first. They clear automatically." width="wide">
      <div className={css('bar')}>
        <fieldset className={css('tabs')} aria-label="Which alerts">
          {(['open', 'closed'] as const).map((one) => (
            <Button key={one} look="ghost" aria-pressed={shown === one} onClick={() => setShown(one)}>
              {one === 'open' ? `Open ${open}` : 'Closed'}
            </Button>
          ))}
        </fieldset>
        <Snooze />
      </div>
      {shown === 'open' ? <OpenAlerts /> : <ClosedAlerts />}
      <Button onClick={() => view.setState({ dialog: 'settings' })}>Thresholds, sounds, quiet hours…</Button>
    </DialogFrame>
  )
}

function OpenAlerts() {
  const alerts = useMirror((mirror) => mirror.alerts)
  const groups = groupsOf(alerts)
  if (groups.length === 0) return <p>No open problems.</p>
  return (
    <ul className={css('list')} aria-label="Alerts">
      {groups.map(({ id, alerts: members }) =>
        members.length === 1 ? (
          <AlertRow key={id} alert={members[0]} />
        ) : (
          <GroupRow key={id} alerts={members} />
        ),
      )}
    </ul>
  )
}

/** The alert's text from its key's current data. Without a snapshot, the original text. */
function presentOf(alert: Alert, { snapshots }: MirrorState, nowMs: number): ReturnType<typeof presentAlert> {
  const snapshot = snapshots.find(({ profile }) => profile.id === alert.profile)
  if (snapshot === undefined) return alert
  return presentAlert(alert, snapshot, nowMs)
}

function useSince(sinceMs: number): string {
  const lasting = useMoment(({ nowMs }) => sinceText(sinceMs, nowMs))
  const since = useMoment(({ nowMs }) => dayAndMinuteText(sinceMs, nowMs))
  return `Since ${since} (${lasting})`
}

function AlertRow({ alert }: { readonly alert: Alert }) {
  const { api } = useParts()
  const asked = useAsked()
  const since = useSince(alert.since)
  const { severity, title, body } = useMomentValue(({ mirror, nowMs }) => {
    const { severity, title, body } = presentOf(alert, mirror, nowMs)
    return { severity, title, body }
  })
  return (
    <li className={css('alert', alert.dismissed && 'seen')} data-alert={alert.id}>
      <Shape severity={alert.dismissed ? 'unknown' : severity} />
      <div>
        <b>{title}</b>
        <p>
          {body} {since}
        </p>
        {asked.refusal !== undefined && <p role="alert">{asked.refusal}</p>}
      </div>
      <ShowButton alert={alert} title={title} />
      {alert.dismissed ? (
        <span className="muted">seen</span>
      ) : (
        <Button
          disabled={asked.waiting}
          aria-label={`Dismiss ${title}`}
          onClick={() => void asked.run(() => api.dismissAlert({ id: alert.id }))}
        >
          Dismiss
        </Button>
      )}
    </li>
  )
}

/** One line for alerts of the same kind that began together. Lists their subjects. */
function GroupRow({ alerts }: { readonly alerts: readonly [Alert, ...Alert[]] }) {
  const { api, view } = useParts()
  const [first] = alerts
  const fresh = alerts.filter(({ dismissed }) => !dismissed)
  const since = useSince(first.since)
  const { title, severity, names } = useMomentValue(({ mirror, nowMs }) => {
    const present = alerts.map((alert) => presentOf(alert, mirror, nowMs))
    return {
      title: groupTitle(present[0]?.title ?? first.title, alerts.length),
      severity: mostUrgent(present)?.severity ?? 'ok',
      names: present.map((one) => one.title).join(' · '),
    }
  })
  const dismissAll = async () => {
    for (const { id } of fresh) {
      const outcome = await api.dismissAlert({ id }).catch((error: unknown) => {
        view.setState({ notice: unanswered(error) })
        return undefined
      })
      if (outcome === undefined) return
    }
  }
  return (
    <li className={css('alert', fresh.length === 0 && 'seen')} data-alert={first.id}>
      <Shape severity={fresh.length === 0 ? 'unknown' : severity} />
      <div>
        <b>{title}</b>
        <p>{since}</p>
        <details>
          <summary>Which ones</summary>
          {names}
        </details>
      </div>
      <ShowButton alert={first} title={title} />
      {fresh.length === 0 ? (
        <span className="muted">seen</span>
      ) : (
        <Button aria-label={`Dismiss ${title}`} onClick={() => void dismissAll()}>
          Dismiss all
        </Button>
      )}
    </li>
  )
}

function ShowButton({ alert, title }: { readonly alert: Alert; readonly title: string }) {
  const parts = useParts()
  return (
    <Button look="ghost" aria-label={`Show ${title}`} onClick={() => jumpTo(alert, parts)}>
      Show
    </Button>
  )
}

const closedAlerts = (main: WindowApi) => main.closedAlerts()

function ClosedAlerts() {
  const open = useMirror((mirror) => mirror.alerts)
  const { answer, failure } = useAnswer(closedAlerts, open)
  if (failure !== undefined) return <p role="alert">{failure}</p>
  if (answer === undefined) return <p>Loading…</p>
  if (answer.length === 0) return <p>No alert has closed since Headroom started.</p>
  return (
    <ul className={css('list')} aria-label="Closed alerts">
      {answer.map((alert) => (
        <ClosedRow key={`${alert.id} ${alert.endedAt}`} alert={alert} />
      ))}
    </ul>
  )
}

function ClosedRow({ alert }: { readonly alert: ClosedAlert }) {
  const { since, endedAt } = alert
  const day = useMoment(({ nowMs }) => dayAndMinuteText(since, nowMs))
  return (
    <li className={css('alert', 'seen')} data-closed-alert={alert.id}>
      <Shape severity="unknown" />
      <div>
        <b>{alert.title}</b>
        <p>
          {day} to {clockText(endedAt)}, lasted {sinceText(since, endedAt)}.
        </p>
      </div>
    </li>
  )
}

function Snooze() {
  const { ticker } = useParts()
  const { preferences, failure, change } = useAlertPreferences()
  const left = useMoment(({ nowMs }) => {
    const until = preferences?.snoozedUntil
    return until === undefined || until <= nowMs ? '' : untilText(until, nowMs)
  })
  if (failure !== undefined) return <p role="alert">{failure}</p>
  if (preferences === undefined) return null
  const snooze = (untilMs: number | undefined) =>
    change({ snoozedUntil: untilMs === undefined ? null : Math.round(untilMs) })
  if (left !== '') {
    return (
      <p className={css('snooze')}>
        <span>
          Snoozed until {minuteText(preferences.snoozedUntil ?? 0)}, {left}.
        </span>
        <Button look="ghost" onClick={() => snooze(undefined)}>
          End snooze
        </Button>
      </p>
    )
  }
  return (
    <fieldset className={css('snooze')} aria-label="Snooze sounds and notifications">
      <span className="muted">Snooze</span>
      {snoozeChoices(ticker.nowMs()).map(({ label, untilMs }) => (
        <Button key={label} look="ghost" onClick={() => snooze(untilMs)}>
          {label}
        </Button>
      ))}
    </fieldset>
  )
}

/** Closes the dialog, and shows and focuses the alert's row, slots or stream. */
function jumpTo(alert: Alert, parts: Pick<WindowParts, 'view' | 'look' | 'mirror' | 'ticker'>): void {
  const { profile } = alert
  const snapshot = parts.mirror.getState().snapshots.find((one) => one.profile.id === profile)
  const subject = alertPlace(alert, snapshot, parts.ticker.nowMs())
  parts.view.setState({ profile, dialog: undefined, page: 'dashboard' })
  chooseIfRow(parts, profile, subject)
  if (subject === '') return
  // Waits for two frames, because the closing dialog first returns the focus to the button that opened it.
  requestAnimationFrame(() => requestAnimationFrame(() => focusOn(subject)))
}

function focusOn(subject: string): void {
  const name = CSS.escape(subject)
  const found = document.querySelector(
    [`tr[data-category="${name}"]`, `[data-stream="${name}"]`, `[data-slots="${name}"]`].join(', '),
  )
  found?.scrollIntoView({ block: 'nearest' })
  found?.querySelector<HTMLElement>('button')?.focus()
}
