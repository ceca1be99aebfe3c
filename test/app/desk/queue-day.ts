import { type QueueMachine, QueueWorld, USUAL_RULE } from './queue-world.ts'

export interface QueueDay {
  /** Accepted requests as a part of what the bucket can give. */
  readonly share: number
  /** 429s, except `QueueWorld.coldRefused`. */
  readonly refused: number
  readonly broken: readonly string[]
  /** Accepted requests of the machine with the fewest and of the one with the most. */
  readonly machines: readonly number[]
  readonly kills: number
}

/** A trading day, from 9:30 to 16:00. */
const DAY_MS = 6.5 * 3_600_000
const CLASSES = ['critical', 'normal', 'normal', 'normal', 'background'] as const

/**
 * A trading day of five machines with five programs each, which always want more than the refill. With
 * `killEveryMs`, the dispatcher is killed at that interval, and starts again ten seconds later.
 */
export async function queueDay(killEveryMs = Number.POSITIVE_INFINITY): Promise<QueueDay> {
  const world = new QueueWorld({ seed: 1, isParsed: false })
  for (const name of ['A', 'B', 'C', 'D', 'E'])
    world.machine(name, { driftPpm: world.random.between(-50, 50) })
  const again = (machine: QueueMachine, program: number) =>
    machine.request({ program: `p${program}`, class: CLASSES[program] ?? 'normal', maxWaitMs: 300_000 })
  for (const machine of world.machines) {
    machine.onEnded = ({ program, machine: own }) =>
      void world.clock.happen(world.random.between(1_000, 20_000), () => again(own, Number(program.slice(1))))
    machine.start()
    for (const program of CLASSES.keys()) again(machine, program)
  }
  const startMs = world.elapsedMs
  const endMs = startMs + DAY_MS
  let kills = 0
  let killAtMs = startMs + killEveryMs / 2
  while (world.elapsedMs < endMs) {
    await world.advance(Math.min(1_000, endMs - world.elapsedMs))
    world.meet()
    for (const machine of world.machines) machine.ended.length = 0
    if (world.elapsedMs < killAtMs) continue
    killAtMs += killEveryMs
    const holder = world.machines.find(({ id, queue }) => queue?.summary.dispatcher === id)
    if (holder === undefined) continue
    kills += 1
    holder.kill()
    world.clock.happen(10_000, () => {
      holder.start()
      for (const program of CLASSES.keys()) again(holder, program)
    })
  }
  const { limit, periodSeconds } = USUAL_RULE
  const possible = limit + ((endMs - startMs) / 1_000) * (limit / periodSeconds)
  return {
    share: world.accepted / possible,
    refused: world.refused - world.coldRefused,
    broken: world.broken,
    machines: world.machines.map(({ accepted }) => accepted).sort((a, b) => a - b),
    kills,
  }
}
