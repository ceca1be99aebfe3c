import { expect, test } from 'vitest'
import { safePace } from '../../../app/quota/safe-pace.ts'
import { proves } from '../../proof/proves.ts'
import type { Rule } from '../quota/reference-service.ts'
import { type QueueMachine, QueueWorld, USUAL_RULE } from './queue-world.ts'

async function desk(
  names: readonly string[],
  Accounts: Rule = USUAL_RULE,
): Promise<QueueWorld & { holder: QueueMachine }> {
  const world = new QueueWorld({ seed: 1, rules: { Accounts } })
  for (const name of names) world.machine(name).start()
  await world.advance(4_000)
  const holder = world.machines.find(({ id, queue }) => queue?.summary.dispatcher === id)
  if (holder === undefined) throw new Error('the desk has no dispatcher')
  return Object.assign(world, { holder })
}

const dispatchersOf = (world: QueueWorld) =>
  new Set(world.machines.flatMap(({ queue }) => queue?.summary.dispatcher ?? []))

/** Asks for so many requests at once, on each machine. */
const burst = (world: QueueWorld, count: number) => {
  for (const machine of world.machines)
    for (let one = 0; one < count; one += 1) machine.request({ program: `p${one % 5}`, maxWaitMs: 60_000 })
}

test('machines that start together agree on one dispatcher within four seconds', async () => {
  const world = await desk(['A', 'B', 'C'])
  expect(dispatchersOf(world).size).toBe(1)
  expect(world.machines.map(({ mode }) => mode)).toEqual(['granted', 'granted', 'granted'])
  expect(world.machines.map(({ queue }) => queue?.summary.members)).toEqual([3, 3, 3])
})

test('programs of all machines share one bucket: a burst uses all but the reserve, and gets no 429', async () => {
  const world = await desk(['A', 'B', 'C'])
  burst(world, 100)
  await world.advance(5_000)
  const left = world.service('Accounts').level(world.clock.worldMs())
  expect(left).toBeGreaterThan(14)
  expect(left).toBeLessThan(22)
  expect(world.refused).toBe(0)
})

test('after the dispatcher is killed, another takes over within eight seconds and grants the waiting requests', async () => {
  const world = await desk(['A', 'B', 'C'])
  const { holder } = world
  burst(world, 100)
  await world.advance(3_000)
  holder.kill()
  const before = world.accepted
  await world.advance(8_000)
  expect(dispatchersOf(world).size).toBe(1)
  expect(dispatchersOf(world).has(holder.id)).toBe(false)
  await world.advance(40_000)
  expect(world.accepted - before).toBeGreaterThan(20)
  expect(world.broken).toEqual([])
  proves(['M3', 'M7'], { level: 2, cases: 1 })
})

test('a dispatcher that wakes after 30 s of standstill grants nothing, and joins the new one', async () => {
  const world = await desk(['A', 'B', 'C'])
  const { holder } = world
  burst(world, 60)
  holder.clock.freeze()
  await world.advance(30_000)
  const now = [...dispatchersOf(world)].filter((id) => id !== holder.id)
  expect(now).toHaveLength(1)
  burst(world, 20)
  holder.clock.wake()
  await world.advance(1_500)
  expect([...dispatchersOf(world)]).toEqual(now)
  await world.advance(60_000)
  expect(world.broken).toEqual([])
  proves('M2', { level: 2, cases: 1 })
})

test.each(['freeze', 'sleep'] as const)(
  'after a long %s, a machine does not use a part that the others may have given away',
  async (standStill) => {
    const world = await desk(['A', 'B'], { limit: 20, periodSeconds: 300, window: 'rolling' })
    const { holder } = world
    const member = world.machines.find((machine) => machine !== holder) ?? holder
    member.request()
    await world.advance(1_000)
    member.clock[standStill]()
    world.cut(member)
    // The other machine's next run knows nothing of this one, and takes all.
    holder.kill()
    holder.start()
    for (let one = 0; one < 30; one += 1) holder.request({ class: 'critical', maxWaitMs: 10_000 })
    await world.advance(10_000)
    member.request({ class: 'critical', maxWaitMs: 60_000 })
    member.clock.wake()
    await world.advance(1_000)
    expect([member.mode, member.accepted, world.refused]).toEqual(['alone', 1, 0])
    world.heal(member)
    await world.advance(60_000)
    expect([member.mode, member.accepted, world.refused]).toEqual(['granted', 2, 0])
    proves('M3', { level: 2, cases: 1 })
  },
)

test('a machine that loses its network works alone within its part, which the others don’t use', async () => {
  const world = await desk(['A', 'B', 'C'])
  const cut = world.machines.find((machine) => machine !== world.holder) ?? world.holder
  for (const machine of world.machines) machine.request()
  await world.advance(1_000)
  world.cut(cut)
  await world.advance(1_300)
  expect(cut.mode).toBe('alone')
  burst(world, 250)
  await world.advance(30_000)
  // A third of what its first header shows, after the others’ burst, and a third of the refill.
  expect(cut.accepted).toBeGreaterThan(25)
  expect(cut.accepted).toBeLessThan(80)
  expect(world.broken).toEqual([])
  world.heal(cut)
  await world.advance(3_000)
  expect(cut.mode).toBe('granted')
  await world.advance(60_000)
  expect(world.broken).toEqual([])
})

test('without the server, each machine has its part of the quota', async () => {
  const world = await desk(['A', 'B', 'C', 'D'])
  for (const machine of world.machines) machine.request()
  await world.advance(1_000)
  world.stop()
  await world.advance(6_000)
  expect(new Set(world.machines.map(({ mode }) => mode))).toEqual(new Set(['alone']))
  burst(world, 250)
  await world.advance(20_000)
  for (const { accepted } of world.machines) expect(accepted).toBeGreaterThan(45)
  expect(world.broken).toEqual([])
  proves('M3', { level: 2, cases: 4 })
})

test('a machine alone sends at most the row’s burst at once, and nothing before a header', async () => {
  const world = await desk(['A', 'B'])
  world.stop()
  await world.advance(6_000)
  const one = world.machines[0] ?? world.holder
  const burstOf = () => {
    const bound = one.scheduler.boundOf('Accounts')
    const low = bound?.low(one.clock.monotonicMs() + 1e9) ?? 250
    const row = { model: 'rolling', limit: 250, period: 300, low, use: null } as const
    return safePace(row, 0, { part: one.queue?.partOf('Accounts') }).burst
  }
  // Half of the limit of 250, less the reserve of 15, before the gateway has used the row.
  expect(burstOf()).toBe(117)
  one.request()
  expect(burstOf()).toBe(0)
  await world.advance(1_000)
  const said = burstOf()
  expect(said).toBe(116)
  const before = one.accepted
  for (let count = 0; count < said + 30; count += 1) one.request({ maxWaitMs: 0 })
  await world.advance(1_000)
  expect(one.accepted - before).toBe(said)
  expect(burstOf()).toBeLessThan(2)
  expect(world.broken).toEqual([])
})

test('after a dispatcher has left, its successor needs a second or two', async () => {
  const world = await desk(['A', 'B', 'C'])
  void world.holder.leave()
  await world.advance(2_500)
  expect(dispatchersOf(world).size).toBe(1)
})

test('a killed machine’s part is set aside for a minute, and free after it', async () => {
  const world = await desk(['A', 'B'])
  const killed = world.machines.find((machine) => machine !== world.holder) ?? world.holder
  const other = world.holder
  other.request()
  await world.advance(1_000)
  killed.kill()
  await world.advance(2_000)
  for (let one = 0; one < 250; one += 1) other.request({ program: `p${one % 5}`, maxWaitMs: 300_000 })
  await world.advance(20_000)
  expect(other.accepted).toBeLessThan(150)
  await world.advance(55_000)
  expect(other.accepted).toBeGreaterThan(240)
  expect(world.broken).toEqual([])
})

test('a lease that vanishes twice within seconds leaves no two dispatchers whose grants are used', async () => {
  const world = await desk(['A', 'B', 'C'])
  const { holder } = world
  for (const machine of world.machines) machine.request()
  await world.advance(1_000)
  holder.kill()
  world.store.empty()
  while (world.store.holder === undefined) await world.advance(50)
  const [second] = world.machines.filter(({ runName }) => runName === world.store.holder)
  // The others never hear it dispatch, and only its own programs get its grants.
  await world.advance(5_400)
  world.cut(second ?? holder)
  world.store.empty()
  for (let step = 0; step < 100; step += 1) {
    for (const machine of world.machines) machine.request({ class: 'critical' })
    await world.advance(100)
  }
  expect(world.broken).toEqual([])
  expect(second?.accepted).toBeGreaterThan(3)
  proves('M2', { level: 2, cases: 1 })
})

test('a machine that is cut off just after it has joined works alone with its part', async () => {
  const world = await desk(['A', 'B'])
  burst(world, 50)
  await world.advance(1_000)
  const third = world.machine('C')
  third.start()
  while (third.mode !== 'granted') await world.advance(1)
  await world.advance(10)
  world.cut(third)
  for (let one = 0; one < 250; one += 1)
    for (const machine of world.machines) machine.request({ class: 'critical', maxWaitMs: 20_000 })
  await world.advance(20_000)
  expect(third.accepted).toBeGreaterThan(5)
  expect([world.refused, world.broken]).toEqual([0, []])
  proves('M3', { level: 2, cases: 1 })
})

test('the part of a machine that a new dispatcher meets only for a moment stays set aside', async () => {
  const world = await desk(['A', 'B'])
  const cut = world.machines.find((machine) => machine !== world.holder) ?? world.holder
  for (const machine of world.machines) machine.request()
  await world.advance(1_000)
  world.cut(cut)
  const third = world.machine('C')
  third.start()
  await world.advance(3_000)
  world.holder.kill()
  while (third.queue?.summary.dispatcher !== third.id) await world.advance(100)
  await world.advance(2_000)
  world.heal(cut)
  await world.advance(5)
  world.cut(cut)
  for (let one = 0; one < 250; one += 1)
    for (const machine of [cut, third]) machine.request({ class: 'critical', maxWaitMs: 20_000 })
  await world.advance(20_000)
  expect([cut.mode, third.mode]).toEqual(['alone', 'granted'])
  expect(cut.accepted).toBeGreaterThan(50)
  expect([world.refused, world.broken]).toEqual([0, []])
  proves('M3', { level: 2, cases: 1 })
})

test('a request with a second ask is not sent by its earlier grant', async () => {
  const world = await desk(['A', 'B'])
  const member = world.machines.find((machine) => machine !== world.holder) ?? world.holder
  member.request()
  await world.advance(500)
  world.lossRate = 0.05
  for (let second = 0; second < 60; second += 1) {
    member.request({ maxWaitMs: 10_000 })
    world.holder.request({ maxWaitMs: 10_000 })
    await world.advance(1_000)
  }
  expect(world.broken).toEqual([])
  expect(member.accepted).toBeGreaterThan(50)
  proves('M7', { level: 2, cases: 60 })
})

test.each([300, 400, 450, 600, 900])(
  'a machine whose messages take %i ms works alone, and is on the queue again once they are quick',
  async (lagMs) => {
    const world = await desk(['A', 'B', 'C'])
    const slow = world.machines.find((machine) => machine !== world.holder) ?? world.holder
    for (const machine of world.machines) machine.request()
    await world.advance(1_000)
    slow.lagMs = lagMs
    await world.advance(15_000)
    const waitedMs: number[] = []
    slow.onEnded = ({ offeredAtMs }) => waitedMs.push(world.elapsedMs - offeredAtMs)
    for (let one = 0; one < 40; one += 1) {
      slow.request({ maxWaitMs: 30_000 })
      await world.advance(5_000)
      expect(slow.queue?.summary.dispatcher).toBe(world.holder.id)
    }
    // Every 45 s, it tries again for two seconds to take turns.
    expect(waitedMs).toHaveLength(40)
    expect(Math.max(...waitedMs)).toBeLessThan(6_000)
    expect(waitedMs.filter((ms) => ms > 500).length).toBeLessThan(6)
    expect(slow.queue?.summary.isLate).toBe(true)
    expect(world.refused).toBe(0)
    slow.lagMs = 0
    await world.advance(60_000)
    expect([slow.mode, slow.queue?.summary.isLate]).toEqual(['granted', false])
    expect(world.broken).toEqual([])
  },
)

test.each([50, 100, 200])('a machine whose messages take %i ms stays on the queue', async (lagMs) => {
  const world = await desk(['A', 'B', 'C'])
  const slow = world.machines.find((machine) => machine !== world.holder) ?? world.holder
  slow.lagMs = lagMs
  for (let one = 0; one < 40; one += 1) {
    slow.request()
    await world.advance(1_000)
    expect(slow.mode).toBe('granted')
  }
  expect([slow.queue?.summary.isLate, slow.requests.size]).toEqual([false, 0])
})
