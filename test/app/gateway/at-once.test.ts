import { expect, test } from 'vitest'
import { Scheduler } from '../../../app/gateway/scheduler.ts'

const BUCKET = 'Order Execution'
const rate = (remaining: number) => ({
  limit: 10,
  periodSeconds: 60,
  remaining,
  resetSeconds: (10 - remaining) * 6,
})

/** A scheduler whose bucket has shown `remaining` requests at 0 ms. */
function scheduled(remaining: number, reserve?: number): Scheduler {
  const scheduler = new Scheduler(() => (reserve === undefined ? {} : { reserve }))
  scheduler.passed(1, BUCKET, 0)
  scheduler.answered(1, { kind: 'answer', rate: rate(remaining) }, 0)
  return scheduler
}

const read = (id: number) => ({
  id,
  program: 'reader',
  class: 'critical' as const,
  weight: 1,
  bucket: BUCKET,
  maxWaitMs: 60_000,
})

test('a quota that no header has shown lets everything pass at once', () => {
  const scheduler = new Scheduler()
  for (let id = 1; id <= 50; id += 1) expect(scheduler.goAtOnce(id, BUCKET, 0)).toBeUndefined()
})

test('every request left may be used, the reserve too; then 429 with the time of the next', () => {
  const scheduler = scheduled(3, 5)
  for (let id = 2; id <= 4; id += 1) expect(scheduler.goAtOnce(id, BUCKET, 0)).toBeUndefined()
  expect(scheduler.goAtOnce(5, BUCKET, 0)).toMatchObject({
    kind: 'refuse',
    why: 'empty',
    retryAfterSeconds: 7,
    rate: { limit: 10, remaining: 0 },
  })
  expect(scheduler.goAtOnce(6, BUCKET, 6_100)).toBeUndefined()
})

test('it passes reads that wait, of any class', () => {
  const scheduler = scheduled(1)
  expect(scheduler.goAtOnce(2, BUCKET, 0)).toBeUndefined()
  expect(scheduler.offer(read(3), 0)[0]?.kind).toBe('wait')
  expect(scheduler.hasWaiting).toBe(true)
  scheduler.answered(2, { kind: 'not-sent' }, 0)
  // Request 2 was not sent after all. The waiting read was sent instead.
  expect(scheduler.hasWaiting).toBe(false)
  expect(scheduler.offer(read(4), 0)[0]?.kind).toBe('wait')
  expect(scheduler.goAtOnce(5, BUCKET, 6_100)).toBeUndefined()
  expect(scheduler.hasWaiting).toBe(true)
})

test('its outcome counts, unless it was not sent', () => {
  const scheduler = scheduled(1)
  for (let id = 2; id < 9; id += 1) {
    expect(scheduler.goAtOnce(id, BUCKET, 0)).toBeUndefined()
    expect(scheduler.answered(id, { kind: 'not-sent' }, 0)).toEqual([])
  }
  expect(scheduler.goAtOnce(9, BUCKET, 0)).toBeUndefined()
  scheduler.answered(9, { kind: 'rate-limited', of: 'rate', rate: rate(0) }, 0)
  expect(scheduler.goAtOnce(10, BUCKET, 0)?.why).toBe('empty')
  expect(scheduler.openUpstreams).toBe(0)
})
