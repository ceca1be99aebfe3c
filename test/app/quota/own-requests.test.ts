import { describe, expect, test } from 'vitest'
import { OwnRequests } from '../../../app/quota/own-requests.ts'

/** Removes a request whose response has arrived. Returns by how much the upper bound falls. */
function consumed(requests: OwnRequests, id: number): number {
  const request = requests.take(id)
  if (request === undefined) throw new Error(`request ${id} is under way`)
  return requests.consume(request)
}

function underWay(...ids: readonly number[]): OwnRequests {
  const requests = new OwnRequests()
  for (const id of ids) requests.sent(id, id)
  return requests
}

test('a request is in flight until its first response', () => {
  const requests = underWay(1, 2)
  expect(requests.inFlight).toBe(2)
  expect(requests.take(1)).toEqual({ sentAtMs: 1, overflowed: 0, unseen: true })
  expect(requests.inFlight).toBe(1)
  expect(requests.take(1)).toBeUndefined()
})

describe('the upper bound falls', () => {
  test('by a whole request that nothing offset', () => {
    expect(consumed(underWay(1), 1)).toBe(1)
  })

  test('by nothing if it may include the request already', () => {
    const requests = underWay(1, 2)
    requests.allMaybeSeen()
    requests.sent(3, 3)
    expect([consumed(requests, 1), consumed(requests, 2), consumed(requests, 3)]).toEqual([0, 0, 1])
  })

  test('by the refill over the limit that did not offset it in flight', () => {
    const requests = underWay(1)
    requests.overflow(0.25)
    requests.overflow(-3)
    requests.sent(2, 2)
    requests.overflow(0.5)
    expect(consumed(requests, 2)).toBe(0.5)
    expect(consumed(requests, 1)).toBe(0.75)
  })

  test('never below nothing: the excess offsets others', () => {
    const requests = underWay(1, 2, 3)
    requests.overflow(2.25)
    expect([consumed(requests, 1), consumed(requests, 2), consumed(requests, 3)]).toEqual([0, 0, 0.75])
  })

  test('once for each part of the refill, whichever response comes first', () => {
    const requests = underWay(1)
    requests.overflow(0.5)
    requests.sent(2, 2)
    requests.overflow(0.25)
    // Request 2 was in flight for the last 0.25 of the overflow, which offsets a part of it. The other 0.5
    // offsets a part of request 1.
    expect(consumed(requests, 2)).toBe(0.75)
    expect(consumed(requests, 1)).toBe(0.5)
  })

  test('if the longer request is answered first, the other gets the rest', () => {
    const requests = underWay(1)
    requests.overflow(0.5)
    requests.sent(2, 2)
    requests.overflow(0.75)
    expect(consumed(requests, 1)).toBe(0)
    expect(consumed(requests, 2)).toBe(0.75)
  })
})

describe('requests that may have counted after a moment', () => {
  const NEVER = Number.POSITIVE_INFINITY

  test('include those with a later response', () => {
    const requests = underWay(100)
    requests.remember(0, 10, 0)
    requests.remember(5, 20, 0)
    const counts = [9, 10, 19, 20].map((sinceMs) => requests.mayHaveCountedAfter(sinceMs))
    expect(counts).toEqual([2, 1, 1, 0])
  })

  test('are stored while a request in flight, or a window, may need them', () => {
    const requests = underWay(15)
    requests.remember(0, 10, NEVER)
    requests.remember(0, 15, NEVER)
    requests.remember(0, 16, NEVER)
    requests.remember(90, 100, NEVER)
    expect(requests.mayHaveCountedAfter(0)).toBe(2)
    requests.take(15)
    requests.remember(95, 101, 50)
    expect(requests.mayHaveCountedAfter(0)).toBe(2)
    requests.remember(200, 201, NEVER)
    expect(requests.mayHaveCountedAfter(0)).toBe(1)
  })

  test('are at most 1,024, the newest', () => {
    const requests = underWay(0)
    for (let id = 1; id <= 1_100; id += 1) requests.remember(id, id, 0)
    expect(requests.mayHaveCountedAfter(0)).toBe(1_024)
    expect(requests.mayHaveCountedAfter(1_099)).toBe(1)
    expect(requests.mayHaveCountedAfter(76)).toBe(1_024)
    expect(requests.mayHaveCountedAfter(77)).toBe(1_023)
  })
})

test('ended requests are remembered as long as a response may need them, and longer on a desk', () => {
  const requests = new OwnRequests()
  for (const atMs of [1_000, 1_500, 2_000]) requests.remember(atMs, atMs + 100, Number.POSITIVE_INFINITY)
  expect(requests.mayHaveCountedAfter(1_600)).toBe(1)
  expect([1_599, 1_600].map((atMs) => requests.remembersSince(atMs))).toEqual([false, true])
  requests.heard(1, { sentAtMs: 2_500, overflowed: 0, unseen: true })
  requests.take(1)
  for (const atMs of [2_500, 4_000]) requests.remember(atMs, atMs + 100, Number.POSITIVE_INFINITY)
  // The requests of the last two seconds are kept.
  expect(requests.mayHaveCountedAfter(2_100)).toBe(2)
  expect([2_099, 2_100].map((atMs) => requests.remembersSince(atMs))).toEqual([false, true])
})

test('of more than 1,024 requests during one response, the first are forgotten', () => {
  const requests = underWay(1)
  for (let atMs = 2; atMs < 2 + 1_024; atMs += 1) requests.remember(atMs, atMs, Number.POSITIVE_INFINITY)
  expect(requests.remembersSince(1)).toBe(true)
  requests.remember(2_000, 2_000, Number.POSITIVE_INFINITY)
  expect([1, 2].map((atMs) => requests.remembersSince(atMs))).toEqual([false, true])
})
