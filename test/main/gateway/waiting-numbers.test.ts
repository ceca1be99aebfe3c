import { expect, test, vi } from 'vitest'
import { PATIENT } from '../../patient.ts'
import { SkippingClock } from '../skipping-clock.ts'
import { before } from './raw-service.ts'

const EMPTY =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-ratelimit-limit: 100\r\nx-ratelimit-period: 300\r\n' +
  'x-ratelimit-remaining: 0\r\nx-ratelimit-reset: 300\r\nx-ratelimit-resource: Accounts\r\ncontent-length: 2\r\n\r\n{}'

test('a program shows how long its oldest request has waited', async () => {
  const clock = new SkippingClock()
  const { add, get, monitor } = await before((socket) => void socket.write(EMPTY), { clock })
  const key = add('bot')
  expect((await get('/v3/brokerage/accounts', key)).status).toBe(200)
  const shown = () => monitor.snapshot('key-1')?.programs?.[0]
  expect(shown()).toMatchObject({ waiting: 0, longestWaitMs: 0 })
  const answers: number[] = []
  for (const [at, query] of ['?1', '?2'].entries()) {
    const prefer = { prefer: 'wait=300' }
    void get(`/v3/brokerage/accounts${query}`, key, prefer).then(({ status }) => answers.push(status))
    await vi.waitFor(() => expect(shown()?.waiting).toBe(at + 1), PATIENT)
    clock.skip(1_500)
  }
  expect(answers).toEqual([])
  expect(shown()?.longestWaitMs).toBeGreaterThanOrEqual(3_000)
  expect(shown()?.longestWaitMs).toBeLessThan(13_000)
})
