import { setTimeout as pause } from 'node:timers/promises'
import { Kvm } from '@nats-io/kv'
import { connect } from '@nats-io/transport-node'
import { deskNames } from '../../main/desk/envelope.ts'
import { readInvitation } from '../../main/desk/invitation.ts'
import { chanceFrom } from '../app/quota/chance.ts'
import { type DeskMachine, PROFILE } from './desk-machine.ts'
import type { StartedDesk } from './started-desk.ts'
import { within } from './within.ts'

/** Timeout in milliseconds of steps that take longer only if something is broken. */
const SETTLES_WITHIN_MS = 20_000
const LOOK_EVERY_MS = 25
/** Share of the messages that are lost, and of those that are repeated. */
const SPOILED = 0.02

/** How long failures last, in milliseconds. */
export interface FailureTimes {
  /** From a kill, a stop or leaving the desk until the machine returns. */
  readonly away: number
  /** Duration of a freeze. */
  readonly frozen: number
  /** Duration for which one machine or all can't reach the server. */
  readonly cut: number
}

/** A desk whose parts fail, and how long it took to recover. */
export class FailingDesk {
  /** Milliseconds from the end of a dispatcher until another machine dispatched, by failure. */
  readonly takeOversMs = new Map<string, number[]>()
  readonly #chance: () => number
  readonly desk: StartedDesk
  readonly times: FailureTimes

  constructor(desk: StartedDesk, seed: number, times: FailureTimes) {
    this.desk = desk
    this.times = times
    this.#chance = chanceFrom(seed)
  }

  /** What is missing until all of the machines use the same dispatcher. */
  async notGranted(machines: readonly DeskMachine[] = this.desk.machines): Promise<readonly string[]> {
    const lines: string[] = []
    const dispatchers = new Set<string>()
    for (const machine of machines) {
      if (!machine.isAwake) continue
      const { desk } = await machine.snapshot()
      const mode = desk?.queue?.mode
      if (mode !== 'granted') lines.push(`${machine.name}: ${mode}`)
      if (desk?.dispatcher !== undefined) dispatchers.add(desk.dispatcher)
    }
    if (dispatchers.size !== 1) lines.push(`dispatchers: ${[...dispatchers].join(', ')}`)
    return lines
  }

  settled(): Promise<readonly string[]> {
    return within(SETTLES_WITHIN_MS, () => this.notGranted())
  }

  /** The machine that dispatches, as the others see it. */
  async dispatcher(): Promise<DeskMachine> {
    let found: DeskMachine | undefined
    const missing = await within(SETTLES_WITHIN_MS, async () => {
      found = await this.#dispatcherFor(this.desk.machines)
      return found === undefined ? ['no dispatcher'] : []
    })
    if (found === undefined) throw new Error(missing.join())
    return found
  }

  /** A machine that does not dispatch. */
  async member(): Promise<DeskMachine> {
    const dispatcher = await this.dispatcher()
    const others = this.desk.machines.filter((machine) => machine !== dispatcher && machine.isAwake)
    return others[Math.floor(this.#chance() * others.length)] ?? dispatcher
  }

  /** Causes a failure of the dispatcher. Resolves when another machine dispatches. */
  async takenOver(failure: string, end: (dispatcher: DeskMachine) => unknown): Promise<DeskMachine> {
    const former = await this.dispatcher()
    const others = this.desk.machines.filter((machine) => machine !== former)
    await end(former)
    const fromMs = performance.now()
    for (;;) {
      const next = await this.#dispatcherFor(others)
      const tookMs = performance.now() - fromMs
      if (next !== undefined && next !== former) {
        this.takeOversMs.set(failure, [...(this.takeOversMs.get(failure) ?? []), tookMs])
        return former
      }
      if (tookMs > SETTLES_WITHIN_MS) throw new Error(`${failure}: no machine took over from ${former.name}`)
      await pause(LOOK_EVERY_MS)
    }
  }

  /** Deletes the lease, as any client of the server may. */
  async deleteLease(): Promise<void> {
    const secret = await this.secret()
    const nats = await connect({ servers: this.desk.nats.url })
    try {
      const bucket = await new Kvm(nats).open(deskNames(secret).lease)
      await bucket.delete('l')
    } finally {
      await nats.close()
    }
  }

  /** The secret of the desk. */
  async secret(): Promise<string> {
    const reading = readInvitation(await this.#invitation())
    if (reading.kind !== 'read') throw new Error(reading.line)
    return reading.invitation.secret
  }

  /** Leaves the desk, and joins it again a while later. */
  async leave(machine: DeskMachine): Promise<void> {
    const invitation = await this.#invitation()
    await machine.ask({ do: 'leave-desk', profile: PROFILE })
    await pause(this.times.away)
    await machine.joinDesk(invitation, [this.desk.wayOf(machine).url])
  }

  /** Loses some messages to each machine and delivers some twice, until the returned function is called. */
  spoil(): () => void {
    const fate = () => {
      const drawn = this.#chance()
      return drawn < SPOILED ? 0 : drawn < 2 * SPOILED ? 2 : 1
    }
    for (const way of this.desk.ways.values()) way.spoil(fate)
    return () => {
      for (const way of this.desk.ways.values()) way.spoil(undefined)
    }
  }

  async #invitation(): Promise<string> {
    const [first] = this.desk.machines.filter(({ isAwake }) => isAwake)
    const answer = await first?.ask({ do: 'desk-invitation', profile: PROFILE })
    if (answer === undefined || !('invitation' in answer)) throw new Error('no machine has an invitation')
    return answer.invitation
  }

  async #dispatcherFor(machines: readonly DeskMachine[]): Promise<DeskMachine | undefined> {
    for (const machine of machines) {
      if (!machine.isAwake) continue
      const { desk } = await machine.snapshot()
      const name = desk?.members.find(({ id }) => id === desk.dispatcher)?.name
      const found = this.desk.machines.find((one) => one.name === name)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** The possible failures. Each resolves when all machines run again and can reach the server. */
export const FAILURES = {
  'the dispatcher is killed': async (world) => {
    const killed = await world.takenOver('the dispatcher is killed', (one) => one.kill())
    await pause(world.times.away)
    await killed.start()
  },
  'a member is killed': async (world) => {
    const member = await world.member()
    await member.kill()
    await pause(world.times.away)
    await member.start()
  },
  'the dispatcher freezes and wakes': async (world) => {
    const frozen = await world.takenOver('the dispatcher freezes and wakes', (one) => one.freeze())
    await pause(world.times.frozen)
    frozen.thaw()
  },
  'a member freezes and wakes': async (world) => {
    const member = await world.member()
    member.freeze()
    await pause(world.times.frozen)
    member.thaw()
  },
  'the dispatcher is stopped': async (world) => {
    const stopped = await world.takenOver('the dispatcher is stopped', (one) => one.stop())
    await pause(world.times.away)
    await stopped.start()
  },
  'a member leaves and joins': async (world) => world.leave(await world.member()),
  'the dispatcher leaves and joins': async (world) => {
    let back: Promise<void> | undefined
    await world.takenOver('the dispatcher leaves and joins', (one) => {
      back = world.leave(one)
    })
    await back
  },
  'a member can’t reach the server': async (world) => {
    const way = world.desk.wayOf(await world.member())
    way.cut()
    await pause(world.times.cut)
    way.heal()
  },
  'the dispatcher can’t reach the server': async (world) => {
    const cut = await world.takenOver('the dispatcher can’t reach the server', (one) =>
      world.desk.wayOf(one).cut(),
    )
    await pause(world.times.cut)
    world.desk.wayOf(cut).heal()
  },
  'only the dispatcher reaches the server': async (world) => {
    const dispatcher = await world.dispatcher()
    const ways = world.desk.machines.filter((one) => one !== dispatcher).map((one) => world.desk.wayOf(one))
    for (const way of ways) way.cut()
    await pause(world.times.cut)
    for (const way of ways) way.heal()
  },
  'the server is killed, and starts later with an empty store': async ({ desk, times }) => {
    await desk.nats.kill()
    await pause(times.cut)
    await desk.nats.restart()
  },
  'the server restarts at once with an empty store': async ({ desk }) => {
    await desk.nats.kill()
    await desk.nats.restart()
  },
  'the server freezes': async ({ desk, times }) => {
    desk.nats.freeze()
    await pause(times.cut)
    desk.nats.thaw()
  },
  'the lease is deleted': (world) => world.deleteLease(),
  'messages are lost and repeated': async (world) => {
    const end = world.spoil()
    await pause(world.times.cut)
    end()
  },
} as const satisfies Record<string, (world: FailingDesk) => Promise<void>>

export type FailureName = keyof typeof FAILURES
