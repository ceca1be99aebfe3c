import { type AlertEffect, AlertEngine, outlivesStart } from '../../app/alerts/engine.ts'
import { type Alert, alertSchema } from '../../app/contract/alerts.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Thresholds } from '../../app/quota/thresholds.ts'
import type { Announcer } from './announcer.ts'
import type { ThresholdFile } from './threshold-file.ts'

export interface AlertsDeps {
  readonly announcer: Announcer
  readonly thresholds: ThresholdFile
  /** The stored bodies of the alerts that were open when the app last ended. */
  readonly kept: readonly string[]
  /** Stores the body of an open alert; `undefined` deletes it. */
  readonly keep: (id: string, body: string | undefined) => void
  readonly changed: (alerts: readonly Alert[]) => void
}

/**
 * The open alerts of all profiles. Each is announced once, survives a restart, and is withdrawn when its condition
 * ends.
 */
export class Alerts {
  readonly #deps: AlertsDeps
  readonly #engine: AlertEngine

  constructor(deps: AlertsDeps) {
    this.#deps = deps
    const kept = deps.kept.flatMap((body) => storedAlert(body) ?? [])
    for (const alert of kept) if (!outlivesStart(alert)) deps.keep(alert.id, undefined)
    this.#engine = new AlertEngine(kept)
  }

  /** Updates the alerts of one profile. Must be called about once a second for each profile. */
  observe(snapshot: Snapshot): void {
    this.#tell(this.#engine.observe(snapshot))
  }

  removed(profile: string): void {
    this.#tell(this.#engine.removed(profile))
    this.#deps.thresholds.forget(profile)
  }

  /** The open alerts, latest first. */
  open(): readonly Alert[] {
    return this.#engine.alerts()
  }

  dismiss(id: string): boolean {
    const alert = this.#engine.dismiss(id)
    if (!alert) return false
    this.#deps.announcer.withdraw(id)
    this.#deps.keep(id, JSON.stringify(alert))
    this.#deps.changed(this.open())
    return true
  }

  thresholds(profile: string): Thresholds {
    return this.#deps.thresholds.of(profile)
  }

  setThreshold(profile: string, category: string | undefined, below: number | undefined): Thresholds {
    const thresholds = this.#deps.thresholds.set(profile, category, below)
    this.#tell(this.#engine.thresholdsChanged(profile))
    return thresholds
  }

  #tell(effects: readonly AlertEffect[]): void {
    if (effects.length === 0) return
    for (const { kind, alert } of effects) {
      const { id, severity, title, body } = alert
      if (kind === 'raised') this.#deps.announcer.announce({ id, severity, title, body })
      else this.#deps.announcer.withdraw(id)
      this.#deps.keep(id, kind === 'raised' ? JSON.stringify(alert) : undefined)
    }
    this.#deps.changed(this.open())
  }
}

/** Parses a stored row of `open_alerts`. `undefined` when this version cannot read it; the row is then deleted. */
export function storedAlert(text: string): Alert | undefined {
  try {
    return alertSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
