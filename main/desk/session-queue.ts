import { defaultReserve } from '../../app/contract/programs.ts'
import { DeskQueue } from '../../app/desk/desk-queue.ts'
import type { QueueSummary } from '../../app/desk/queue-ports.ts'
import { bucketOptions } from '../../app/gateway/bucket-queue.ts'
import type { JoinQueue } from '../../app/gateway/turns.ts'
import type { MeteredLedger } from '../../app/quota/metered-ledger.ts'
import type { DeskPart } from '../../app/quota/safe-pace.ts'
import { within } from '../network/deadline.ts'
import type { Clock, Random } from '../ports/ports.ts'
import type { Engine } from './engine.ts'
import type { DeskLink } from './link.ts'
import { QueueView, type QueueViewDeps } from './queue-view.ts'

interface SessionQueueDeps extends Omit<QueueViewDeps, 'queue'> {
  readonly membership: { readonly memberId: string }
  readonly engine: Pick<Engine, 'state' | 'lease' | 'onChange'>
  readonly clock: Clock
  readonly random: Random
  readonly ledger: Pick<MeteredLedger, 'sizeOf' | 'reserveOf'>
  readonly link: Pick<DeskLink, 'send' | 'broadcast'>
  /** Whether this machine no longer belongs to the desk. */
  readonly isRefused: () => boolean
  /** One reserve per other member, in requests. `undefined` stands for the default reserve. */
  readonly othersReserves: (bucket: string) => readonly (number | undefined)[]
  /** Called when the queue's summary changed. */
  readonly queueChanged: () => void
}

/** Maximum wait for the release of the lease, in milliseconds. The lease expires anyway. */
const RELEASE_MS = 500

/** Connects this machine to the queue of its desk, with the desk's link and the lease on the server. */
export class SessionQueue {
  /** The queue itself. It receives the messages and events of the other members. */
  readonly desk: DeskQueue
  /** The queue as a person sees it. */
  readonly view: QueueView
  readonly #deps: SessionQueueDeps
  readonly #ended: () => void

  constructor(deps: SessionQueueDeps) {
    const { membership, engine, clock, random, ledger, link, queueChanged } = deps
    this.#deps = deps
    this.view = new QueueView({ ...deps, queue: () => this.summary })
    this.desk = new DeskQueue({
      self: membership.memberId,
      clock,
      random: () => random.next(),
      send: (to, message) => link.send(to, message),
      broadcast: (message) => link.broadcast(message),
      store: engine.lease,
      optionsOf: (bucket) => bucketOptions(ledger.sizeOf(bucket), () => this.reserveOf(bucket)),
      changed: queueChanged,
    })
    this.desk.engineChanged(engine.state.reachable)
    this.#ended = engine.onChange(() => this.desk.engineChanged(engine.state.reachable))
  }

  /** `undefined` once the desk rejects this machine. */
  get summary(): QueueSummary | undefined {
    return this.#deps.isRefused() ? undefined : this.desk.summary
  }

  /** See `DeskQueue.partOf`. */
  partOf(bucket: string): DeskPart | undefined {
    return this.#deps.isRefused() ? undefined : this.desk.partOf(bucket)
  }

  get join(): JoinQueue | undefined {
    return this.#deps.isRefused() ? undefined : (local) => this.desk.join(local)
  }

  /** The largest reserve of all members. `undefined`: the default, which depends on the limit. */
  reserveOf(bucket: string): number | undefined {
    const { ledger, othersReserves } = this.#deps
    const reserves = [ledger.reserveOf(bucket), ...othersReserves(bucket)]
    if (reserves.every((reserve) => reserve === undefined)) return undefined
    const limit = ledger.sizeOf(bucket)?.limit
    const standard = limit === undefined ? 0 : defaultReserve(limit)
    return Math.max(...reserves.map((reserve) => reserve ?? standard))
  }

  /** Releases the lease. Call this before the goodbye, so that another machine dispatches at once. */
  async stop(): Promise<void> {
    this.#ended()
    await within(this.#deps.clock, RELEASE_MS, this.desk.stop())
  }
}
