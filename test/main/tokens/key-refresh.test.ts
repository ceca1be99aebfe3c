import { expect, test } from 'vitest'
import { RefreshesToday } from '../../../main/tokens/key-refresh.ts'

const HOUR_MS = 3_600_000
const midnightMs = +new Date(2026, 0, 6)

test('refreshes are counted from local midnight, and a clock set back finds its day again', () => {
  let nowMs = midnightMs - 1
  const refreshes = new RefreshesToday({ wallMs: () => nowMs })
  expect(refreshes.count).toBe(0)
  refreshes.add()
  refreshes.add()
  expect(refreshes.count).toBe(2)
  nowMs = midnightMs
  expect(refreshes.count).toBe(0)
  refreshes.add()
  expect(refreshes.count).toBe(1)
  nowMs = midnightMs - HOUR_MS
  expect(refreshes.count).toBe(2)
  nowMs = +new Date(2026, 0, 7) - 1
  expect(refreshes.count).toBe(1)
})

test('a day of the wrong year costs no memory of many days', () => {
  let nowMs = midnightMs
  const refreshes = new RefreshesToday({ wallMs: () => nowMs })
  for (let day = 0; day < 10; day += 1) {
    nowMs = +new Date(2026, 0, 6 + day)
    refreshes.add()
  }
  expect(refreshes.count).toBe(1)
  nowMs = midnightMs
  expect(refreshes.count).toBe(0)
})
