import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Deadlined, MAX_WAITING, WaitingRequests } from '../../../app/gateway/waiting-requests.ts'

function started() {
  const waiting = new WaitingRequests<Deadlined>()
  let id = 0
  const add = (program: string, more: Partial<Deadlined> = {}) => {
    id += 1
    const request: Deadlined = { id, order: id, program, class: 'normal', deadlineMs: 1000, ...more }
    waiting.add(request)
    return request
  }
  const many = (count: number, program: string, more: Partial<Deadlined> = {}) =>
    Array.from({ length: count }, () => add(program, more))
  return { waiting, add, many }
}

test('orders requests by the end of their longest wait, then by arrival', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 60 }), fc.array(fc.nat(59)), (deadlines, gone) => {
      const { waiting, add } = started()
      let left = deadlines.map((deadlineMs) => add('bot', { deadlineMs }))
      for (const index of gone) {
        const request = left[index]
        if (request === undefined) continue
        expect(waiting.delete(request)).toBe(true)
        expect(waiting.delete(request)).toBe(false)
        left = left.filter((other) => other !== request)
      }
      const sorted = left.toSorted((a, b) => a.deadlineMs - b.deadlineMs || a.order - b.order)
      expect(waiting.all()).toEqual(sorted)
      expect([waiting.first, waiting.size]).toEqual([sorted[0], sorted.length])
    }),
  )
})

test('a program has room again for each request that stops waiting', () => {
  const { waiting, add, many } = started()
  const requests = many(MAX_WAITING.perProgram, 'bot')
  for (const request of requests.slice(0, 2)) waiting.delete(request)
  many(2, 'bot')
  expect(waiting.oneTooMany('bot')).toBeUndefined()
  const newest = add('bot')
  expect(waiting.oneTooMany('bot')).toBe(newest)
})

test('a program whose last request left starts over', () => {
  const { waiting, add, many } = started()
  waiting.delete(add('bot'))
  many(MAX_WAITING.perProgram, 'bot')
  expect(waiting.oneTooMany('bot')).toBeUndefined()
  add('bot')
  expect(waiting.oneTooMany('bot')).toBeDefined()
})

test('the newest request of a program is the last offered, not the one with the longest wait', () => {
  const { waiting, add, many } = started()
  add('bot', { deadlineMs: 9000 })
  many(MAX_WAITING.perProgram - 1, 'bot')
  const newest = add('bot', { deadlineMs: 10 })
  expect(waiting.oneTooMany('bot')).toBe(newest)
})

test('when all queues are full, the program with the most waiting gives way, whichever came first', () => {
  const { waiting, add, many } = started()
  for (let i = 0; i < 8; i += 1) many(56, `p${i}`)
  const most = many(64, 'most')
  expect(waiting.oneTooMany('most')).toBeUndefined()
  const last = add('small')
  expect(waiting.oneTooMany('small')).toBe(most.at(-1))
  expect(waiting.delete(last)).toBe(true)
  expect(waiting.oneTooMany('small')).toBeUndefined()
})

test('critical requests never give way: another program does, or none', () => {
  const { waiting, add, many } = started()
  many(MAX_WAITING.all, 'guard', { class: 'critical' })
  add('guard', { class: 'critical' })
  expect(waiting.oneTooMany('guard')).toBeUndefined()
  const small = add('small')
  expect(waiting.oneTooMany('guard')).toBe(small)
})
