/** Shares of a limit, 0 to 1. 0 turns the alert of that row off. */
export interface Thresholds {
  readonly below: number
  readonly perCategory: Readonly<Record<string, number>>
}

export const DEFAULT_THRESHOLDS: Thresholds = { below: 0.2, perCategory: {} }

/** How far above the threshold a row has to be again before that counts as recovered, in shares of the limit. */
export const HYSTERESIS = 0.1

export function thresholdOf({ below, perCategory }: Thresholds, category: string): number {
  return Object.hasOwn(perCategory, category) ? (perCategory[category] ?? below) : below
}
