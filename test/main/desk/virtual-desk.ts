import type { DeskMessage } from '../../../app/desk/messages.ts'
import type { MomentRange } from '../../../app/desk/peer-clock.ts'
import { deskNames } from '../../../main/desk/envelope.ts'
import { DeskLink } from '../../../main/desk/link.ts'
import type { RandomBytes } from '../../../main/ports/ports.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { VirtualRandom } from '../../simulation/virtual-random.ts'
import { type NetworkTraits, VirtualDeskServer } from './virtual-desk-server.ts'
import { type MachineTraits, VirtualMachine } from './virtual-machine.ts'

export const SECRET: string = Buffer.alloc(32, 7).toString('base64url')

/** A message that a member got, and when it did, on its monotonic clock. */
export interface Heard {
  readonly from: string
  readonly message: DeskMessage
  readonly sentAt: MomentRange
  readonly atMs: number
}

/** One member with its machine, and all that its link reported. */
export interface VirtualMember {
  readonly id: string
  readonly machine: VirtualMachine
  readonly link: DeskLink
  readonly heard: readonly Heard[]
  /** `began B`, `left B`, `replaced B`, `other 2 B`, `copied`, in order. */
  readonly news: readonly string[]
  /** The members that requested this member's picture, in order. */
  readonly wanted: readonly string[]
  dropped: number
  /** Called when another member requests this member's picture. */
  onWanted: (by: string) => void
}

/** Random bytes that are the same in each run of a test. */
export const bytesFrom =
  (random: VirtualRandom): RandomBytes =>
  (size) =>
    Uint8Array.from({ length: size }, () => Math.floor(random.next() * 256))

/** Machines, a server and a desk, in virtual time. */
export class VirtualDesk {
  readonly clock = new VirtualClock()
  readonly server: VirtualDeskServer
  readonly #random: VirtualRandom
  readonly #network: Partial<NetworkTraits>

  constructor(network: Partial<NetworkTraits> = {}, seed = 1) {
    this.#network = network
    this.server = new VirtualDeskServer(this.clock, seed, network)
    this.#random = new VirtualRandom(seed + 1)
  }

  get random(): VirtualRandom {
    return this.#random
  }

  /** Back to the network of the start. */
  restoreNetwork(): void {
    this.server.network = {
      ...this.server.network,
      lossRate: 0,
      duplicateRate: 0,
      reorderRate: 0,
      ...this.#network,
    }
  }

  /** Starts a run of a member. `id` is two digits, such as `aa`. */
  start(id: string, { secret = SECRET, ...traits }: MachineTraits & { secret?: string } = {}): VirtualMember {
    const machine = new VirtualMachine(this.clock, traits)
    const memberId = id.repeat(8)
    const names = deskNames(secret)
    const engine = this.server.engines(machine).start({ servers: [], names })
    const [heard, news, wanted]: [Heard[], string[], string[]] = [[], [], []]
    const shortOf = (member: string) => member.slice(0, 2)
    const link = new DeskLink(
      {
        engine,
        membership: { secret, memberId, name: `machine ${id}` },
        clock: machine,
        random: this.#random,
        randomBytes: bytesFrom(this.#random),
      },
      {
        message: (from, message, sentAt) =>
          heard.push({ from: shortOf(from), message, sentAt, atMs: machine.monotonicMs() }),
        began: (who) => news.push(`began ${shortOf(who)}`),
        ended: (who, why) => news.push(`${why} ${shortOf(who)}`),
        pictureWanted: (by) => {
          wanted.push(shortOf(by))
          member.onWanted(by)
        },
        otherProtocol: (who, { name, protocol }) => news.push(`other ${protocol} ${shortOf(who)} ${name}`),
        copied: () => news.push('copied'),
        dropped: () => {
          member.dropped += 1
        },
      },
    )
    const member: VirtualMember = {
      id: memberId,
      machine,
      link,
      heard,
      news,
      wanted,
      dropped: 0,
      onWanted: (by) => link.send(by, picture(0)),
    }
    return member
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms)
  }
}

/** A numbered message. */
export const numbered = (id: number): DeskMessage => ({
  kind: 'observations',
  list: [{ kind: 'not-sent', id }],
})

/** A picture that covers all numbered messages up to one. */
export const picture = (upTo: number): DeskMessage => ({
  kind: 'picture',
  counted: { all: upTo },
  run: { age: 60_000, counted: {} },
  streams: {},
  underWay: [],
  recent: {},
  rows: [],
  silent: [],
})

/** The numbers of the numbered messages among those that were heard. */
export const numbersOf = (heard: readonly Heard[], from?: string): readonly number[] =>
  heard.flatMap(({ from: by, message }) =>
    message.kind === 'observations' && (from === undefined || by === from)
      ? message.list.flatMap((one) => ('id' in one ? [one.id] : []))
      : [],
  )
