import { expect, test } from 'vitest'
import { renewal } from '../scripted-http.ts'
import { setUp } from './scripted-keeper.ts'

const HOUR_MS = 3_600_000
const midnightMs = +new Date(2026, 0, 6)

/** A keeper whose refreshes all succeed. */
function refreshing() {
  const { clock, http, keeper } = setUp()
  http.reply = () => renewal('a')
  const setClock = (atMs: number) => clock.jumpWall(atMs - clock.wallMs())
  return {
    count: () => keeper.refreshSummary().refreshesToday,
    refreshAt: (atMs: number) => {
      setClock(atMs)
      return keeper.refresh()
    },
    setClock,
  }
}

test('refreshes are counted from local midnight, and a clock set back finds its day again', async () => {
  const { count, refreshAt, setClock } = refreshing()
  expect(count()).toBe(0)
  await refreshAt(midnightMs - 1)
  await refreshAt(midnightMs - 1)
  expect(count()).toBe(2)
  setClock(midnightMs)
  expect(count()).toBe(0)
  await refreshAt(midnightMs)
  expect(count()).toBe(1)
  setClock(midnightMs - HOUR_MS)
  expect(count()).toBe(2)
  setClock(+new Date(2026, 0, 7) - 1)
  expect(count()).toBe(1)
})

test('a day of the wrong year costs no memory of many days', async () => {
  const { count, refreshAt, setClock } = refreshing()
  for (let day = 0; day < 10; day += 1) await refreshAt(+new Date(2026, 0, 6 + day))
  expect(count()).toBe(1)
  setClock(midnightMs)
  expect(count()).toBe(0)
})
