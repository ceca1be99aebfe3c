import { type AlertEffect, AlertEngine, outlivesStart } from '../../app/alerts/engine.ts'
import { type Alert, alertSchema } from '../../app/contract/alerts.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Thresholds } from '../../app/quota/thresholds.ts'
import type { Announcer } from './announcer.ts'
import type { ThresholdFile } from './threshold-file.ts'

export interface AlertsDeps {
  readonly announcer: Announcer
  readonly thresholds: ThresholdFile
  /** What was open when the app last ended, as it was kept. */
  readonly kept: readonly string[]
  /** Keeps an open alert, or forgets it. */
  readonly keep: (id: string, body: string | undefined) => void
  readonly changed: (alerts: readonly Alert[]) => void
}

/** Episodes as they come and go: each is shown once, kept over a restart, and taken back when it is over. */
export class Alerts {
  readonly #deps: AlertsDeps
  readonly #engine: AlertEngine

  constructor(deps: AlertsDeps) {
    this.#deps = deps
    const kept = deps.kept.flatMap((body) => storedAlert(body) ?? [])
    for (const alert of kept) if (!outlivesStart(alert)) deps.keep(alert.id, undefined)
    this.#engine = new AlertEngine(kept)
  }

  /** To be called about once a second for each profile. */
  observe(snapshot: Snapshot): void {
    this.#tell(this.#engine.observe(snapshot))
  }

  removed(profile: string): void {
    this.#tell(this.#engine.removed(profile))
    this.#deps.thresholds.forget(profile)
  }

  /** Latest first. */
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

/** What a row of `open_alerts` says; `undefined` for one that this version cannot read, which is then forgotten. */
export function storedAlert(text: string): Alert | undefined {
  try {
    return alertSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
