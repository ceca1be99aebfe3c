import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { renewal } from '../scripted-http.ts'
import { DAY_MS, MINUTE_MS, setUp, started } from './scripted-keeper.ts'

test.each([1_000, 10 * MINUTE_MS, 3 * DAY_MS])(
  'after %d ms of sleep at most one refresh is sent',
  async (sleptMs) => {
    const { clock, keeper, http } = await started([renewal('a1'), renewal('a2')], 10 * MINUTE_MS)
    clock.sleep(sleptMs)
    keeper.wake()
    await clock.advance(1_000)
    expect(http.requests.length).toBe(sleptMs >= 8 * MINUTE_MS ? 2 : 1)
    const access = await keeper.access()
    expect(access).toEqual({ kind: 'token', value: http.requests.length === 2 ? 'a2' : 'a1' })
    proves('T9', { level: 2, cases: 1 })
  },
)

test('unannounced sleep is noticed within ten seconds', async () => {
  const { clock, http } = await started([renewal('a1'), renewal('a2')], 5 * MINUTE_MS)
  clock.sleep(15 * MINUTE_MS)
  await clock.advance(10_000)
  expect(http.requests.length).toBe(2)
})

test.each([-DAY_MS, DAY_MS])(
  'a wall clock that is set %d ms off causes at most one refresh',
  async (jumpMs) => {
    const { clock, keeper, http } = setUp()
    http.reply = () => renewal(`a${http.requests.length}`)
    keeper.start()
    await clock.advance(5 * MINUTE_MS)
    clock.jumpWall(jumpMs)
    await clock.advance(10 * MINUTE_MS)
    expect(http.requests.length).toBeLessThanOrEqual(2)
    expect(keeper.accessSummary().state).toBe('valid')
    proves('T9', { level: 2, cases: 1 })
  },
)
