import { setTimeout as pause } from 'node:timers/promises'
import { Lateness } from '../storm/lateness.ts'

const LOOK_EVERY_MS = 50

/**
 * Calls `look` until it reports nothing missing, for at most `ms`. Returns what is still missing. The time is
 * extended by the delay of a busy machine.
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
