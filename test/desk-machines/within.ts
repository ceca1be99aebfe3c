import { setTimeout as pause } from 'node:timers/promises'
import { Lateness } from '../storm/lateness.ts'

const LOOK_EVERY_MS = 50

/**
 * Looks until nothing is missing any more, or the time is over. Returns what is still missing. A busy machine
 * gets the time that it has lost.
 */
export async function within(
  ms: number,
  look: () => readonly string[] | Promise<readonly string[]>,
): Promise<readonly string[]> {
  const lateness = new Lateness()
  const fromMs = Date.now()
  try {
    for (;;) {
      const missing = await look()
      if (missing.length === 0 || Date.now() - fromMs > ms + lateness.since(fromMs)) return missing
      await pause(LOOK_EVERY_MS)
    }
  } finally {
    lateness.stop()
  }
}
