import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { DeskQueue } from '../../app/desk/desk-queue.ts'
import { Scheduler } from '../../app/gateway/scheduler.ts'
import type { DeskTurns } from '../../app/gateway/turns.ts'
import { deskNames } from '../../main/desk/envelope.ts'
import { DeskLink } from '../../main/desk/link.ts'
import { natsEngines } from '../../main/desk/nats-engine.ts'
import { nodeClock, nodeRandom } from '../../main/ports/node-clock.ts'

const engines = natsEngines({ clock: nodeClock, random: nodeRandom, randomBytes })
/** Has room at any time. */
const SIZE = { limit: 10_000_000, periodSeconds: 300 }
const RATE = { ...SIZE, remaining: SIZE.limit - 1, resetSeconds: 1 }
const BUCKET = 'Positions'

/** A member of a desk without a service: its requests are answered as soon as they are granted. */
export class BenchMember {
  readonly #queue: DeskQueue
  readonly #turns: DeskTurns
  #granted: () => void = () => {}
  #id = 1

  private constructor(queue: DeskQueue) {
    this.#queue = queue
    const scheduler = new Scheduler(() => ({ size: SIZE }))
    this.#turns = queue.join({
      scheduler,
      now: () => performance.now(),
      apply: (decisions) => {
        if (decisions.some(({ kind }) => kind === 'send')) this.#granted()
      },
    })
  }

  static async join({ url, secret, id }: { url: string; secret: string; id: string }): Promise<BenchMember> {
    const opened = await engines.open({ servers: [url], names: deskNames(secret) })
    if (!opened.ok) throw new Error(opened.message)
    const { engine } = opened
    const nothing = () => {}
    const link: DeskLink = new DeskLink(
      {
        engine,
        membership: { secret, memberId: id, name: id },
        clock: nodeClock,
        random: nodeRandom,
        randomBytes,
      },
      {
        message: (from, message, sentAt) => {
          switch (message.kind) {
            case 'report':
            case 'unchanged':
            case 'observations':
            case 'picture':
            case 'rotated':
              return
            default:
              queue.message(from, message, sentAt.toMs)
          }
        },
        began: nothing,
        ended: (member, why) => queue.ended(member, why),
        pictureWanted: nothing,
        copied: nothing,
        otherProtocol: nothing,
        dropped: nothing,
      },
    )
    const queue = new DeskQueue({
      self: id,
      clock: nodeClock,
      random: () => nodeRandom.next(),
      send: (to, message) => link.send(to, message),
      broadcast: (message) => link.broadcast(message),
      store: engine.lease,
      optionsOf: () => ({ size: SIZE }),
      changed: nothing,
    })
    queue.engineChanged(true)
    queue.start()
    return new BenchMember(queue)
  }

  /** Resolves when a dispatcher decides about its turns. Returns the dispatcher's id. */
  async isGranted(): Promise<string> {
    for (;;) {
      const { mode, dispatcher } = this.#queue.summary
      if (mode === 'granted' && dispatcher !== undefined) return dispatcher
      await pause(20)
    }
  }

  /** Asks for a turn and reports its response. Resolves to the milliseconds until the request may be sent. */
  async turn(): Promise<number> {
    const id = this.#id++
    const fromMs = performance.now()
    const granted = new Promise<void>((resolve) => {
      this.#granted = resolve
    })
    const decisions = this.#turns.offer(
      { id, program: 'bench', class: 'normal', weight: 1, bucket: BUCKET, maxWaitMs: 30_000 },
      performance.now(),
    )
    if (!decisions.some(({ kind }) => kind === 'send')) await granted
    const tookMs = performance.now() - fromMs
    this.#turns.answered(id, { kind: 'answer', rate: RATE }, performance.now())
    return tookMs
  }
}
