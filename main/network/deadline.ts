import type { Clock } from '../ports/ports.ts'

/** How late a timer fires on a busy machine, in milliseconds; beyond it the process did not run. */
const LATE_MS = 500
const GRACE_MS = 2_000

/**
 * Calls `passed` once an answer has not come within `ms`; the returned function cancels that.
 *
 * After the process did not run (Ctrl+Z, a paused virtual machine), timers are due before sockets are read. What came
 * meanwhile, such as the answer with a rotated token, is read first.
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

/** Resolves or rejects as `awaited` does, and after `ms` at the latest. */
export async function within(
  clock: Pick<Clock, 'after'>,
  ms: number,
  awaited: Promise<unknown>,
): Promise<void> {
  let cancel = () => {}
  const passed = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  await Promise.race([awaited, passed]).finally(() => cancel())
}
