import { expect, test } from 'vitest'
import type { ProgramClass } from '../../../app/contract/programs.ts'
import { BucketQueue } from '../../../app/gateway/bucket-queue.ts'
import { type Request, Upstream } from '../../../app/gateway/upstream.ts'

function shared() {
  const bucket = new BucketQueue<Upstream>('Positions', {})
  let id = 0
  const request = (program: string, own: ProgramClass): Request => ({
    id: ++id,
    program,
    class: own,
    weight: id,
    bucket: 'Positions',
    maxWaitMs: 1000,
    order: id,
    offeredAtMs: 0,
    deadlineMs: 1000,
  })
  const upstream = new Upstream(1, bucket, 1, request('bot', 'normal'))
  bucket.add(upstream)
  return {
    upstream,
    bucket,
    join: (program: string, own: ProgramClass) => {
      const joined = request(program, own)
      upstream.requests.set(joined.id, joined)
      upstream.placeAnew()
      return joined.id
    },
    leave: (gone: number) => {
      upstream.requests.delete(gone)
      upstream.placeAnew()
    },
    placed: () => [upstream.program, upstream.class, upstream.weight],
  }
}

test('a shared request waits as the program of its most urgent class', () => {
  const { join, leave, placed } = shared()
  join('notes', 'background')
  expect(placed()).toEqual(['bot', 'normal', 1])
  const guard = join('guard', 'critical')
  expect(placed()).toEqual(['guard', 'critical', guard])
  leave(guard)
  expect(placed()).toEqual(['bot', 'normal', 1])
})

test('a program that asks again more urgently raises its request’s class', () => {
  const { join, placed } = shared()
  const urgent = join('bot', 'critical')
  expect(placed()).toEqual(['bot', 'critical', urgent])
})

test('a shared request stays with its program until the last request of that program has left', () => {
  const { join, leave, placed } = shared()
  const notes = join('notes', 'normal')
  const again = join('bot', 'normal')
  leave(1)
  expect(placed()).toEqual(['bot', 'normal', 1])
  leave(again)
  expect(placed()).toEqual(['notes', 'normal', notes])
})

test('a shared request waits once, wherever it is placed', () => {
  const { upstream, bucket, join, leave } = shared()
  leave(join('guard', 'critical'))
  expect(bucket.size).toBe(1)
  expect([...bucket.inOrder()]).toEqual([upstream])
})

test('a request that nobody needs keeps its place', () => {
  const { leave, placed } = shared()
  leave(1)
  expect(placed()).toEqual(['bot', 'normal', 1])
})

test('the gateway’s own request counts as sent, for no program, in the least urgent class', () => {
  const own = new Upstream(7, new BucketQueue('Positions', {}), 7)
  expect([own.state, own.program, own.class, own.weight, own.ids]).toEqual(['sent', '', 'background', 1, []])
})

test('a request may be resent once for each reason', () => {
  const { upstream } = shared()
  expect([upstream.mayResendFor('cut'), upstream.mayResendFor('cut')]).toEqual([true, false])
  expect(upstream.mayResendFor('unauthorized')).toBe(true)
})
