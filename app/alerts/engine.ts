import type { Alert } from '../contract/alerts.ts'
import type { Snapshot, StreamSummary } from '../contract/snapshot.ts'
import { type Condition, conditionsOf } from './conditions.ts'
import { ARMED, nextEpisode, type Reading } from './episode.ts'
import { PATIENCE, severityOf } from './kinds.ts'
import { alertText } from './text.ts'
import { type Tracked, TrackedConditions } from './tracked.ts'

/** An instruction to the host: raise an alert, once, or withdraw it, once. */
export type AlertEffect =
  | { readonly kind: 'raised'; readonly alert: Alert }
  | { readonly kind: 'withdrawn'; readonly alert: Alert }

/** How long "capacity is back" stays open. Milliseconds. */
const CAPACITY_BACK_MS = 2 * 60_000

/** Whether an alert is kept over a restart. Alerts on streams are not: streams get new ids at each start. */
export const outlivesStart = ({ kind }: Pick<Alert, 'kind'>): boolean => !kind.startsWith('stream-')

/** All alerts of all profiles, decided from snapshots. One snapshot a second and profile is enough. */
export class AlertEngine {
  readonly #tracked = new TrackedConditions()
  readonly #restarts = new Restarts()
  /** Episodes that were open when the app last ended, until their profile is seen again. */
  #restored: readonly Alert[]

  constructor(restored: readonly Alert[] = []) {
    this.#restored = restored.filter(outlivesStart)
  }

  observe(snapshot: Snapshot): readonly AlertEffect[] {
    const profile = snapshot.profile.id
    this.#restore(profile)
    const conditions = [
      ...conditionsOf(snapshot),
      ...snapshot.streams.map((stream): Condition => {
        const reading = this.#restarts.reading(`${profile}\n${stream.id}`, stream, snapshot.at)
        return { kind: 'stream-restarts', subject: stream.id, reading }
      }),
    ]
    const seen = new Set<Tracked>()
    const effects = conditions.flatMap((condition) => {
      const tracked = this.#trackedFor(profile, condition)
      seen.add(tracked)
      return this.#step(tracked, condition.reading, snapshot)
    })
    return [...effects, ...this.#others(profile, seen, snapshot)]
  }

  /** Withdraws every alert of a profile that was disconnected. */
  removed(profile: string): readonly AlertEffect[] {
    const effects: AlertEffect[] = []
    for (const tracked of this.#tracked.of(profile)) {
      if (tracked.alert) effects.push({ kind: 'withdrawn', alert: tracked.alert })
      this.#tracked.delete(tracked)
      this.#restarts.forget(`${profile}\n${tracked.subject}`)
    }
    return effects
  }

  /** Latest first. */
  alerts(): readonly Alert[] {
    return [...this.#tracked.all()]
      .flatMap(({ alert }) => alert ?? [])
      .sort((a, b) => b.at - a.at || a.id.localeCompare(b.id))
  }

  /** Returns the alert as it is now; `undefined` where that episode is over. */
  dismiss(id: string): Alert | undefined {
    for (const tracked of this.#tracked.all()) {
      if (tracked.alert?.id !== id) continue
      tracked.alert = { ...tracked.alert, dismissed: true }
      return tracked.alert
    }
    return undefined
  }

  /** Withdraws alerts on thresholds after one was changed: they were about another condition. */
  thresholdsChanged(profile: string): readonly AlertEffect[] {
    const effects: AlertEffect[] = []
    for (const tracked of this.#tracked.of(profile)) {
      if (tracked.kind !== 'below-threshold') continue
      if (tracked.alert) effects.push({ kind: 'withdrawn', alert: tracked.alert })
      this.#tracked.delete(tracked)
    }
    return effects
  }

  #step(tracked: Tracked, reading: Reading, snapshot: Snapshot): readonly AlertEffect[] {
    const { episode, effect } = nextEpisode(tracked.episode, reading, snapshot.at, PATIENCE[tracked.kind])
    tracked.episode = episode
    if (effect === undefined) return []
    switch (effect) {
      case 'raise':
        return [this.#raise(tracked, snapshot)]
      case 'withdraw-recovered': {
        const withdrawn = withdraw(tracked)
        return tracked.kind === 'blocked'
          ? [...withdrawn, ...this.#capacityBack(tracked, snapshot)]
          : withdrawn
      }
      case 'withdraw-gone':
        return withdraw(tracked)
    }
  }

  #raise(tracked: Tracked, snapshot: Snapshot): AlertEffect {
    const { profile, kind, subject, episode } = tracked
    const since = episode.kind === 'raised' ? episode.sinceMs : snapshot.at
    const alert: Alert = {
      id: `${keyOf(tracked).replaceAll('\n', '/')}@${snapshot.at}`,
      profile,
      kind,
      severity: severityOf(kind, subject, snapshot, snapshot.at),
      subject,
      since,
      at: snapshot.at,
      ...alertText(kind, subject, snapshot, snapshot.at),
      dismissed: false,
    }
    tracked.alert = alert
    return { kind: 'raised', alert }
  }

  #capacityBack({ profile, subject }: Tracked, snapshot: Snapshot): readonly AlertEffect[] {
    const tracked = this.#trackedFor(profile, { kind: 'capacity-back', subject })
    const former = withdraw(tracked)
    tracked.episode = {
      kind: 'raised',
      sinceMs: snapshot.at,
      raisedAtMs: snapshot.at,
      badAsOfMs: snapshot.at,
    }
    return [...former, this.#raise(tracked, snapshot)]
  }

  /** Ends the conditions that a snapshot did not name: expired good news, and subjects that are gone. */
  #others(profile: string, seen: ReadonlySet<Tracked>, snapshot: Snapshot): readonly AlertEffect[] {
    const effects: AlertEffect[] = []
    for (const tracked of this.#tracked.of(profile)) {
      if (seen.has(tracked)) continue
      if (tracked.kind === 'capacity-back') {
        const blocked = this.#tracked.get(profile, 'blocked', tracked.subject)
        const isOver = tracked.alert !== undefined && snapshot.at - tracked.alert.at >= CAPACITY_BACK_MS
        if (isOver || blocked?.alert) effects.push(...withdraw(tracked))
        continue
      }
      effects.push(...this.#step(tracked, { kind: 'gone' }, snapshot))
      // Streams come and go under ever new names; categories stay.
      if (tracked.kind.startsWith('stream-')) {
        this.#tracked.delete(tracked)
        this.#restarts.forget(`${profile}\n${tracked.subject}`)
      }
    }
    return effects
  }

  #restore(profile: string): void {
    for (const alert of this.#restored) {
      if (alert.profile !== profile) continue
      const tracked = this.#trackedFor(profile, alert)
      tracked.alert = alert
      tracked.episode = {
        kind: 'raised',
        sinceMs: alert.since,
        raisedAtMs: alert.at,
        badAsOfMs: alert.at,
      }
    }
    this.#restored = this.#restored.filter((alert) => alert.profile !== profile)
  }

  #trackedFor(profile: string, { kind, subject }: Pick<Condition, 'kind' | 'subject'>): Tracked {
    return this.#tracked.for(profile, kind, subject)
  }
}

function withdraw(tracked: Tracked): readonly AlertEffect[] {
  const { alert } = tracked
  tracked.alert = undefined
  if (tracked.kind === 'capacity-back') tracked.episode = ARMED
  return alert ? [{ kind: 'withdrawn', alert }] : []
}

const keyOf = ({ profile, kind, subject }: Pick<Tracked, 'profile' | 'kind' | 'subject'>): string =>
  `${profile}\n${kind}\n${subject}`

const WINDOW_MS = 10 * 60_000
/** Restarts within the window that are an alert; a planned one now and then is usual (service 12). */
const OFTEN = 3

interface Seen {
  restarts: number
  timesMs: number[]
}

/** Restarts of each stream over the last ten minutes, which a single snapshot does not show. */
class Restarts {
  readonly #streams = new Map<string, Seen>()

  /** `key` names the stream among those of all profiles. */
  reading(key: string, { state, restarts }: StreamSummary, nowMs: number): Reading {
    const before = this.#streams.get(key) ?? { restarts, timesMs: [] }
    const fresh = Array.from(
      { length: Math.min(OFTEN, Math.max(0, restarts - before.restarts)) },
      () => nowMs,
    )
    const timesMs = [...before.timesMs.filter((ms) => nowMs - ms < WINDOW_MS), ...fresh].slice(-OFTEN)
    this.#streams.set(key, { restarts, timesMs })
    if (state === 'closed') return { kind: 'gone' }
    if (timesMs.length >= OFTEN) return { kind: 'bad', asOfMs: nowMs }
    const isUp = state === 'live' || state === 'snapshot'
    return isUp && timesMs.length === 0 ? { kind: 'good', asOfMs: nowMs } : { kind: 'between' }
  }

  forget(key: string): void {
    this.#streams.delete(key)
  }
}
