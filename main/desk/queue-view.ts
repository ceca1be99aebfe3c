import type { DeskSummary } from '../../app/contract/desk.ts'
import type { KeyReport } from '../../app/contract/events.ts'
import type { QueueSummary } from '../../app/desk/queue-ports.ts'
import type { Clock } from '../ports/ports.ts'

export interface QueueViewDeps {
  /** The desk's queue, as this machine sees it. `undefined` once the desk rejects this machine. */
  readonly queue: () => QueueSummary | undefined
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** The name of a member's machine. `undefined` before its first report. */
  readonly nameOf: (member: string) => string | undefined
  readonly report: (report: KeyReport) => void
}

/** The desk's queue as a person sees it in snapshots and events. */
export class QueueView {
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
