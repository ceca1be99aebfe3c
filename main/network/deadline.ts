import type { Clock } from '../ports/ports.ts'

/** If a timer fires at least this late, the process was suspended, not just busy. Milliseconds. */
const LATE_MS = 500
const GRACE_MS = 2_000

/**
 * Calls `passed` if no response has arrived within `ms`. Returns a function that cancels the call.
 *
 * After the process was suspended (Ctrl+Z, a paused virtual machine), timers fire before sockets are read. A
 * late timer therefore waits for `GRACE_MS`, so that data that has already arrived, such as a rotated token,
 * is read first.
 */
export function deadline(ms: number, passed: () => void): () => void {
  const startedMs = performance.now()
  let timer = setTimeout(() => {
    const isLate = performance.now() - startedMs >= ms + LATE_MS
    if (isLate) timer = setTimeout(passed, GRACE_MS)
    else passed()
  }, ms)
  return () => clearTimeout(timer)
}

/** Settles like `awaited`, or resolves to `undefined` after `ms`. */
export function within<T>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  awaited: Promise<T>,
): Promise<T | undefined> {
  let cancel = () => {}
  const passed = new Promise<undefined>((resolve) => {
    cancel = clock.after(ms, () => resolve(undefined))
  })
  return Promise.race([awaited, passed]).finally(() => cancel())
}

/**
 * Maximum wait in milliseconds when the app quits. A person or the system may end the process after 3 s. A
 * request that takes longer is repeated at the next start, because its intent is stored.
 */
const MAX_END_MS = 2_000

/** Resolves when `work` has settled, successfully or not, or after `MAX_END_MS`. */
export const settled = (work: Promise<unknown>, clock: Pick<Clock, 'after'>): Promise<void> =>
  within(clock, MAX_END_MS, work).then(
    () => {},
    () => {},
  )

/** Returns a function that runs tasks one after another. A failed task does not affect the next one. */
export function oneByOne(): <T>(task: () => T | Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const done = last.then(task)
    last = done.catch(() => {})
    return done
  }
}
