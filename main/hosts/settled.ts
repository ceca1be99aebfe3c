import type { Clock } from '../ports/ports.ts'

/**
 * The longest wait at the end of the app, within the 3 s that a person or a system allows. The intent of a slower
 * request is stored, and the next start resumes it.
 */
const MAX_WAIT_MS = 2_000

/** Resolves when `work` has settled, successfully or not, or after `MAX_WAIT_MS`. */
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
