import { expect, test } from 'vitest'
import type { Plan } from '../../../app/plan/plan.ts'
import { replay } from '../../../app/plan/replay.ts'
import { dayRowsOf } from '../../../renderer/plan/day-panel.tsx'
import { STRETCH_MS } from '../../../renderer/plan/use-day.ts'

const planOf = (limit: number): Plan => ({
  programs: [{ name: 'bot', class: 'critical', weight: 1, requests: [], streams: [] }],
  limits: { Positions: { limit, periodSeconds: 300 } },
  reserves: {},
})
const arrivals = Array.from({ length: 80 }, () => ({ atMs: 0, program: 'bot', category: 'Positions' }))
const REPLAY = { maxWaitMs: 300_000, stretchMs: STRETCH_MS }

test('levels with and without the change are shares of their own limits', () => {
  const [base, plan] = [planOf(320), planOf(160)]
  const day = { fromMs: 0, lengthMs: STRETCH_MS, base, plan }
  const replays = { before: replay(base, arrivals, REPLAY), after: replay(plan, arrivals, REPLAY) }
  const rows = dayRowsOf({ ...day, ...replays }, 'Positions')
  expect(rows).toMatchObject([{ before: 0.75, after: 0.5, longestSeconds: 0 }])
})

test('a category that only the changed plan has is full without the change', () => {
  const limits = { Else: { limit: 100, periodSeconds: 60 } }
  const [base, plan] = [planOf(320), { ...planOf(320), limits }]
  const none = replay(base, [], REPLAY)
  const rows = dayRowsOf({ fromMs: 0, lengthMs: STRETCH_MS, base, plan, before: none, after: none }, 'Else')
  expect(rows).toMatchObject([{ before: 1, after: 1 }])
})
