import type { Clock } from './ports.ts'

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
