import type { DeskSummary } from '../../app/contract/desk.ts'
import { defaultReserve } from '../../app/contract/programs.ts'
import { DeskQueue } from '../../app/desk/desk-queue.ts'
import type { QueueSummary } from '../../app/desk/queue-ports.ts'
import { bucketOptions } from '../../app/gateway/bucket-queue.ts'
import type { JoinQueue } from '../../app/gateway/turns.ts'
import type { MeteredLedger } from '../../app/quota/metered-ledger.ts'
import type { DeskPart } from '../../app/quota/safe-pace.ts'
import { within } from '../network/deadline.ts'
import type { Clock, Random } from '../ports/ports.ts'
import type { DeskTroubleDeps } from './desk-trouble.ts'
import type { Engine } from './engine.ts'
import type { DeskLink } from './link.ts'

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

interface QueueViewDeps extends Pick<DeskTroubleDeps, 'queue' | 'clock' | 'report'> {
  /** The name of a member's machine. `undefined` before its first report. */
  readonly nameOf: (member: string) => string | undefined
}

/** The desk's queue as a person sees it in snapshots and events. */
class QueueView {
  readonly #deps: QueueViewDeps
  /** The dispatcher that was last reported in an event. */
  #told: string | undefined
  /** When this machine began to work alone: on the monotonic clock, and in epoch ms. */
  #alone: { readonly sinceMs: number; readonly since: number } | undefined

  constructor(deps: QueueViewDeps) {
    this.#deps = deps
  }

  /** Reports a new dispatcher. Call this after each change, and once a second. */
  tell(): void {
    const { queue, nameOf, report } = this.#deps
    const dispatcher = queue()?.dispatcher
    const name = dispatcher === undefined ? undefined : nameOf(dispatcher)
    if (name === undefined || dispatcher === this.#told) return
    this.#told = dispatcher
    report({ kind: 'desk-dispatcher', name })
  }

  /** The queue's part of a snapshot at `nowMs`, epoch ms. */
  shown(nowMs: number): Pick<DeskSummary, 'dispatcher' | 'queue'> {
    const summary = this.#deps.queue()
    if (summary === undefined) return {}
    const { dispatcher, mode, members, share, aloneSinceMs } = summary
    const last = dispatcher === undefined ? this.#told : undefined
    return {
      ...(dispatcher !== undefined && { dispatcher }),
      queue: {
        mode,
        ...(members !== undefined && { members }),
        ...(share !== undefined && { share }),
        ...(aloneSinceMs !== undefined && { since: this.#since(aloneSinceMs, nowMs) }),
        ...(last !== undefined && { lastDispatcher: last }),
      },
    }
  }

  /** When this machine began to work alone, epoch ms. Computed once, so that rounding does not change it. */
  #since(sinceMs: number, nowMs: number): number {
    if (this.#alone?.sinceMs !== sinceMs) {
      const since = Math.round(nowMs - (this.#deps.clock.monotonicMs() - sinceMs))
      this.#alone = { sinceMs, since }
    }
    return this.#alone.since
  }
}
