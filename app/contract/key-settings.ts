/** What a person may set of one connected key. Each change holds at once. */
export interface KeySettings {
  /** Whether Headroom asks by itself where no header came lately. */
  readonly probesEnabled: boolean
  /** Share of each quota that probes may spend in any of its periods, 0 to 1. */
  readonly budgetFraction: number
  /** What probes ask about where a category needs a symbol. */
  readonly symbol: string
  /** Seconds between probes of a category, overriding the budget for it; 0 never probes it. */
  readonly everySeconds: Readonly<Record<string, number>>
  /** After a 429, one request as soon as one has come back (service 7 asks to wait until all have). */
  readonly trialAfterStep: boolean
  /** After so long a rotating refresh token may be refused (service 8.4). */
  readonly rotationMinutes: number
}

export interface HeldSettings {
  readonly settings: KeySettings
  /** As the snapshot's: a snapshot with a later one knows of a change that is not in here. */
  readonly settingsAt?: number
  /** Whether they are still there after a restart. */
  readonly kept: 'stored' | 'until-exit'
  /** The categories that probes ask about, and an interval may be set for. */
  readonly probed: readonly string[]
}

export interface Range {
  readonly least: number
  readonly most: number
}

/** Less than the least shows next to nothing, more than the most would be felt by the trader's own programs. */
export const BUDGET_FRACTION: Range = { least: 0.001, most: 0.2 }
/** 0 beside these: never. */
export const EVERY_SECONDS: Range = { least: 1, most: 86_400 }
export const ROTATION_MINUTES: Range = { least: 1, most: 1_440 }

export const isWithin = ({ least, most }: Range, value: number): boolean => value >= least && value <= most
