import type { Page } from '@playwright/test'
import type { SimulatorServer } from '../../main/simulator/server.ts'
import { connectKey, openPositionsStream } from '../e2e/connect-key.ts'

/**
 * The actions of a person that cause most work in the main process, in this order: connect a key, open a
 * stream, show each view, and request everything at once.
 */
export const muchAtOnce = (page: Page, simulator: SimulatorServer): readonly (() => Promise<unknown>)[] => [
  () => connectKey(page, simulator),
  () => openPositionsStream(page),
  ...['1 h', '24 h', '7 d', 'Table', 'Details', '15 min'].map(
    (view) => () => page.getByRole('button', { name: view, exact: true }).click(),
  ),
  () => page.evaluate(LOOK_AT_ALL),
]

/** A week of each row, a report, all events and the key's settings. */
const LOOK_AT_ALL = `(async () => {
  const { headroom } = window
  const [snapshot] = await headroom.snapshots()
  const { at, profile, requests } = snapshot
  const fromMs = at - 7 * 24 * 3_600_000
  await Promise.all([
    ...requests.map(({ category }) =>
      headroom.history({ profile: profile.id, category, fromMs, toMs: at, points: 300 })),
    headroom.report({ profile: profile.id, fromMs, toMs: at }),
    headroom.events({ after: 0 }),
    headroom.keySettings({ profile: profile.id }),
  ])
})()`

/** The longest task of each second in milliseconds, oldest first, from the output of `shims/observer.ts`. */
export const longestTasksMs = (said: string): readonly number[] =>
  [...said.matchAll(/^longest task, ms: (\S+)$/gm)].map(([, ms]) => Number(ms))
