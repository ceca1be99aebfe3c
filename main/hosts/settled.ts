import type { Clock } from '../ports/ports.ts'

/**
 * An answer that takes longer is not waited for at the end: its intent is stored, and the next start goes on. Short
 * enough that what comes after it still fits in the 3 s that a person or a system gives a program to end.
 */
const LONGEST_MS = 2_000

/** Waits for what is on its way, within reason. */
export function settled(work: Promise<unknown>, clock: Pick<Clock, 'after'>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(LONGEST_MS, resolve)
    const end = () => {
      cancel()
      resolve()
    }
    work.then(end, end)
  })
}
