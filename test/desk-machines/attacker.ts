import { randomBytes } from 'node:crypto'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { deskNames } from '../../main/desk/envelope.ts'
import { DeskLink } from '../../main/desk/link.ts'
import { natsEngines } from '../../main/desk/nats-engine.ts'
import { nodeClock, nodeRandom } from '../../main/ports/node-clock.ts'
import { chanceFrom } from '../app/quota/chance.ts'

interface Frame {
  readonly subject: string
  readonly bytes: Uint8Array
}

/** Subjects of messages to all members of a desk, and of all messages of a desk. */
const OF_ALL = /^[0-9a-f]{32}\.a$/
const OF_DESK = /^[0-9a-f]{32}\.\w+$/
const NOISE = 60

/**
 * A client of the desk's server that does not know the desk's secret. It receives every message and may
 * publish anything.
 */
export class Attacker {
  readonly #nats: NatsConnection
  readonly #frames: Frame[] = []
  readonly #chance = chanceFrom(11)

  private constructor(nats: NatsConnection) {
    this.#nats = nats
    nats.subscribe('>', {
      callback: (_, { subject, data }) => {
        if (OF_DESK.test(subject)) this.#frames.push({ subject, bytes: Uint8Array.from(data) })
      },
    })
  }

  static async connect(url: string): Promise<Attacker> {
    return new Attacker(await connect({ servers: url }))
  }

  /** A message if it received fewer than `frames` frames. */
  lacks(frames: number): readonly string[] {
    const heard = this.#frames.length
    return heard < frames ? [`the attacker heard ${heard} frames of ${frames}`] : []
  }

  /**
   * Publishes each frame again: unchanged, cut, with one bit changed, and on the other subjects. Also
   * publishes noise to all members. Returns how many messages were noise.
   */
  attack(): { readonly toAll: number } {
    const frames = [...this.#frames]
    const subjects = [...new Set(frames.map(({ subject }) => subject))]
    for (const { subject, bytes } of frames) {
      this.#nats.publish(subject, bytes)
      this.#nats.publish(subject, bytes.subarray(0, Math.floor(bytes.length * this.#chance())))
      this.#nats.publish(subject, this.#changed(bytes))
      for (const other of subjects) if (other !== subject) this.#nats.publish(other, bytes)
    }
    // Most frames are from this desk, because the other desk is quiet.
    const all = mostFrequent(frames.map(({ subject }) => subject).filter((subject) => OF_ALL.test(subject)))
    for (let at = 0; at < NOISE; at += 1) {
      this.#nats.publish(all, new Uint8Array(at % 47))
      this.#nats.publish(all, randomBytes(1 + Math.floor(this.#chance() * 2_000)))
    }
    this.#nats.publish(all, randomBytes(600_000))
    return { toAll: 2 * NOISE + 1 }
  }

  close(): Promise<void> {
    return this.#nats.close()
  }

  #changed(bytes: Uint8Array): Uint8Array {
    const changed = Uint8Array.from(bytes)
    const at = Math.floor(this.#chance() * changed.length)
    changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(this.#chance() * 8))
    return changed
  }
}

function mostFrequent(all: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

/** Another desk on the same server, with one member. */
export class OtherDesk {
  readonly #link: DeskLink
  readonly #close: () => Promise<void>

  private constructor(link: DeskLink, close: () => Promise<void>) {
    this.#link = link
    this.#close = close
  }

  static async join(url: string): Promise<OtherDesk> {
    const secret = randomBytes(32).toString('base64url')
    const engines = natsEngines({ clock: nodeClock, random: nodeRandom, randomBytes })
    const opened = await engines.open({ servers: [url], names: deskNames(secret) })
    if (!opened.ok) throw new Error(opened.message)
    const { engine } = opened
    const membership = { secret, memberId: randomBytes(8).toString('hex'), name: 'INTRUDER' }
    const nothing = () => {}
    const link = new DeskLink(
      { engine, membership, clock: nodeClock, random: nodeRandom, randomBytes },
      {
        ...{ message: nothing, began: nothing, ended: nothing, pictureWanted: nothing },
        ...{ copied: nothing, otherProtocol: nothing, dropped: nothing },
      },
    )
    return new OtherDesk(link, async () => {
      link.close()
      await engine.close()
    })
  }

  /** Publishes a report of high use. */
  report(): void {
    const counted = { Accounts: 1_000 }
    this.#link.broadcast({
      kind: 'report',
      number: 1,
      name: 'INTRUDER',
      rates: { Accounts: 5 },
      ...{ counted, streams: {}, underWay: [], programs: [], snoozeMs: 0 },
    })
  }

  close(): Promise<void> {
    return this.#close()
  }
}
