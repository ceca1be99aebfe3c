import { DeskQueue } from '../../app/desk/desk-queue.ts'
import type { MeteredLedger } from '../../app/quota/metered-ledger.ts'
import type { Clock, Random } from '../ports/ports.ts'
import type { Engine } from './engine.ts'
import type { DeskLink } from './link.ts'

interface SessionQueueDeps {
  readonly membership: { readonly memberId: string }
  readonly engine: Pick<Engine, 'state' | 'lease' | 'onChange'>
  readonly clock: Clock
  readonly random: Random
  readonly ledger: Pick<MeteredLedger, 'sizeOf' | 'reserveOf'>
  readonly link: Pick<DeskLink, 'send' | 'broadcast'>
  /** Called when the queue's summary changed. */
  readonly changed: () => void
}

/**
 * This machine's part in the queue of its desk, through the desk's link and the store of its server. `ended`
 * removes it from the engine.
 */
export function sessionQueue(deps: SessionQueueDeps): {
  readonly queue: DeskQueue
  readonly ended: () => void
} {
  const { membership, engine, clock, random, ledger, link, changed } = deps
  const queue = new DeskQueue({
    self: membership.memberId,
    clock,
    after: (ms, run) => clock.after(ms, run),
    random: () => random.next(),
    send: (to, message) => void link.send(to, message),
    broadcast: (message) => void link.broadcast(message),
    store: engine.lease,
    sizeOf: (bucket) => ledger.sizeOf(bucket),
    reserveOf: (bucket) => ledger.reserveOf(bucket),
    report: () => {},
    changed,
  })
  queue.engineChanged(engine.state.reachable)
  return { queue, ended: engine.onChange(() => queue.engineChanged(engine.state.reachable)) }
}
