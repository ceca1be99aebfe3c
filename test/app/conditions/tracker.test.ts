import { describe, expect, it } from 'vitest'
import { ConditionTracker } from '../../../app/conditions/tracker.ts'
import type { KeyReport } from '../../../app/contract/events.ts'

const AT = 1_000_000
const refused: KeyReport = { kind: 'rate-limited', category: 'Positions', retryAt: AT + 60_000 }
const fine: KeyReport = { kind: 'rate-limit-over', category: 'Positions' }
const failed: KeyReport = { kind: 'token-refresh-failed', outcome: 'later' }

describe('lasting conditions', () => {
  it('have one id from the first report to the end, and a count', () => {
    const tracker = new ConditionTracker()
    expect(tracker.eventOf(refused, AT)).toEqual({ ...refused, id: 'rate-limited/Positions@1000000' })
    expect(tracker.eventOf(refused, AT + 9_000)).toMatchObject({
      id: 'rate-limited/Positions@1000000',
      count: 2,
    })
    expect(tracker.eventOf(fine, AT + 12_000)).toEqual({
      ...fine,
      id: 'rate-limited/Positions@1000000',
      count: 2,
      since: AT,
      refused: 2,
    })
  })

  it('end once, and without a start do not end', () => {
    const tracker = new ConditionTracker()
    expect(tracker.eventOf(fine, AT)).toBeUndefined()
    tracker.eventOf(refused, AT)
    expect(tracker.eventOf(fine, AT + 1)).toBeDefined()
    expect(tracker.eventOf(fine, AT + 2)).toBeUndefined()
  })

  it.each([
    [10_000, 'rate-limited/Positions@1000000', 2],
    [10_001, 'rate-limited/Positions@1012001', undefined],
  ])(
    'that return %d ms after their end are the same within the time their alert would stay',
    (afterMs, id, count) => {
      const tracker = new ConditionTracker()
      tracker.eventOf(refused, AT)
      tracker.eventOf(fine, AT + 2_000)
      const again = tracker.eventOf(refused, AT + 2_000 + afterMs)
      expect(again).toMatchObject({ id })
      expect(again?.count).toBe(count)
      expect(tracker.eventOf(fine, AT + 13_000)).toMatchObject({ id })
    },
  )

  it('are reported again only if a report differs', () => {
    const tracker = new ConditionTracker()
    const short = (state: 'low' | 'empty'): KeyReport => ({
      kind: 'quota-short',
      category: 'Positions',
      state,
      limit: 320,
      remaining: 9,
    })
    expect(tracker.eventOf(short('low'), AT)).toMatchObject({ id: 'running-out/Positions@1000000' })
    expect(tracker.eventOf(short('low'), AT + 3_000)).toBeUndefined()
    const empty = tracker.eventOf(short('empty'), AT + 6_000)
    expect(empty).toMatchObject({ id: 'running-out/Positions@1000000', state: 'empty' })
    expect(empty).not.toHaveProperty('count')
    expect(tracker.eventOf({ kind: 'quota-short-ended', category: 'Positions' }, AT + 90_000)).toMatchObject({
      id: 'running-out/Positions@1000000',
      state: 'empty',
      since: AT + 6_000,
    })
  })

  it('are separate for each subject', () => {
    const tracker = new ConditionTracker()
    tracker.eventOf(refused, AT)
    const other = tracker.eventOf({ ...refused, category: 'Accounts' }, AT)
    expect(other?.id).toBe('rate-limited/Accounts@1000000')
    expect(tracker.eventOf({ kind: 'rate-limit-over', category: 'Balances' }, AT)).toBeUndefined()
  })

  it('of tokens grow from a failed refresh to a sign-in, and end with the next token', () => {
    const tracker = new ConditionTracker()
    const id = 'tokens@1000000'
    expect(tracker.eventOf(failed, AT)).toMatchObject({ id })
    expect(tracker.eventOf(failed, AT + 5_000)).toMatchObject({ id, count: 2 })
    const required = tracker.eventOf({ kind: 'sign-in-required', reason: 'ended' }, AT + 9_000)
    expect(required).toMatchObject({ id })
    expect(required).not.toHaveProperty('count')
    const renewed: KeyReport = { kind: 'token-refreshed', rotated: false, expiresAt: AT + 60_000 }
    expect(tracker.eventOf(renewed, AT + 20_000)).toEqual({ ...renewed, id })
    expect(tracker.eventOf(renewed, AT + 40_000)).toEqual(renewed)
  })

  it('of silence include the time of the last frame', () => {
    const tracker = new ConditionTracker()
    const stream = { stream: 's1', category: 'Order Stream', target: 'SIM1' }
    expect(tracker.eventOf({ kind: 'stream-resumed', ...stream }, AT)).toBeUndefined()
    tracker.eventOf({ kind: 'stream-silent', ...stream, since: AT - 15_000 }, AT)
    const heard = tracker.eventOf({ kind: 'stream-resumed', ...stream }, AT + 20_000)
    expect(heard).toMatchObject({ since: AT - 15_000, id: 'streams-silent/s1@1000000' })
  })
})

it('a desk that is out of reach is one condition from its start to its end', () => {
  const tracker = new ConditionTracker()
  expect(tracker.eventOf({ kind: 'desk-back' }, AT)).toBeUndefined()
  const first = tracker.eventOf({ kind: 'desk-alone', why: 'timed out' }, AT)
  expect(first).toMatchObject({ id: 'desk-unreachable@1000000', why: 'timed out' })
  expect(
    tracker.eventOf({ kind: 'desk-alone', why: 'the connection was refused' }, AT + 5000),
  ).toBeUndefined()
  const noDispatcher = tracker.eventOf({ kind: 'desk-alone', why: 'none', reachable: true }, AT + 7000)
  expect(noDispatcher).toMatchObject({ id: 'desk-unreachable@1000000', reachable: true })
  const replaced = tracker.eventOf({ kind: 'desk-alone', why: 'replaced', refusal: 'rotated' }, AT + 9000)
  expect(replaced).toMatchObject({ id: 'desk-unreachable@1000000', refusal: 'rotated' })
  const back = tracker.eventOf({ kind: 'desk-back' }, AT + 60_000)
  expect(back).toEqual({ kind: 'desk-back', id: 'desk-unreachable@1000000', since: AT + 9000 })
})

it('events without duration pass unchanged', () => {
  const tracker = new ConditionTracker()
  expect(tracker.eventOf({ kind: 'revoked' }, AT)).toEqual({ kind: 'revoked' })
  expect(tracker.eventOf({ kind: 'service-back', host: 'h' }, AT)).toEqual({
    kind: 'service-back',
    host: 'h',
  })
})
