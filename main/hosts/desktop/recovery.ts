/**
 * When a page that ended is loaded again.
 *
 * A monitor that runs for weeks must not stay blank, so the first time it is at once; a page that ends again and
 * again must not keep the machine busy, so each further time within a while waits longer.
 */
export const RECOVERY_WAITS_MS: readonly number[] = [0, 1_000, 5_000, 30_000]
/** An end longer ago than this is forgotten. */
export const FORGOTTEN_AFTER_MS = 300_000

export interface RecoveryStep {
  readonly waitMs: number
  /** To be handed back at the next end. */
  readonly endedAtMs: readonly number[]
}

export function recoveryStep(endedAtMs: readonly number[], nowMs: number): RecoveryStep {
  const recent = endedAtMs.filter((atMs) => nowMs - atMs < FORGOTTEN_AFTER_MS)
  const index = Math.min(recent.length, RECOVERY_WAITS_MS.length - 1)
  return {
    waitMs: RECOVERY_WAITS_MS[index] ?? 0,
    endedAtMs: [...recent, nowMs].slice(-RECOVERY_WAITS_MS.length),
  }
}
