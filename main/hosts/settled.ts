import type { Clock } from '../ports/ports.ts'

/**
 * The longest wait at the end of the app: an answer that takes longer has its intent stored, and the next start goes
 * on. Short enough for the 3 s that a person or a system gives a program to end.
 */
const MAX_WAIT_MS = 2_000

/** Resolves when `work` has ended, whether it failed or not, and after 2 s at the latest. */
export function settled(work: Promise<unknown>, clock: Pick<Clock, 'after'>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(MAX_WAIT_MS, resolve)
    const end = () => {
      cancel()
      resolve()
    }
    work.then(end, end)
  })
}
