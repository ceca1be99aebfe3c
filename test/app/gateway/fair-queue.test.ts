import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairQueue } from '../../../app/gateway/fair-queue.ts'
import { proves } from '../../proof/proves.ts'

interface Item {
  readonly order: number
  readonly program: number
}

const weights = fc.array(fc.constantFrom(1, 1, 1, 2, 3, 0.5, 10), { minLength: 2, maxLength: 8 })
/** For each step, the program that adds a request; `undefined` to serve a request. */
const steps = fc.array(fc.option(fc.nat(7), { nil: undefined }), { maxLength: 300 })

/** Runs the steps. `served` is called with the programs that waited, including the one that was served. */
function run(
  weightOf: readonly number[],
  what: readonly (number | undefined)[],
  served: (item: Item, waiting: readonly number[]) => void,
): void {
  const queue = new FairQueue<Item>()
  const waiting = weightOf.map(() => 0)
  for (const [order, step] of what.entries()) {
    const program = step === undefined ? undefined : step % weightOf.length
    if (program !== undefined) {
      queue.add(`p${program}`, weightOf[program]!, { order, program })
      waiting[program]! += 1
      continue
    }
    const busy = waiting.flatMap((count, index) => (count > 0 ? [index] : []))
    const item = queue.take()
    if ((item === undefined) !== (busy.length === 0)) expect.fail('it is not work conserving')
    if (item === undefined) continue
    served(item, busy)
    waiting[item.program]! -= 1
  }
}

test('two waiting programs each get at most one request beyond their share of what both get', () => {
  fc.assert(
    fc.property(weights, steps, (weightOf, what) => {
      // For each pair of programs, since both have been waiting: by how many requests the first is ahead of
      // its share of what both got, and the smallest such number so far.
      const pairs = new Map<string, { ahead: number; least: number }>()
      run(weightOf, what, (item, busy) => {
        for (const [f, weightF] of weightOf.entries()) {
          for (const [g, weightG] of weightOf.entries()) {
            const key = `${f} ${g}`
            if (f === g || !busy.includes(f) || !busy.includes(g)) {
              pairs.delete(key)
              continue
            }
            const share = weightF / (weightF + weightG)
            const pair = pairs.get(key) ?? { ahead: 0, least: 0 }
            pairs.set(key, pair)
            if (item.program === f) pair.ahead += 1 - share
            if (item.program === g) pair.ahead -= share
            if (pair.ahead - pair.least > 1 + 1e-6)
              expect.fail(`${f} is ${pair.ahead - pair.least} ahead of ${g}`)
            pair.least = Math.min(pair.least, pair.ahead)
          }
        }
      })
    }),
    { numRuns: 2_000 },
  )
  proves('G4', { level: 2, cases: 2_000 })
})

test('while it waits, a program of equal weight gets at most two requests beyond its share', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 8 }), steps, (programs, what) => {
      const ahead = Array.from({ length: programs }, () => ({ now: 0, least: 0 }))
      let former = ''
      run(Array(programs).fill(1), what, (item, busy) => {
        if (busy.join() !== former) for (const one of ahead) Object.assign(one, { now: 0, least: 0 })
        former = busy.join()
        for (const program of busy) {
          const one = ahead[program]!
          one.now += (item.program === program ? 1 : 0) - 1 / busy.length
          if (one.now - one.least > 2) expect.fail(`${program} is ${one.now - one.least} ahead`)
          one.least = Math.min(one.least, one.now)
        }
      })
    }),
    { numRuns: 2_000 },
  )
  proves('G4', { level: 2, cases: 2_000 })
})

test('requests of one program are served in order, including resent ones', () => {
  const queue = new FairQueue<{ readonly order: number }>()
  for (const order of [3, 1, 2]) queue.add('bot', 1, { order })
  const first = queue.take()
  expect(first).toEqual({ order: 1 })
  queue.add('bot', 1, { order: 1 })
  expect([queue.take(), queue.take(), queue.take()]).toEqual([{ order: 1 }, { order: 2 }, { order: 3 }])
  expect(queue.take()).toBeUndefined()
})

test('a program with few requests is served before a busy one’s backlog', () => {
  const queue = new FairQueue<Item>()
  for (let order = 0; order < 20; order += 1) queue.add('scanner', 1, { order, program: 0 })
  for (let i = 0; i < 5; i += 1) queue.take()
  queue.add('notes', 1, { order: 20, program: 1 })
  const next = [queue.take()?.program, queue.take()?.program]
  expect(next).toContain(1)
})

test('a program gains nothing by arriving late: its lead is remembered while others wait', () => {
  const queue = new FairQueue<Item>()
  for (let order = 0; order < 10; order += 1) queue.add('steady', 1, { order, program: 0 })
  queue.add('comes and goes', 0.1, { order: 10, program: 1 })
  const served: (number | undefined)[] = []
  for (let order = 11; order < 19; order += 1) {
    const program = queue.take()?.program
    served.push(program)
    if (program === 1) queue.add('comes and goes', 0.1, { order, program: 1 })
  }
  expect(served.filter((program) => program === 1)).toHaveLength(1)
})

test('the predicted order and positions match the service', () => {
  fc.assert(
    fc.property(weights, steps, (weightOf, what) => {
      const queue = new FairQueue<Item>()
      for (const [order, step] of what.entries()) {
        if (step === undefined) queue.take()
        else {
          const program = step % weightOf.length
          queue.add(`p${program}`, weightOf[program]!, { order, program })
        }
      }
      const foretold = [...queue.inOrder()]
      expect(foretold.map((item) => queue.ahead(`p${item.program}`, item))).toEqual(foretold.map((_, i) => i))
      expect(foretold).toHaveLength(queue.size)
      expect(foretold.map(() => queue.take())).toEqual(foretold)
      expect(queue.size).toBe(0)
    }),
    { numRuns: 500 },
  )
})

test('a removed request is not served, and removing it twice changes nothing', () => {
  const queue = new FairQueue<Item>()
  const items = [0, 1, 2].map((order) => ({ order, program: 0 }))
  for (const item of items) queue.add('bot', 1, item)
  expect(queue.remove('bot', items[1]!)).toBe(true)
  expect(queue.remove('bot', items[1]!)).toBe(false)
  expect(queue.remove('other', items[0]!)).toBe(false)
  expect(queue.size).toBe(2)
  expect([queue.take(), queue.take(), queue.take()]).toEqual([items[0], items[2], undefined])
})

test('once the queue is empty, earlier leads no longer count', () => {
  const queue = new FairQueue<Item>()
  for (let order = 0; order < 10; order += 1) queue.add('early', 1, { order, program: 0 })
  for (let order = 0; order < 10; order += 1) queue.take()
  queue.add('early', 1, { order: 10, program: 0 })
  queue.add('late', 1, { order: 11, program: 1 })
  expect([queue.take()?.program, queue.take()?.program]).toEqual([0, 1])
})

test('for equal start tags the heavier program goes first, for equal weights the longest waiting', () => {
  const queue = new FairQueue<Item>()
  queue.add('light', 1, { order: 0, program: 0 })
  queue.add('heavy', 2, { order: 1, program: 1 })
  queue.add('as heavy', 2, { order: 2, program: 2 })
  expect([queue.take()?.program, queue.take()?.program, queue.take()?.program]).toEqual([1, 2, 0])
})

test('a request that does not wait has no position, and none goes before it', () => {
  const queue = new FairQueue<Item>()
  for (const order of [0, 1]) queue.add('bot', 1, { order, program: 0 })
  const stranger = { order: 2, program: 0 }
  expect([queue.ahead('bot', stranger), queue.ahead('nobody', stranger)]).toEqual([0, 0])
  expect(queue.roomBefore('bot', stranger, 'notes', 1)).toBe(0)
  expect(queue.roomBefore('nobody', stranger, 'notes', 1)).toBe(0)
})

test('the room before a request depends on both weights', () => {
  const queue = new FairQueue<Item>()
  const items = [0, 1, 2, 3].map((order) => ({ order, program: 0 }))
  for (const item of items) queue.add('scanner', 2, item)
  const [, , , last] = items
  expect(queue.roomBefore('scanner', last!, 'idle', 1)).toBe(1.5)
  queue.add('notes', 4, { order: 4, program: 1 })
  queue.add('notes', 4, { order: 5, program: 1 })
  expect(queue.roomBefore('scanner', last!, 'notes', 4)).toBe(4)
})

test('a program beyond its share has less room before a request', () => {
  const queue = new FairQueue<Item>()
  const items = [0, 1, 2].map((order) => ({ order, program: 0 }))
  for (const item of items) queue.add('scanner', 1, item)
  queue.add('notes', 2, { order: 3, program: 1 })
  expect(queue.take()?.program).toBe(1)
  expect(queue.roomBefore('scanner', items[2]!, 'notes', 2)).toBe(3)
  expect(queue.take()?.program).toBe(0)
  expect(queue.take()?.program).toBe(0)
  // The virtual time, 1, has passed the finish tag of what it got, 0.5.
  expect(queue.roomBefore('scanner', items[2]!, 'notes', 2)).toBe(2)
})

test('equal start tags count as equal however far they have grown', () => {
  const weightOf = [3e-6, 1e-6]
  const queue = new FairQueue<Item>()
  let order = 0
  const add = (program: number) => queue.add(`p${program}`, weightOf[program]!, { order: order++, program })
  for (const program of [0, 1]) add(program)
  const served = Array.from({ length: 4_000 }, () => {
    const program = queue.take()!.program
    add(program)
    return program
  })
  expect(served).toEqual(served.map((_, i) => (i % 4 === 1 ? 1 : 0)))
})
