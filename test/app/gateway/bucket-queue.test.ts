import { describe, expect, test } from 'vitest'
import type { ProgramClass } from '../../../app/contract/programs.ts'
import { BucketQueue, levelOf, type OthersRates, type Waiting } from '../../../app/gateway/bucket-queue.ts'
import type { ServedProgram } from '../../../app/gateway/served-rates.ts'
import { MAX_CLOCK_ERROR } from '../../../app/quota/window-model.ts'

const RULE = { limit: 320, periodSeconds: 300 } as const
const GAIN_PER_MS = 320 / 300_000
/** When the bound begins to grow, in milliseconds: 1 ms after the header in `queueWith`. */
const FROM_MS = 101

interface Rates {
  /** Rate of all more urgent programs, in requests per millisecond. */
  readonly before?: number
  readonly rivals?: readonly ServedProgram[]
  readonly unseen?: number
}

/**
 * A queue with a reserve of 4 whose bucket has `remaining` left at 100 ms. The other arguments set how fast
 * others use it.
 */
function queueWith(
  remaining: number,
  { before = 0, rivals = [], unseen = 0 }: Rates = {},
  optimismSigmas = 0,
) {
  const trueRates: OthersRates = {
    perMs: (own) => (own === 'background' ? 1 : before),
    programsOf: () => rivals,
    unseenPerMs: unseen,
  }
  const queue = new BucketQueue<Waiting>('Positions', { reserve: 4 }, { trueRates, optimismSigmas })
  queue.bound.sent(0, 0)
  queue.bound.answered(0, 'no', { ...RULE, remaining }, 100)
  let order = 0
  const add = (program: string, own: ProgramClass = 'normal') => {
    const waiting: Waiting = { order: order++, program, weight: 1, class: own }
    queue.add(waiting)
    return waiting
  }
  return { queue, add }
}

/** When the bound reaches a level, with others using `perMs` of the refill. */
/** When a level is certainly reached, on a clock that may be fast. */
const certainAtMs = (level: number) => Math.ceil(FROM_MS + level / (GAIN_PER_MS * (1 - MAX_CLOCK_ERROR)))
const reachedAtMs = (level: number, perMs = 0) => FROM_MS + level / (GAIN_PER_MS - perMs)

test.each<[ProgramClass, number, number | undefined, number]>([
  ['critical', 320, undefined, 1],
  ['normal', 320, undefined, 21],
  ['background', 320, undefined, 41],
  ['normal', 10, undefined, 2],
  ['background', 10, undefined, 3],
  ['background', 2, undefined, 2],
  ['normal', 320, 4, 5],
  ['background', 320, 0, 1],
])('a %s request of a quota of %d with the reserve %s needs the level %d', (own, limit, reserve, level) => {
  expect(levelOf(own, limit, reserve)).toBe(level)
})

describe('the queue of a bucket', () => {
  test('serves class before class, and counts waiting requests', () => {
    const { queue, add } = queueWith(300)
    const [background, normal, critical] = [add('a', 'background'), add('b'), add('c', 'critical')]
    expect(queue.size).toBe(3)
    expect([...queue.inOrder()]).toEqual([critical, normal, background])
    expect([queue.take(200), queue.take(200), queue.take(200)]).toEqual([critical, normal, background])
    expect([queue.take(200), queue.size]).toEqual([undefined, 0])
  })

  test('a removed request no longer waits, and is removed only once', () => {
    const { queue, add } = queueWith(0)
    const [one, two] = [add('a'), add('a')]
    expect([queue.remove(one), queue.remove(one), queue.size]).toEqual([true, false, 1])
    expect([...queue.inOrder()]).toEqual([two])
  })

  test('nothing passes waiting requests, or goes below its level', () => {
    const { queue, add } = queueWith(4)
    expect(queue.passes({ program: 'a', weight: 1, class: 'normal' }, 100)).toBe(false)
    expect(queue.passes({ program: 'a', weight: 1, class: 'critical' }, 100)).toBe(true)
    const waiting = add('a')
    expect(queue.passes({ program: 'a', weight: 1, class: 'critical' }, 100)).toBe(false)
    queue.remove(waiting)
    expect(queue.passes({ program: 'a', weight: 1, class: 'critical' }, 100)).toBe(true)
  })

  test('lets only critical requests go before the next try if others use the whole refill', () => {
    const { queue, add } = queueWith(0)
    for (const [id, sentAtMs] of [1_000, 2_000].entries()) {
      queue.bound.sent(id + 1, sentAtMs)
      queue.bound.answered(id + 1, 'rate', { ...RULE, remaining: 0, resetSeconds: 300 }, sentAtMs + 100)
    }
    const tryAtMs = queue.bound.othersTakeAll.nextTryAtMs
    expect(tryAtMs).toBeGreaterThan(2_100 + 5 / GAIN_PER_MS)
    const asked = (own: ProgramClass) => ({ program: 'a', weight: 1, class: own })
    expect(queue.passes(asked('normal'), tryAtMs - 1)).toBe(false)
    expect(queue.passes(asked('critical'), tryAtMs - 1)).toBe(true)
    add('bot')
    expect(queue.dueAtMs(10_000)).toBe(tryAtMs)
    expect(queue.take(tryAtMs - 1)).toBeUndefined()
    expect(queue.take(tryAtMs)).toMatchObject({ program: 'bot' })
  })

  test('is due when its first request may go, and never if empty', () => {
    const { queue, add } = queueWith(0)
    expect(queue.dueAtMs(100)).toBeUndefined()
    add('a', 'background')
    expect(queue.dueAtMs(100)).toBe(certainAtMs(9))
    add('b')
    expect(queue.dueAtMs(100)).toBe(certainAtMs(5))
    expect(queue.take(certainAtMs(5) - 1)).toBeUndefined()
    expect(queue.take(certainAtMs(5))).toMatchObject({ program: 'b' })
  })
})

describe('the turn of a request', () => {
  test('comes after waiting requests of its class and of more urgent classes', () => {
    const { queue, add } = queueWith(0)
    add('guard', 'critical')
    add('guard', 'critical')
    const first = add('bot')
    const second = add('bot')
    add('scanner', 'background')
    expect(queue.turnOf(first, 100)).toBeCloseTo(reachedAtMs(7), 6)
    expect(queue.turnOf(second, 100)).toBeCloseTo(reachedAtMs(8), 6)
  })

  test('is now if it may go', () => {
    const { queue, add } = queueWith(300, { before: 1, unseen: 1 })
    expect(queue.turnOf(add('bot'), 200)).toBe(200)
  })

  test('assumes that more urgent classes and outside programs arrive at their recent rates', () => {
    const { queue, add } = queueWith(0, { before: 0.3 * GAIN_PER_MS, unseen: 0.2 * GAIN_PER_MS })
    expect(queue.turnOf(add('bot'), 100)).toBeCloseTo(reachedAtMs(5, 0.5 * GAIN_PER_MS), 6)
    expect(queue.turnOf(add('guard', 'critical'), 100)).toBeCloseTo(reachedAtMs(1, 0.2 * GAIN_PER_MS), 6)
  })

  test('lets a fast rival go first only up to its share', () => {
    const { queue, add } = queueWith(0, { rivals: [{ program: 'notes', weight: 1, perMs: 1 }] })
    add('bot')
    add('bot')
    // Two requests of `bot` go first. In the same time, the rival of equal weight may send two.
    expect(queue.turnOf(add('bot'), 100)).toBeCloseTo(reachedAtMs(5 + 2 + 2), 6)
  })

  test('lets a slow rival go first only as often as it arrives', () => {
    const rivals = [{ program: 'notes', weight: 100, perMs: 0.5 * GAIN_PER_MS }]
    const { queue, add } = queueWith(0, { rivals })
    add('bot')
    const turnMs = queue.turnOf(add('bot'), 100)
    const coming = 0.5 * GAIN_PER_MS * (turnMs - 100)
    expect(Math.abs(turnMs - reachedAtMs(6 + coming))).toBeLessThan(40)
  })

  test('converges within twelve steps for a rival that takes nearly the whole refill', () => {
    const perMs = 0.9 * GAIN_PER_MS
    const { queue, add } = queueWith(0, { rivals: [{ program: 'notes', weight: 100, perMs }] })
    for (let i = 0; i < 10; i += 1) add('bot')
    const turnMs = queue.turnOf(add('bot'), 100)
    let expectedMs = reachedAtMs(15)
    for (let step = 0; step < 12; step += 1) expectedMs = reachedAtMs(15 + perMs * (expectedMs - 100))
    expect(turnMs).toBeCloseTo(expectedMs, 6)
  })

  test('does not count its own program’s requests as rivals', () => {
    const { queue, add } = queueWith(0, { rivals: [{ program: 'bot', weight: 100, perMs: 1 }] })
    add('bot')
    expect(queue.turnOf(add('bot'), 100)).toBeCloseTo(reachedAtMs(6), 6)
  })
})

describe('whether a request can still go in time', () => {
  test('it cannot before its turn among waiting requests', () => {
    const { queue, add } = queueWith(0)
    const waiting = add('bot')
    expect(queue.canMeet(waiting, reachedAtMs(5) + 0.001, 100)).toBe(true)
    expect(queue.canMeet(waiting, reachedAtMs(5) - 0.001, 100)).toBe(false)
    expect(queue.canMeet(waiting, reachedAtMs(5) + 0.001, 100, 1)).toBe(false)
    expect(queue.canMeet(waiting, reachedAtMs(6) + 0.001, 100, 1)).toBe(true)
  })

  test('without optimism it can if as many others arrive as recently', () => {
    const { queue, add } = queueWith(0, { unseen: 0.5 * GAIN_PER_MS })
    const waiting = add('bot')
    const turnMs = reachedAtMs(5, 0.5 * GAIN_PER_MS)
    expect(queue.canMeet(waiting, turnMs + 1, 100)).toBe(true)
    expect(queue.canMeet(waiting, turnMs - 10, 100)).toBe(false)
  })

  test('it can in the exact millisecond of its turn, expected or hoped for', () => {
    const rates = { unseen: 0.5 * GAIN_PER_MS }
    const waitsTo = (optimismSigmas: number, byMs: (turnMs: number) => number) => {
      const { queue, add } = queueWith(0, rates, optimismSigmas)
      const waiting = add('bot')
      return queue.canMeet(waiting, byMs(queue.turnOf(waiting, 100)), 100)
    }
    expect(waitsTo(-100, (turnMs) => turnMs)).toBe(true)
    expect(waitsTo(-100, (turnMs) => turnMs - 0.001)).toBe(false)
    const aloneMs = queueWith(0).queue.bound.turnAtMs(5, 0, 100)
    expect(waitsTo(100, () => aloneMs)).toBe(true)
    expect(waitsTo(100, () => aloneMs - 0.001)).toBe(false)
  })

  test('with optimism it can if fewer arrive, by the spread of chance', () => {
    const rates = { unseen: 0.5 * GAIN_PER_MS }
    const waits = (optimismSigmas: number, byMs: number) => {
      const { queue, add } = queueWith(0, rates, optimismSigmas)
      return queue.canMeet(add('bot'), byMs, 100)
    }
    const byMs = 7_000
    const expected = 0.5 * GAIN_PER_MS * (byMs - 100)
    const fewest = GAIN_PER_MS * (byMs - FROM_MS) - 5
    const optimismSigmas = (expected - fewest) / Math.sqrt(expected)
    expect([waits(optimismSigmas + 0.01, byMs), waits(optimismSigmas - 0.01, byMs)]).toEqual([true, false])
  })
})
