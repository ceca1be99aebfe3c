import { type QueueMachine, QueueWorld, USUAL_RULE } from './queue-world.ts'

export interface QueueDay {
  /** Accepted requests as a part of what the bucket can give. */
  readonly share: number
  readonly refused: number
  /** Those of the 429s that a single gateway would have avoided. See `QueueWorld.coldRefused`. */
  readonly avoidable: number
  readonly broken: readonly string[]
  /** Accepted requests of the machine with the fewest and of the one with the most. */
  readonly machines: readonly number[]
  readonly kills: number
}

/** A trading day, from 9:30 to 16:00. */
const DAY_MS = 6.5 * 3_600_000
const CLASSES = ['critical', 'normal', 'normal', 'normal', 'background'] as const
const PROGRAMS = 25

/**
 * A trading day of 25 programs, which always want more than the refill, on five machines of one desk.
 *
 * - `killEveryMs`: the dispatcher is killed at that interval, and starts again ten seconds later.
 * - `machines`: the number of machines. Each has an equal part of the programs.
 * - `isDesk`: without a desk, each machine's gateway decides alone.
 */
export async function queueDay({
  killEveryMs = Number.POSITIVE_INFINITY,
  machines = 5,
  isDesk = true,
}: {
  readonly killEveryMs?: number
  readonly machines?: 1 | 5
  readonly isDesk?: boolean
} = {}): Promise<QueueDay> {
  const world = new QueueWorld({ seed: 1, isParsed: false })
  for (const name of ['A', 'B', 'C', 'D', 'E'].slice(0, machines))
    world.machine(name, { driftPpm: world.random.between(-50, 50) })
  const programs = Array.from({ length: PROGRAMS / machines }, (_, program) => program)
  const again = (machine: QueueMachine, program: number) =>
    machine.request({
      program: `p${program}`,
      class: CLASSES[program % CLASSES.length] ?? 'normal',
      maxWaitMs: 300_000,
    })
  for (const machine of world.machines) {
    machine.onEnded = ({ program, machine: own }) =>
      void world.clock.happen(world.random.between(1_000, 20_000), () => again(own, Number(program.slice(1))))
    machine.start()
    if (!isDesk) machine.turns?.leave()
    for (const program of programs) again(machine, program)
  }
  const startMs = world.elapsedMs
  const endMs = startMs + DAY_MS
  let kills = 0
  let killAtMs = startMs + killEveryMs / 2
  while (world.elapsedMs < endMs) {
    await world.advance(Math.min(1_000, endMs - world.elapsedMs))
    world.meet()
    if (world.elapsedMs < killAtMs) continue
    killAtMs += killEveryMs
    const holder = world.machines.find(({ id, queue }) => queue?.summary.dispatcher === id)
    if (holder === undefined) continue
    kills += 1
    holder.kill()
    world.clock.happen(10_000, () => {
      holder.start()
      for (const program of programs) again(holder, program)
    })
  }
  const { limit, periodSeconds } = USUAL_RULE
  const possible = limit + ((endMs - startMs) / 1_000) * (limit / periodSeconds)
  return {
    share: world.accepted / possible,
    refused: world.refused,
    avoidable: world.refused - world.coldRefused,
    broken: world.broken,
    machines: world.machines.map(({ accepted }) => accepted).sort((a, b) => a - b),
    kills,
  }
}
