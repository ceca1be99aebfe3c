import { expect, it } from 'vitest'
import { MAX_TABS, tabPlace } from '../../../renderer/api/tab-place.ts'
import { settled } from '../virtual-window-clock.ts'

type Run = (lock: Lock | null) => Promise<void> | undefined
type Locks = NonNullable<Parameters<typeof tabPlace>[0]>

/** Locks as a browser shares them among its tabs. */
function sharedLocks(): Locks & { readonly held: ReadonlySet<string> } {
  const held = new Set<string>()
  const request = async (name: string, options: LockOptions, run: Run) => {
    expect(options).toEqual({ ifAvailable: true })
    if (held.has(name)) return run(null)
    held.add(name)
    await run({ name, mode: 'exclusive' })
    held.delete(name)
    return undefined
  }
  return { held, request: request as Locks['request'] }
}

it('five tabs of a browser have a place, and a sixth gets the place of one that closes', async () => {
  const locks = sharedLocks()
  const tabs = Array.from({ length: MAX_TABS }, () => tabPlace(locks))
  for (const tab of tabs) expect(await tab.take()).toBe(true)
  const sixth = tabPlace(locks)
  expect([await sixth.take(), await sixth.take()]).toEqual([false, false])
  tabs[2]?.leave()
  await settled()
  expect([await sixth.take(), locks.held.size]).toEqual([true, MAX_TABS])
  expect(await tabs[2]?.take()).toBe(false)
})

it('a tab has one place, however often it connects', async () => {
  const locks = sharedLocks()
  const tab = tabPlace(locks)
  expect(await Promise.all([tab.take(), tab.take()])).toEqual([true, true])
  expect([await tab.take(), locks.held.size]).toEqual([true, 1])
})

it('a browser that has or allows no locks has no limit', async () => {
  const blocked: Locks = { request: () => Promise.reject(new DOMException('blocked', 'SecurityError')) }
  expect(await tabPlace(blocked).take()).toBe(true)
  expect(await tabPlace(undefined).take()).toBe(true)
})
