import { PART_LASTS_MS } from '../../../app/desk/alone.ts'
import { VirtualRandom } from '../../simulation/virtual-random.ts'
import type { Rule } from '../quota/reference-service.ts'
import { type QueueMachine, QueueWorld } from './queue-world.ts'

const TROUBLES = [
  'kill',
  'freeze',
  'sleep',
  'cut',
  'split',
  'server',
  'empty store',
  'leave',
  'wall',
  'kill dispatcher',
  'freeze dispatcher',
  'cut dispatcher',
  'leave dispatcher',
] as const
export type QueueTrouble = (typeof TROUBLES)[number]

export interface QueueLife {
  readonly machines: number
  readonly accepted: number
  readonly troubles: Readonly<Partial<Record<QueueTrouble, number>>>
}

const CLASSES = ['critical', 'normal', 'background'] as const
/** How long a desk may take to have a dispatcher again, after the last trouble. Milliseconds. */
const SETTLES_MS = 20_000
/** How much later than its maximum wait a request may be answered: a trip, and a second of rounding. */
const GRACE_MS = 4_000

/** How long messages of a machine may be late. Milliseconds. */
const MAX_LAG_MS = 50_000

/**
 * A life of one to five gateways in a desk, in virtual time. Messages are late and lost. Machines are killed,
 * freeze, sleep, are cut off, leave and join again. The server restarts, perhaps empty. Only programs of the
 * desk use the key. `hasLags`: whether messages of a machine also take up to a second for a while. Throws at
 * the first law that is broken:
 *
 * - M1: no request is sent twice, and each ends once, within its maximum wait;
 * - M2: no grant is used after a grant of a later epoch;
 * - M3: no 429;
 * - once all is quiet, every machine takes turns from one dispatcher, and requests are sent.
 */
export async function liveQueue(seed: number, { hasLags = false } = {}): Promise<QueueLife> {
  const random = new VirtualRandom(seed)
  // Chances of their own, so that a life without lags stays the same.
  const lags = new VirtualRandom(seed + 2)
  const isRough = random.chance(0.8)
  const isFar = random.chance(0.2)
  const rule = (): Rule => ({
    limit: random.pick([20, 60, 250]),
    periodSeconds: random.pick([60, 300]),
    window: random.chance(0.85) ? 'rolling' : 'fixed',
  })
  const rules: Record<string, Rule> = { Accounts: rule() }
  if (random.chance(0.4)) rules['Positions'] = rule()
  const world = new QueueWorld({
    seed: seed + 1,
    rules,
    delayMs: isFar ? [5, random.between(10, 60)] : [0.2, random.between(0.3, 3)],
    lossRate: isRough && random.chance(0.4) ? random.between(0, 0.03) : 0,
    wayMs: [5, random.between(10, 200)],
  })
  const troubles: Partial<Record<QueueTrouble, number>> = {}
  const away = new Set<QueueMachine>()
  const stop = (what: string): never => {
    throw new Error(`queue life ${seed}: ${what}`)
  }
  for (let one = 0, all = 1 + Math.floor(random.next() * 5); one < all; one += 1)
    world.machine(`M${one}`, {
      driftPpm: random.between(-100, 100),
      startedMs: random.between(0, 1e9),
      wallErrorMs: random.between(-1e7, 1e7),
    })
  for (const machine of world.machines) {
    machine.start()
    if (random.chance(0.3)) await world.advance(random.between(0, 3_000))
  }
  const present = () => world.machines.filter((one) => one.isAlive && !away.has(one))
  const dispatcher = () => present().find(({ id, queue }) => queue?.summary.dispatcher === id)
  const comesBack = (machine: QueueMachine, forMs: number) => {
    world.clock.happen(forMs, () => {
      if (!machine.isAlive) machine.start()
    })
  }
  const freeze = (machine: QueueMachine, forMs: number, how: 'freeze' | 'sleep') => {
    away.add(machine)
    const { clock } = machine
    machine.isAway = true
    clock[how]()
    world.clock.happen(forMs, () => {
      away.delete(machine)
      machine.awakeSinceMs = world.elapsedMs
      if (forMs > PART_LASTS_MS) world.forgets(machine)
      if (machine.clock === clock) machine.isAway = false
      clock.wake()
    })
  }
  const cut = (machine: QueueMachine, forMs: number) => {
    world.cut(machine)
    world.clock.happen(forMs, () => world.heal(machine))
  }
  const kill = (machine: QueueMachine, forMs: number) => {
    machine.kill()
    comesBack(machine, forMs)
  }
  const leave = (machine: QueueMachine, forMs: number) => {
    void machine.leave().then(() => comesBack(machine, forMs))
  }
  const happens: Record<QueueTrouble, (machine: QueueMachine, forMs: number) => void> = {
    kill,
    freeze: (machine, forMs) => freeze(machine, forMs, 'freeze'),
    sleep: (machine, forMs) => freeze(machine, forMs, 'sleep'),
    cut,
    split: (machine, forMs) => {
      world.split([machine, ...world.machines.filter(() => random.chance(0.3))])
      world.clock.happen(forMs, () => world.join())
    },
    server: (_, forMs) => {
      world.stop()
      world.clock.happen(forMs, () => world.restart({ isEmpty: random.chance(0.5) }))
    },
    'empty store': () => world.store.empty(),
    leave,
    wall: (machine) => machine.clock.setWall(random.between(-1e7, 1e7)),
    'kill dispatcher': (_, forMs) => kill(dispatcher() ?? stop('no dispatcher'), forMs),
    'freeze dispatcher': (_, forMs) => freeze(dispatcher() ?? stop('no dispatcher'), forMs, 'freeze'),
    'cut dispatcher': (_, forMs) => cut(dispatcher() ?? stop('no dispatcher'), forMs),
    'leave dispatcher': (_, forMs) => leave(dispatcher() ?? stop('no dispatcher'), forMs),
  }
  const check = () => {
    world.meet()
    const [first] = world.broken
    if (first !== undefined) stop(first)
    for (const machine of present()) {
      const [overdue] = machine.overdue(GRACE_MS)
      if (overdue !== undefined) stop(`${machine.name} left request ${overdue.id} without an answer`)
    }
  }
  const buckets = Object.keys(rules)
  const pressure = random.pick([0.3, 1, 2])
  const ask = (elapsedMs: number) => {
    for (const bucket of buckets) {
      const { limit, periodSeconds } = rules[bucket] ?? { limit: 1, periodSeconds: 1 }
      const expected = (pressure * limit * elapsedMs) / periodSeconds / 1_000
      let count = Math.floor(expected + random.next())
      if (random.chance(0.02)) count += Math.floor(random.next() * limit)
      for (let one = 0; one < count; one += 1) {
        const machine = random.pick(world.machines)
        machine.request({
          bucket,
          program: `p${Math.floor(random.next() * 3)}`,
          class: random.pick(CLASSES),
          maxWaitMs: random.pick([0, 5_000, 30_000]),
        })
      }
    }
  }
  for (let step = 0, all = 60 + Math.floor(random.next() * 120); step < all; step += 1) {
    if (isRough && random.chance(0.08)) {
      const trouble = random.pick(TROUBLES)
      const machine = random.pick(present())
      const needsDispatcher = trouble.endsWith('dispatcher')
      if (machine !== undefined && (!needsDispatcher || dispatcher() !== undefined)) {
        troubles[trouble] = (troubles[trouble] ?? 0) + 1
        happens[trouble](machine, random.pick([random.between(100, 3_000), random.between(3_000, 90_000)]))
      }
    }
    if (hasLags && isRough && lags.chance(0.03)) {
      const machine = lags.pick(world.machines)
      machine.lagMs = lags.between(100, 1_000)
      world.clock.happen(lags.between(1_000, MAX_LAG_MS), () => {
        machine.lagMs = 0
      })
    }
    const stepMs = random.between(200, 1_500)
    ask(stepMs)
    await world.advance(stepMs)
    check()
  }
  await world.advance(90_000)
  world.lossRate = 0
  world.join()
  await world.advance(SETTLES_MS)
  check()
  const holders = new Set(present().map(({ queue }) => queue?.summary.dispatcher))
  if (holders.size !== 1 || holders.has(undefined))
    stop(`${[...holders].join(' and ')} dispatch for ${present().length}`)
  const before = world.accepted
  // A share of a fixed window does not grow before the window ends.
  for (const machine of present())
    for (const bucket of buckets) machine.request({ bucket, maxWaitMs: 300_000 })
  await world.advance(304_000)
  check()
  const served = world.accepted - before
  if (served < present().length * buckets.length)
    stop(`${served} requests of ${present().length} machines served`)
  for (const machine of world.machines) machine.kill()
  return { machines: world.machines.length, accepted: world.accepted, troubles }
}
