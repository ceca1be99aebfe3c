import { performance } from 'node:perf_hooks'
import type { Clock, Random } from './ports.ts'

/** Maximum delay of setTimeout, in milliseconds. A longer delay would overflow and fire immediately. */
const MAX_WAIT_MS = 2 ** 31 - 1

/** Start of this process, epoch ms. */
export const processStartMs: number = performance.timeOrigin

export const nodeClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(Math.max(0, ms), MAX_WAIT_MS))
    return () => clearTimeout(timer)
  },
}

/**
 * Ends the process after `ms` milliseconds, even if work is left. The timer does not keep the process running
 * until then.
 */
export const exitWithin = (ms: number): void => void setTimeout(() => process.exit(), ms).unref()

/** Randomness for jitter. Secrets and codes come from node:crypto. */
export const nodeRandom: Random = { next: () => Math.random() }
