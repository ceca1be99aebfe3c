import { expect, test } from 'vitest'
import { deskNames } from '../../../main/desk/envelope.ts'
import { proves } from '../../proof/proves.ts'
import { CATEGORY, type DeskMachine, DeskWorld } from './desk-life.ts'
import { SECRET } from './virtual-desk.ts'

/** Two machines of one desk, which know each other. */
async function pair(options: Partial<ConstructorParameters<typeof DeskWorld>[0]> = {}) {
  const world = new DeskWorld({ seed: 1, ...options })
  const one = world.machine('SERVER', { driftPpm: 60, startedMs: 5e7, wallErrorMs: 3_600_000 })
  const two = world.machine('LAPTOP', { driftPpm: -60 })
  one.join()
  two.join()
  await world.advance(2_000)
  return { world, one, two }
}

/** Each machine sends a request each second, a little apart. */
async function traffic(world: DeskWorld, seconds: number, machines: readonly DeskMachine[] = world.machines) {
  for (let second = 0; second < seconds; second += 1) {
    for (const machine of machines) {
      await world.advance(world.random.between(0, 1_000 / machines.length))
      machine.request()
    }
    await world.advance(500)
  }
}

const errorOf = (world: DeskWorld, { row }: DeskMachine) =>
  Math.abs((row?.level ?? 0) - world.service.level(world.clock.worldMs()))

test('two machines count the requests of the desk exactly, and none as others’', async () => {
  const { world, one, two } = await pair()
  await traffic(world, 120)
  await world.advance(2_000)
  expect(one.accepted + two.accepted).toBeGreaterThan(150)
  expect(one.used).toEqual({ own: one.accepted, desk: two.accepted, elsewhere: 0 })
  expect(two.used).toEqual({ own: two.accepted, desk: one.accepted, elsewhere: 0 })
  expect(errorOf(world, one)).toBeLessThan(0.5)
  expect(errorOf(world, two)).toBeLessThan(0.5)
  expect(one.row?.use).toMatchObject({ elsewhere: 0 })
  expect(one.row?.use?.desk).toBeGreaterThan(0.3)
  expect(one.events.filter((event) => !event.startsWith('desk-dispatcher'))).toEqual([
    'desk-member-joined LAPTOP',
  ])
  expect(one.members).toEqual([
    { name: 'SERVER', present: true, total: one.accepted },
    { name: 'LAPTOP', present: true, total: two.accepted },
  ])
})

test('a header that includes a request that is not known yet is judged after it is', async () => {
  const { world, one, two } = await pair({ network: { delayMs: [10, 30] } })
  await traffic(world, 2)
  for (let round = 0; round < 20; round += 1) {
    two.request({ tripMs: [2, 2] })
    one.request({ tripMs: [4, 4] })
    await world.advance(1_000)
  }
  expect(one.used).toEqual({ own: one.accepted, desk: two.accepted, elsewhere: 0 })
})

test('a burst of one machine looks like others’ use to none', async () => {
  const { world, one, two } = await pair({ network: { delayMs: [1, 5] } })
  await traffic(world, 5)
  for (let sent = 0; sent < 40; sent += 1) {
    one.request({ tripMs: [4, 12] })
    await world.advance(world.random.between(20, 80))
    for (const { row } of world.machines) {
      expect(row?.use?.elsewhereHigh ?? 0).toBeLessThan(0.6)
      expect((row?.level ?? 0) - (row?.low ?? 0)).toBeLessThan(12)
    }
  }
  await world.advance(1_000)
  expect(two.used).toEqual({ own: two.accepted, desk: one.accepted, elsewhere: 0 })
})

test('use by programs outside the desk is still others’', async () => {
  const { world, one, two } = await pair()
  for (let round = 0; round < 60; round += 1) {
    world.usedElsewhere()
    await traffic(world, 1)
  }
  await world.advance(2_000)
  expect(one.used?.own).toBe(one.accepted)
  expect(one.used?.desk).toBe(two.accepted)
  expect(one.used?.elsewhere).toBeGreaterThan(world.elsewhere * 0.9)
  expect(one.used?.elsewhere).toBeLessThanOrEqual(world.elsewhere)
})

test('lost and repeated messages are made good by the next report', async () => {
  const { world, one, two } = await pair({ network: { lossRate: 0.05, duplicateRate: 0.05 } })
  await traffic(world, 180)
  world.server.network = { ...world.server.network, lossRate: 0 }
  await world.advance(3_000)
  expect(one.used).toMatchObject({ own: one.accepted, desk: two.accepted })
  expect(two.used).toMatchObject({ own: two.accepted, desk: one.accepted })
  expect(errorOf(world, one)).toBeLessThan(1)
})

test('a killed member is lost within six seconds, and its requests in flight may have counted', async () => {
  const { world, one, two } = await pair()
  await traffic(world, 20)
  two.request({ tripMs: [4_000, 4_000] })
  await world.advance(100)
  two.kill()
  const { low } = one.row ?? { low: 0 }
  await world.advance(3_400)
  expect(one.events).not.toContain('desk-member-lost LAPTOP')
  await world.advance(2_600)
  expect(one.events).toContain('desk-member-lost LAPTOP')
  // The total is newer than the machine's last report.
  expect(one.members?.[1]).toMatchObject({ name: 'LAPTOP', present: false, total: two.accepted })
  expect(one.row?.low).toBeGreaterThanOrEqual(low)
  one.request()
  await world.advance(1_000)
  expect(one.used?.elsewhere).toBe(0)
})

test('a killed member is lost within six seconds, whenever it is killed and however late messages are', async () => {
  for (let afterMs = 0; afterMs < 1_000; afterMs += 50) {
    const { world, one, two } = await pair({ network: { delayMs: [100, 300] } })
    await world.advance(afterMs)
    two.kill()
    await world.advance(5_900)
    expect(one.events).toContain('desk-member-lost LAPTOP')
  }
})

test('a machine that was frozen still has the members that reported meanwhile, but not a killed one', async () => {
  const world = new DeskWorld({ seed: 8 })
  const [one, two, three] = [world.machine('SERVER'), world.machine('LAPTOP'), world.machine('TOWER')]
  for (const machine of [one, two, three]) machine.join()
  await world.advance(3_000)
  three.kill()
  await world.advance(100)
  one.machine.freeze()
  await world.advance(9_700)
  one.machine.wake()
  await world.advance(2_000)
  expect(one.events.filter((event) => event.startsWith('desk-member-lost'))).toEqual([
    'desk-member-lost TOWER',
  ])
})

test('a member that leaves is gone at once, and its streams hold no slot', async () => {
  const { world, one, two } = await pair()
  two.slots.taken('Positions Stream')
  await world.advance(1_200)
  const ofQuotes = () => one.slots.view().find(({ category }) => category === 'Positions Stream')
  expect(ofQuotes()).toMatchObject({ own: 0, desk: 1 })
  void two.desk?.leave()
  await world.advance(50)
  expect(one.events.at(-1)).toBe('desk-member-left LAPTOP')
  expect(one.members?.map(({ name }) => name)).toEqual(['SERVER'])
  expect(ofQuotes()).not.toHaveProperty('desk')
})

test('a machine that leaves settles the others’ requests in flight, and continues to count its own', async () => {
  const { world, one, two } = await pair()
  await traffic(world, 10)
  two.slots.taken('Positions Stream')
  two.request({ tripMs: [4_000, 4_000] })
  one.request({ tripMs: [4_000, 4_000] })
  await world.advance(1_500)
  await one.desk?.leave()
  one.desk = undefined
  expect(one.slots.view().find(({ category }) => category === 'Positions Stream')).not.toHaveProperty('desk')
  await world.advance(4_000)
  const { low = 0, level = 0 } = one.row ?? {}
  // The header of its own request arrived last, and no request is in flight any more.
  expect(level - low).toBeLessThan(1.5)
  expect(one.used?.own).toBe(one.accepted)
  const { own = 0, ...others } = one.row?.use ?? {}
  expect(others).not.toHaveProperty('desk')
  expect(own).toBeGreaterThan(0.1)
  await traffic(world, 5, [one])
  expect(one.used?.own).toBe(one.accepted)
  proves('M6', { level: 2, cases: 1 })
})

test('a machine that was frozen for half a minute has exact counts again', async () => {
  const { world, one, two } = await pair()
  await traffic(world, 10)
  two.machine.freeze()
  await traffic(world, 30, [one])
  expect(one.events).toContain('desk-member-lost LAPTOP')
  two.machine.wake()
  await traffic(world, 20)
  await world.advance(2_000)
  expect(one.used).toMatchObject({ own: one.accepted, desk: two.accepted })
  expect(two.used).toMatchObject({ own: two.accepted, desk: one.accepted })
  expect(one.members?.[1]).toMatchObject({ present: true, total: two.accepted })
  expect(errorOf(world, two)).toBeLessThan(1)
})

test.each(['stood still', 'was cut off'] as const)(
  'a machine that %s for minutes while another one restarted counts all that it did',
  async (how) => {
    const { world, one, two } = await pair()
    await traffic(world, 10)
    await world.advance(2_000)
    if (how === 'stood still') one.machine.freeze()
    else world.server.cut(one.machine)
    two.kill()
    await world.advance(1_000)
    const again = world.machine('LAPTOP')
    again.join({ isFromStart: true })
    await traffic(world, 120, [again])
    if (how === 'stood still') one.machine.wake()
    else world.server.heal(one.machine)
    await traffic(world, 5, [again])
    await world.advance(3_000)
    expect(again.accepted).toBeGreaterThan(100)
    expect(one.used).toEqual({ own: one.accepted, desk: two.accepted + again.accepted, elsewhere: 0 })
    expect(one.members?.[1]).toEqual({ name: 'LAPTOP', present: true, total: again.accepted })
    proves('M4', { level: 2, cases: 1 })
  },
)

test('a machine that joins again is not counted twice, and its last minute is the desk’s', async () => {
  const { world, one, two } = await pair()
  await traffic(world, 10)
  for (const machine of world.machines) {
    void machine.desk?.leave()
    machine.desk = undefined
    await traffic(world, 10, [two])
    await world.advance(1_000)
    machine.join()
    await world.advance(2_000)
    expect(one.used).toEqual({ own: one.accepted, desk: two.accepted, elsewhere: 0 })
  }
  void two.desk?.leave()
  two.desk = undefined
  const before = two.accepted
  await traffic(world, 120, [two])
  await world.advance(1_000)
  two.join()
  await traffic(world, 10)
  await world.advance(2_000)
  const { desk = 0, elsewhere = 0 } = one.used ?? {}
  // The minutes before were others', as far as headers showed them.
  expect(desk).toBeLessThan(two.accepted - 30)
  expect(desk).toBeGreaterThan(before + 30)
  expect(desk + elsewhere).toBeLessThanOrEqual(two.accepted)
  expect(one.members?.[1]?.total).toBe(two.accepted)
})

test('what machines did just before they joined is not taken for others’', async () => {
  const world = new DeskWorld({ seed: 4 })
  const machines = ['SERVER', 'LAPTOP', 'TOWER'].map((name) => world.machine(name))
  await world.advance(200)
  for (const machine of machines) {
    machine.request()
    await world.advance(500)
  }
  for (const machine of machines) {
    await world.advance(300)
    machine.join()
  }
  await world.advance(2_000)
  await traffic(world, 5)
  await world.advance(2_000)
  const all = machines.reduce((sum, { accepted }) => sum + accepted, 0)
  for (const { row, used, accepted } of machines) {
    expect(used).toMatchObject({ own: accepted, desk: all - accepted })
    expect(row?.use).toMatchObject({ elsewhere: 0 })
  }
})

test.each(['was killed', 'left and started again'] as const)(
  'a machine that was cut off while another one %s learns of its last requests from a third one',
  async (how) => {
    const { world, one, two } = await pair()
    const three = world.machine('TOWER')
    three.join()
    await traffic(world, 10)
    await world.advance(2_000)
    world.server.cut(one.machine)
    await traffic(world, 20, [two])
    await world.advance(1_000)
    if (how === 'was killed') two.kill()
    else void two.desk?.leave()
    const again = world.machine('LAPTOP')
    if (how !== 'was killed') {
      two.machine.kill()
      again.join({ isFromStart: true })
      await traffic(world, 20, [again])
    }
    await world.advance(10_000)
    world.server.heal(one.machine)
    await traffic(world, 5, [one, three])
    await world.advance(3_000)
    const others = two.accepted + again.accepted + three.accepted
    expect(one.used).toEqual({ own: one.accepted, desk: others, elsewhere: 0 })
    expect(three.used?.desk).toBe(one.accepted + two.accepted + again.accepted)
    proves('M4', { level: 2, cases: 1 })
  },
)

/** Whether the machine that is cut off has lost the other one before that is killed. */
test.each([
  ['has lost', 8_000],
  ['still knows', 100],
] as const)(
  'a machine that %s another one and is back before a third one loses it learns its last requests',
  async (_, cutMs) => {
    // The order in which two machines lose a third one depends on when their seconds begin.
    for (const apartMs of [0, 300, 600, 900]) {
      const world = new DeskWorld({ seed: 5 })
      const [one, two, three] = [world.machine('SERVER'), world.machine('LAPTOP'), world.machine('TOWER')]
      for (const machine of [two, three, one]) {
        machine.join()
        await world.advance(apartMs)
      }
      await world.advance(2_000)
      await traffic(world, 5)
      await world.advance(1_000)
      world.server.cut(one.machine)
      await world.advance(cutMs)
      for (let sent = 0; sent < 5; sent += 1) two.request({ tripMs: [20, 20] })
      await world.advance(400)
      two.kill()
      await world.advance(100)
      world.server.heal(one.machine)
      await world.advance(9_000)
      expect(three.used).toMatchObject({ own: three.accepted, desk: one.accepted + two.accepted })
      expect(one.used).toMatchObject({ own: one.accepted, desk: two.accepted + three.accepted })
      proves('M4', { level: 2, cases: 1 })
    }
  },
)

test('a machine that is killed before its first report is lost too, and holds nothing under way', async () => {
  const { world, one } = await pair()
  await traffic(world, 3)
  const three = world.machine('TOWER')
  three.join()
  await world.advance(200)
  three.request({ tripMs: [4_000, 4_000] })
  await world.advance(100)
  three.kill()
  await world.advance(7_000)
  one.request()
  await world.advance(1_000)
  expect(one.members?.map(({ name }) => name)).toEqual(['SERVER', 'LAPTOP'])
  const { low = 0, level = 0 } = one.row ?? {}
  expect(level - low).toBeLessThan(1)
})

test('without the server each machine works alone, and both agree again once it responds', async () => {
  const { world, one, two } = await pair()
  await traffic(world, 10)
  world.server.stop()
  await world.advance(2_000)
  expect(one.desk?.summary()).toMatchObject({ state: 'alone', engine: { reachable: false } })
  await traffic(world, 20)
  expect(one.events.filter((event) => /^desk-(?:member|alone)/.test(event))).toEqual([
    'desk-member-joined LAPTOP',
    'desk-alone',
  ])
  world.server.restart({ isEmpty: true })
  await world.advance(3_000)
  await traffic(world, 20)
  await world.advance(2_000)
  expect(one.events).toContain('desk-back')
  expect(one.used).toMatchObject({ own: one.accepted, desk: two.accepted })
  expect(two.used).toMatchObject({ own: two.accepted, desk: one.accepted })
  expect(one.desk?.summary().state).toBe('joined')
})

test.each([0, 300, 1_000, 2_500])(
  'no machine counts one that starts and connects %i ms later as others',
  async (connectsMs) => {
    const rule = { limit: 500, periodSeconds: 300, window: 'rolling' } as const
    const { world, one, two } = await pair({ rule })
    for (let round = 0; round < 10; round += 1) await traffic(world, 2)
    await world.advance(2_000)
    await two.desk?.leave()
    two.machine.kill()
    await traffic(world, 5, [one])
    const again = world.machine('LAPTOP')
    world.server.cut(again.machine)
    world.clock.happen(connectsMs, () => world.server.heal(again.machine))
    again.join({ isFromStart: true })
    for (let sent = 0; sent < 40; sent += 1) {
      await world.advance(90)
      for (const machine of [one, again]) machine.request({ tripMs: [20, 60] })
    }
    await world.advance(15_000)
    for (const { events, used } of [one, again]) {
      expect(events.filter((event) => event.startsWith('elsewhere'))).toEqual([])
      expect(used?.elsewhere).toBe(0)
    }
    expect(one.used?.desk).toBe(two.accepted + again.accepted)
  },
)

test('use by others on a desk is still reported, a few seconds later, also after a clock was set back', async () => {
  const { world, one, two } = await pair()
  await traffic(world, 20)
  two.machine.setWall(-3 * 24 * 3_600_000)
  for (let round = 0; round < 8; round += 1) {
    for (let used = 0; used < 5; used += 1) world.usedElsewhere()
    await traffic(world, 1)
  }
  for (const { events } of [one, two]) expect(events.filter((event) => event === 'elsewhere')).toHaveLength(1)
})

test('a response that a machine received only after a freeze changes nothing on the others', async () => {
  const rule = { limit: 500, periodSeconds: 300, window: 'rolling' } as const
  const { world, one, two } = await pair({ rule })
  for (let sent = 0; sent < 80; sent += 1) {
    await world.advance(250)
    for (const machine of [one, two]) machine.request({ tripMs: [20, 60] })
  }
  await world.advance(1_000)
  // The others don't know about this request.
  two.request({ tripMs: [20, 20] })
  two.machine.freeze()
  for (let sent = 0; sent < 60; sent += 1) {
    await world.advance(500)
    one.request({ tripMs: [20, 60] })
  }
  two.machine.wake()
  await world.advance(500)
  one.request()
  await world.advance(500)
  expect(errorOf(world, one)).toBeLessThan(1)
  // Only the request in the machine's last moment counts as others'.
  expect(one.used).toEqual({ own: one.accepted, desk: two.accepted, elsewhere: 1 })
})

test('a machine that joins knows the rows of the others before it sends a request', async () => {
  const { world, one } = await pair()
  await traffic(world, 30, [one])
  await world.advance(10_000)
  const three = world.machine('TOWER')
  expect(three.row?.source).toBe('default')
  three.join()
  await world.advance(2_000)
  expect(three.row?.seen).toBe(one.row?.seen)
  expect(three.timeline.now() - (three.row?.observedAt ?? 0)).toBeGreaterThan(10_000)
  expect(errorOf(world, three)).toBeLessThan(6)
  await traffic(world, 5, [one])
  await world.advance(1_000)
  expect(errorOf(world, three)).toBeLessThan(0.5)
  expect(three.used).toEqual({ own: 0, desk: expect.any(Number), elsewhere: 0 })
})

test('a machine shows who dispatches, the programs of the others, and what they wait for', async () => {
  const { world, one, two } = await pair({ network: { delayMs: [40, 40] } })
  const use = { forwarded: 9, longestWaitMs: 800 }
  const idle = Array.from({ length: 9 }, (_, at) => ({
    ...use,
    category: `Idle ${at}`,
    perSecond: 0,
    waiting: 0,
  }))
  two.programs = [
    {
      ...{ name: 'scanner', class: 'background', weight: 2, perSecond: 0.5, waiting: 1, longestWaitMs: 800 },
      use: [
        { ...use, category: 'Accounts', perSecond: 0.5, waiting: 0 },
        ...idle,
        { ...use, category: 'Positions', perSecond: 0, waiting: 1, nextTurnAt: two.timeline.now() + 5_000 },
      ],
    },
  ]
  const turnAt = one.timeline.now() + 5_000
  await world.advance(1_500)
  const { dispatcher, queue, members = [] } = one.desk?.summary() ?? {}
  expect(queue).toEqual({ mode: 'granted', members: 2 })
  expect(two.desk?.summary()).toMatchObject({ dispatcher, queue })
  const [dispatching, another] = dispatcher === one.id ? [one, two] : [two, one]
  expect(dispatcher).toBe(dispatching.id)
  expect(members.map((member) => [member.name, member.dispatcher]).sort()).toEqual(
    [
      [dispatching.name, true],
      [another.name, false],
    ].sort(),
  )
  const [scanner] = members[1]?.programs ?? []
  expect(scanner).toMatchObject({ class: 'background', weight: 2, waiting: 1, longestWaitMs: 800 })
  expect(scanner?.use).toEqual([
    { category: 'Positions', perSecond: 0, waiting: 1, nextTurnAt: expect.any(Number) },
    { category: 'Accounts', perSecond: 0.5, waiting: 0 },
  ])
  expect(Math.abs((scanner?.use?.[0]?.nextTurnAt ?? 0) - turnAt)).toBeLessThan(100)
  expect(one.events.filter((event) => event.startsWith('desk-d'))).toEqual([
    `desk-dispatcher ${dispatching.name}`,
  ])
})

test('a machine without a dispatcher shows since when it works alone, and who dispatched last', async () => {
  const { world, one, two } = await pair()
  await world.advance(1_500)
  const [former, left] = one.desk?.summary().dispatcher === one.id ? [one, two] : [two, one]
  former.kill()
  // A client of the server keeps the lease from everybody.
  const lease = world.server.lease(deskNames(SECRET).lease)
  for (let ms = 0; ms < 20_000; ms += 1_000)
    world.clock.happen(ms, () => {
      lease.writtenMs = world.clock.worldMs()
    })
  await world.advance(2_500)
  const { state, queue, dispatcher, members } = left.desk?.summary() ?? {}
  expect({ state, dispatcher, queue }).toEqual({
    state: 'joined',
    dispatcher: undefined,
    queue: { mode: 'alone', members: 2, share: 1 / 2, since: expect.any(Number), lastDispatcher: former.id },
  })
  expect(left.timeline.now() - (queue?.since ?? 0)).toBeGreaterThan(1_000)
  expect(left.timeline.now() - (queue?.since ?? 0)).toBeLessThan(2_000)
  expect(members?.some((member) => member.dispatcher)).toBe(false)
  await world.advance(7_000)
  expect(left.desk?.summary()).toMatchObject({
    state: 'alone',
    queue,
    why: expect.stringContaining('dispatches'),
  })
  expect(left.events).toContain('desk-alone')
})

test('another machine dispatches at once after the dispatcher left, and within eight seconds after it was killed', async () => {
  const world = new DeskWorld({ seed: 9 })
  for (const name of ['SERVER', 'LAPTOP', 'TOWER']) world.machine(name).join()
  await world.advance(3_000)
  const dispatcherOf = (machines: readonly DeskMachine[]) => {
    const ids = new Set(machines.map(({ desk }) => desk?.summary().dispatcher))
    const [only] = ids.size === 1 ? ids : []
    return machines.find(({ id }) => id === only)
  }
  const first = dispatcherOf(world.machines)
  expect(first).toBeDefined()
  void first?.desk?.leave()
  const others = world.machines.filter((one) => one !== first)
  await world.advance(2_500)
  const second = dispatcherOf(others)
  expect(second).toBeDefined()
  second?.kill()
  await world.advance(8_000)
  const third = others.find((one) => one !== second)
  expect(third?.desk?.summary().dispatcher).toBe(third?.id)
})

test('a rejected machine leaves the queue and releases its lease', async () => {
  const { world, one, two } = await pair()
  await world.advance(1_500)
  const [former, next] = one.desk?.summary().dispatcher === one.id ? [one, two] : [two, one]
  former.desk?.refuse('other-user')
  expect(former.queueEnds).toBe(1)
  expect(former.desk?.queue).toBeUndefined()
  expect(former.desk?.summary()).not.toHaveProperty('queue')
  await world.advance(8_000)
  expect(next.desk?.summary().dispatcher).toBe(next.id)
})

test('a 429 of one machine pauses the row of the other', async () => {
  const { world, one, two } = await pair({ rule: { limit: 20, periodSeconds: 300, window: 'rolling' } })
  await traffic(world, 3)
  while (world.service.level(world.clock.worldMs()) >= 1) world.usedElsewhere()
  one.request()
  await world.advance(500)
  expect(one.refused).toBe(1)
  expect(two.row?.state).toBe('blocked')
  expect(two.row?.rejected).toBe(0)
  const apart = (two.row?.blockedUntil ?? 0) - (one.row?.blockedUntil ?? 0)
  expect(Math.abs(apart + 3_600_000)).toBeLessThan(500)
})

test('the newest snooze of any machine applies to all, and its end too', async () => {
  const { world, one, two } = await pair()
  one.snoozedUntilMs = one.timeline.now() + 600_000
  one.snoozeChosenMs = one.timeline.now()
  await world.advance(1_500)
  expect((two.snoozedUntilMs ?? 0) - two.timeline.now()).toBeGreaterThan(590_000)
  await world.advance(5_000)
  two.snoozedUntilMs = undefined
  two.snoozeChosenMs = two.timeline.now()
  await world.advance(1_500)
  expect(one.snoozedUntilMs).toBeUndefined()
})

test('one machine announces alerts: the one in use, otherwise always the same', async () => {
  const { world, one, two } = await pair()
  const announcing = () =>
    world.machines.filter(({ desk, id }) => desk?.summary().announces === id).map(({ name }) => name)
  expect(announcing()).toHaveLength(1)
  one.lookedAtMs = one.timeline.now() - 120_000
  two.lookedAtMs = two.timeline.now()
  await world.advance(1_500)
  expect(announcing()).toEqual(['LAPTOP'])
  two.kill()
  await world.advance(7_000)
  expect(one.desk?.summary().announces).toBe(one.id)
})

test('a revocation on one machine is one on all, with its name', async () => {
  const { world, one, two } = await pair()
  one.revokedAtMs = one.timeline.now()
  await world.advance(1_500)
  expect(two.revokedAtMs).toBeDefined()
  expect(two.desk?.revokedBy).toBe('SERVER')
  expect(one.desk?.revokedBy).toBeUndefined()
})

test('a member that is signed in as another user is refused', async () => {
  const world = new DeskWorld({ seed: 3 })
  const one = world.machine('SERVER')
  const two = world.machine('LAPTOP')
  one.join({ user: 'mark-of-a' })
  two.join({ user: 'mark-of-b' })
  await world.advance(2_000)
  expect(two.desk?.summary()).toMatchObject({
    state: 'refused',
    refusal: { code: 'other-user', machine: 'SERVER' },
    why: 'The desk belongs to another user. Sign in as that user, or leave the desk.',
  })
})

test('after a rotation the others are rejected, and ask for a new invitation', async () => {
  const { world, one, two } = await pair()
  one.desk?.rotated()
  await world.advance(100)
  expect(two.desk?.summary()).toMatchObject({
    state: 'refused',
    refusal: { code: 'rotated', machine: 'SERVER' },
  })
})

test('three machines send the checks of one, and the others take over when it is killed', async () => {
  const alone = new DeskWorld({ seed: 6 })
  alone.machine('SERVER').check()
  await alone.advance(1_800_000)
  const world = new DeskWorld({ seed: 6 })
  for (const name of ['SERVER', 'LAPTOP', 'TOWER']) world.machine(name).join()
  await world.advance(2_000)
  for (const machine of world.machines) machine.check()
  await world.advance(1_800_000)
  // The first two checks of each machine, until others' use is measured, are its own.
  const later = ({ machines }: DeskWorld) => machines.flatMap(({ checks }) => checks.slice(2)).length
  const ofOne = later(alone)
  const all = later(world)
  expect(ofOne).toBeGreaterThan(20)
  // The jitter differs.
  expect(all).toBeLessThanOrEqual(ofOne * 1.1)
  expect(all).toBeGreaterThan(ofOne * 0.9)
  const [checking, ...others] = world.machines.toSorted((a, b) => b.checks.length - a.checks.length)
  checking?.kill()
  const killedMs = world.clock.worldMs()
  await world.advance(600_000)
  const next = others.flatMap(({ checks }) => checks.filter((at) => at > killedMs))
  expect(next.length).toBeGreaterThan(4)
  for (const { row } of others) expect(row?.use).toMatchObject({ elsewhere: 0 })
})

test('the smallest budget for checks and the largest reserve of all machines count', async () => {
  const { world, one, two } = await pair()
  one.ledger.reserves = { [CATEGORY]: 5 }
  two.prober.change({ budgetFraction: 0.01, everySeconds: {} })
  await world.advance(1_500)
  expect([one.desk?.checkBudget, two.desk?.checkBudget]).toEqual([0.01, 0.02])
  const reserves = () => world.machines.map(({ desk }) => desk?.reserveOf(CATEGORY))
  // The default of the other machine is larger.
  expect(reserves()).toEqual([15, 15])
  two.ledger.reserves = { [CATEGORY]: 40 }
  await world.advance(1_500)
  expect(reserves()).toEqual([40, 40])
  one.ledger.reserves = {}
  two.ledger.reserves = {}
  await world.advance(1_500)
  expect(reserves()).toEqual([undefined, undefined])
})
