import { type AlertEffect, AlertEngine } from '../../app/alerts/engine.ts'
import { type AnnouncementEffect, Announcements } from '../../app/alerts/groups.ts'
import { changedPreferences, isAnnouncedElsewhere, mayAnnounce } from '../../app/alerts/quiet.ts'
import {
  type Alert,
  type AlertPreferences,
  type AlertPreferencesChange,
  type Announcement,
  alertSchema,
  type alertsContract,
  type ClosedAlert,
} from '../../app/contract/alerts.ts'
import type { DeskSummary } from '../../app/contract/desk.ts'
import type { Feature } from '../../app/contract/ipc.ts'
import type { CommandError } from '../../app/contract/outcome.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Thresholds } from '../../app/contract/units.ts'
import { jsonOf } from '../../app/service/json.ts'
import type { Announcer } from './announcer.ts'
import type { ThresholdFile } from './threshold-file.ts'

export interface AlertsDeps {
  readonly announcer: Announcer
  readonly thresholds: ThresholdFile
  /** The stored alerts that were open when the app last ended. */
  readonly kept: readonly string[]
  /** Stores the body of an open alert. An undefined `body` deletes the stored alert. */
  readonly keep: (id: string, body: string | undefined) => void
  readonly thresholdsSet: (profile: string, thresholds: Thresholds) => void
}

const MAX_CLOSED = 200

/**
 * The open alerts of all profiles. Each alert is announced once, survives a restart, and is withdrawn when
 * its condition ends.
 */
export class Alerts {
  readonly #deps: AlertsDeps
  readonly #engine: AlertEngine
  readonly #announcements = new Announcements()
  #closed: readonly ClosedAlert[] = []
  /** The time of the last snapshot, epoch ms. */
  #nowMs = 0
  /** The desk of each profile as of its last snapshot. */
  readonly #desks = new Map<string, DeskSummary>()
  #snoozeChosenAtMs: number | undefined
  readonly #listeners = new Set<(alerts: readonly Alert[]) => void>()
  readonly #announced = new Set<(announcement: Announcement) => void>()

  constructor(deps: AlertsDeps) {
    this.#deps = deps
    this.#engine = new AlertEngine(deps.kept.flatMap((body) => storedAlert(body) ?? []))
  }

  /** Updates the alerts of one profile. Call this about once a second for each profile. */
  observe(snapshot: Snapshot): void {
    this.#nowMs = snapshot.at
    if (snapshot.desk === undefined) this.#desks.delete(snapshot.profile.id)
    else this.#desks.set(snapshot.profile.id, snapshot.desk)
    this.#tell(this.#engine.observe(snapshot))
  }

  /** Calls `listener` with all open alerts after each change. Returns the unsubscribe function. */
  onChanged(listener: (alerts: readonly Alert[]) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Calls `listener` with each announcement. Returns the unsubscribe function. */
  onAnnounced(listener: (announcement: Announcement) => void): () => void {
    this.#announced.add(listener)
    return () => void this.#announced.delete(listener)
  }

  removed(profile: string): void {
    this.#tell(this.#engine.removed(profile))
    this.#desks.delete(profile)
    this.#deps.thresholds.forget(profile)
  }

  /** The open alerts, worst first. */
  open(): readonly Alert[] {
    return this.#engine.alerts()
  }

  /** Ended alerts of this run of the app, latest first. */
  closed(): readonly ClosedAlert[] {
    return this.#closed
  }

  /** Closes an open alert. `false` if no alert with this id is open. */
  dismiss(id: string): boolean {
    const alert = this.#engine.dismiss(id)
    if (!alert) return false
    this.#announce(this.#announcements.ended(id))
    this.#deps.keep(id, JSON.stringify(alert))
    this.#changed()
    return true
  }

  get preferences(): AlertPreferences {
    return this.#deps.thresholds.preferences
  }

  changePreferences(change: AlertPreferencesChange): AlertPreferences {
    this.#deps.thresholds.setPreferences(changedPreferences(this.preferences, change))
    if (change.snoozedUntil !== undefined) this.#snoozeChosenAtMs = this.#nowMs
    return this.preferences
  }

  /**
   * The current snooze. `chosenAtMs`: when a person chose it, epoch ms. `undefined` if chosen before this run
   * of the app.
   */
  get snooze(): { readonly untilMs: number | undefined; readonly chosenAtMs: number | undefined } {
    return { untilMs: this.preferences.snoozedUntil, chosenAtMs: this.#snoozeChosenAtMs }
  }

  /**
   * Applies a snooze that a person chose on another machine. `untilMs` is absent if the person ended the
   * snooze.
   */
  adoptSnooze(untilMs: number | undefined, chosenAtMs: number): void {
    this.changePreferences({ snoozedUntil: untilMs ?? null })
    this.#snoozeChosenAtMs = chosenAtMs
  }

  thresholds(profile: string): Thresholds {
    return this.#deps.thresholds.of(profile)
  }

  setThreshold(profile: string, category: string | undefined, below: number | undefined): Thresholds {
    const thresholds = this.#deps.thresholds.set(profile, category, below)
    this.#tell(this.#engine.thresholdsChanged(profile))
    this.#deps.thresholdsSet(profile, thresholds)
    return thresholds
  }

  #changed(): void {
    for (const listener of this.#listeners) listener(this.open())
  }

  #tell(effects: readonly AlertEffect[]): void {
    if (effects.length === 0) return
    const raised = effects.flatMap(({ kind, alert }) => (kind === 'raised' ? alert : []))
    for (const { kind, alert } of effects) {
      if (kind === 'withdrawn') this.#ended(alert)
      this.#deps.keep(alert.id, kind === 'raised' ? JSON.stringify(alert) : undefined)
    }
    const announced = raised.filter(
      (alert) => !isAnnouncedElsewhere(alert.kind, this.#desks.get(alert.profile)),
    )
    this.#announce(this.#announcements.raised(announced))
    this.#changed()
  }

  #ended(alert: Alert): void {
    this.#announce(this.#announcements.ended(alert.id))
    const endedAt = Math.max(this.#nowMs, alert.at)
    this.#closed = [{ ...alert, endedAt }, ...this.#closed].slice(0, MAX_CLOSED)
  }

  #announce(effects: readonly AnnouncementEffect[]): void {
    const { announcer, thresholds } = this.#deps
    for (const effect of effects) {
      if (effect.kind === 'withdraw') {
        announcer.withdraw(effect.id)
        continue
      }
      const { announcement } = effect
      if (!mayAnnounce(thresholds.preferences, announcement.severity, this.#nowMs)) continue
      announcer.announce(announcement)
      for (const listener of this.#announced) listener(announcement)
    }
  }
}

/** Parses a row of `open_alerts`. `undefined` if this version can't read the row, which is then deleted. */
export function storedAlert(text: string): Alert | undefined {
  return alertSchema.safeParse(jsonOf(text)).data
}

const ALERT_OVER: CommandError = { ok: false, code: 'alert-over', message: 'That alert has ended.' }

export function alertCommands(alerts: Alerts): Feature<typeof alertsContract> {
  return {
    handlers: {
      alerts: () => alerts.open(),
      dismissAlert: ({ id }) => (alerts.dismiss(id) ? { ok: true } : ALERT_OVER),
      alertThresholds: ({ profile }) => alerts.thresholds(profile),
      closedAlerts: () => alerts.closed(),
      alertPreferences: () => alerts.preferences,
      setAlertPreferences: (change) => alerts.changePreferences(change),
      setAlertThreshold: ({ profile, category, below }) => alerts.setThreshold(profile, category, below),
    },
    follow: ({ alertsChanged, alertAnnounced }) => {
      const stops = [alerts.onChanged(alertsChanged), alerts.onAnnounced(alertAnnounced)]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
