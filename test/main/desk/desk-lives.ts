import { deskSummary } from '../../../app/contract/desk.ts'
import type { Rule } from '../../app/quota/reference-service.ts'
import { VirtualRandom } from '../../simulation/virtual-random.ts'
import { type DeskMachine, DeskWorld } from './desk-life.ts'

const TROUBLES = ['kill', 'restart', 'freeze', 'cut', 'server', 'leave', 'wall'] as const
export type DeskTrouble = (typeof TROUBLES)[number]

export interface DeskLife {
  readonly machines: number
  readonly requests: number
  readonly troubles: Readonly<Partial<Record<DeskTrouble, number>>>
}

/** How long a desk may take to agree after the last trouble. Milliseconds. */
const SETTLES_MS = 12_000
/** How long a machine is idle before it restarts, so that others know all of its requests. Milliseconds. */
const RESTS_MS = 6_000
/** How long a machine needs to be back in its desk. Milliseconds. */
const BACK_MS = 3_000

/**
 * A short life of a desk of two to five machines in virtual time. Messages are late, lost and repeated.
 * Machines are killed, freeze, are cut off, leave and join again. The server restarts with an empty store.
 * Throws if one of these laws is broken:
 *
 * - The upper bound of a row is never below what the service has left, whatever was missed.
 * - Once no faults occur any more, every living member shows for each machine as many requests as the
 *   service counted.
 * - A member that was running all the time counts these requests as the desk's, even if other machines
 *   restarted meanwhile. Lives in which a machine is killed with a request in flight, or leaves for a while,
 *   are excluded.
 * - If nothing went wrong, no request of the desk counts as others'.
 * - What a machine shows of its desk fits the contract.
 */
export async function liveDesk(seed: number): Promise<DeskLife> {
  const random = new VirtualRandom(seed)
  const isRough = random.chance(0.7)
  const rule: Rule = {
    limit: random.pick([30, 60, 250]),
    periodSeconds: random.pick([60, 300]),
    window: random.chance(0.8) ? 'rolling' : 'fixed',
  }
  const world = new DeskWorld({
    seed: seed + 1,
    rule,
    network: isRough
      ? {
          delayMs: [random.between(0, 10), random.between(10, 120)],
          lossRate: random.between(0, 0.04),
          duplicateRate: random.between(0, 0.04),
          reorderRate: random.chance(0.3) ? 0.02 : 0,
        }
      : { delayMs: [0, random.between(0, 8)] },
  })
  const fail = (what: string): never => {
    throw new Error(`desk life ${seed}: ${what}`)
  }
  const troubles: Partial<Record<DeskTrouble, number>> = {}
  const away = new Set<DeskMachine>()
  const killed = new Set<DeskMachine>()
  /** Machines that are idle, and since when, in ms of the world. They restart afterwards. */
  const resting = new Map<DeskMachine, { readonly sinceMs: number; readonly forMs: number }>()
  /** Until when each machine, or the server, can't be reached, in ms of the world. */
  const outUntilMs = new Map<DeskMachine | 'server', number>()
  const isOut = (one: DeskMachine | 'server', sinceMs: number) => (outUntilMs.get(one) ?? 0) > sinceMs
  const out = (one: DeskMachine | 'server', forMs: number) => {
    const untilMs = world.clock.worldMs() + forMs + BACK_MS
    outUntilMs.set(one, Math.max(untilMs, outUntilMs.get(one) ?? 0))
  }
  const hasOthers = random.chance(0.3)
  for (let one = 0, all = 2 + Math.floor(random.next() * 4); one < all; one += 1) {
    const traits = { driftPpm: random.between(-100, 100), startedMs: random.between(0, 1e9) }
    world.machine(`M${one}`, { ...traits, wallErrorMs: random.between(-1e7, 1e7) }).join()
  }
  await world.advance(3_000)
  /** Machines that are in the desk from the beginning. */
  const veterans = [...world.machines]

  const check = (machine: DeskMachine) => {
    // One header, which a machine adopts when it starts, can't show a fixed window.
    if (rule.window === 'fixed' && !veterans.includes(machine)) return
    const { row } = machine
    // Allows for a machine's clock that is 100 ppm slow.
    const level = Math.floor(world.service.level(world.clock.worldMs()) - 0.05)
    if (row?.source !== 'default' && row !== undefined && row.high < level)
      fail(`${machine.name} shows at most ${row.high} where ${level} are left`)
  }
  const alive = () => world.machines.filter((one) => !killed.has(one) && !away.has(one))
  /** Restarts machines that have rested, if somebody knows all of their requests. */
  const restart = () => {
    for (const [machine, { sinceMs, forMs }] of resting) {
      const nowMs = world.clock.worldMs()
      if (nowMs < sinceMs + RESTS_MS) continue
      resting.delete(machine)
      const isHeard = (one: DeskMachine) => alive().includes(one) && !isOut(one, sinceMs)
      const witnesses = veterans.filter((one) => one !== machine && isHeard(one))
      if (!isHeard(machine) || isOut('server', sinceMs) || witnesses.length === 0) continue
      troubles.restart = (troubles.restart ?? 0) + 1
      killed.add(machine)
      machine.kill()
      world.clock.happen(forMs, () => void world.machine(machine.name).join({ isFromStart: true }))
    }
  }
  const happens: Record<DeskTrouble, (machine: DeskMachine, forMs: number) => void> = {
    kill: (machine) => {
      if (alive().length < 3) return
      killed.add(machine)
      machine.kill()
    },
    restart: (machine, forMs) => {
      if (!resting.has(machine)) resting.set(machine, { sinceMs: world.clock.worldMs(), forMs })
    },
    freeze: (machine, forMs) => {
      out(machine, forMs)
      away.add(machine)
      machine.machine.freeze()
      world.clock.happen(forMs, () => {
        away.delete(machine)
        machine.machine.wake()
      })
    },
    cut: (machine, forMs) => {
      out(machine, forMs)
      world.server.cut(machine.machine)
      world.clock.happen(forMs, () => world.server.heal(machine.machine))
    },
    server: (_, forMs) => {
      out('server', forMs)
      world.server.stop()
      world.clock.happen(forMs, () => world.server.restart({ isEmpty: random.chance(0.5) }))
    },
    leave: (machine, forMs) => {
      void machine.desk?.leave()
      machine.desk = undefined
      world.clock.happen(forMs, () => machine.machine.run(() => void machine.join()))
    },
    wall: (machine) => machine.machine.setWall(random.between(-1e7, 1e7)),
  }

  for (let second = 0, all = 30 + Math.floor(random.next() * 60); second < all; second += 1) {
    if (isRough && random.chance(0.06)) {
      const trouble = random.pick(TROUBLES)
      const machine = random.pick(alive())
      if (machine?.desk !== undefined) {
        if (trouble !== 'restart') troubles[trouble] = (troubles[trouble] ?? 0) + 1
        happens[trouble](machine, random.between(200, 40_000))
      }
    }
    restart()
    for (const machine of alive()) if (random.chance(0.4) && !resting.has(machine)) machine.request()
    if (hasOthers && random.chance(0.3)) world.usedElsewhere()
    await world.advance(random.between(300, 1_500))
    for (const machine of alive()) check(machine)
  }
  world.server.network = { ...world.server.network, lossRate: 0, duplicateRate: 0, reorderRate: 0 }
  await world.advance(40_000 + SETTLES_MS)

  for (const machine of alive()) {
    check(machine)
    const summary = machine.desk?.summary() ?? fail(`${machine.name} lost its desk`)
    if (!deskSummary.safeParse(summary).success) fail(`${machine.name} shows ${JSON.stringify(summary)}`)
    for (const other of alive()) {
      const shown = summary.members.find(({ name }) => name === other.name)
      if (shown?.present !== true) fail(`${machine.name} does not see ${other.name}`)
      if (shown?.total !== other.accepted)
        fail(`${machine.name} shows ${shown?.total} of ${other.accepted} requests of ${other.name}`)
    }
    const byOthers = world.machines.reduce(
      (sum, { name, accepted }) => sum + (name === machine.name ? 0 : accepted),
      0,
    )
    const isComparable = troubles.kill === undefined && troubles.leave === undefined
    if (isComparable && veterans.includes(machine) && (machine.used?.desk ?? 0) !== byOthers)
      fail(`${machine.name} counts ${machine.used?.desk} of ${byOthers} requests as the desk’s`)
    for (const gone of killed)
      if (
        alive().every(({ name }) => name !== gone.name) &&
        summary.members.some(({ name, present }) => name === gone.name && present)
      )
        fail(`${machine.name} still sees ${gone.name}, which is dead`)
    if (!isRough && !hasOthers && (machine.used?.elsewhere ?? 0) > 0)
      fail(`${machine.name} takes ${machine.used?.elsewhere} requests of the desk for others'`)
  }
  const requests = world.machines.reduce((sum, { accepted }) => sum + accepted, 0)
  // A machine that was killed never ends.
  for (const machine of world.machines) void machine.desk?.close()
  await world.advance(2_000)
  return { machines: world.machines.length, requests, troubles }
}
