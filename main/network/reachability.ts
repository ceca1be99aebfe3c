import type { MonitorEvent } from '../../app/contract/events.ts'
import { RETRY, retryDelayMs } from '../../app/retry/schedules.ts'
import type { Random } from '../ports/ports.ts'
import type { Timeline } from '../ports/timeline.ts'

interface Down {
  readonly failures: number
  readonly sinceMs: number
  retryAtMs: number
  /** Reason of the latest failure, in plain words for display. */
  readonly why: string
}

export const hostOf = (url: string): string => new URL(url).host

/**
 * Whether each host is reachable. Any response shows that a host is reachable, even a rejection.
 *
 * Reports one event when a host becomes unreachable and one when it is reachable again, for all callers
 * together.
 */
export class Reachability {
  readonly #hosts = new Map<string, Down>()
  readonly #answered = new Set<string>()
  readonly #timeline: Timeline
  readonly #random: Random
  readonly #event: (event: MonitorEvent) => void

  constructor(timeline: Timeline, random: Random, event: (event: MonitorEvent) => void) {
    this.#timeline = timeline
    this.#random = random
    this.#event = event
  }

  answered(host: string): void {
    this.#answered.add(host)
    this.connected(host)
  }

  /** Records that a connection succeeded. No request was sent, so this does not count as a response. */
  connected(host: string): void {
    if (this.#hosts.delete(host)) this.#event({ kind: 'service-back', host })
  }

  /** Records a failure. `sinceMs` is the time of the failed request, if earlier than now. */
  failed(host: string, why: string, sinceMs?: number): void {
    const now = this.#timeline.now()
    const down = this.#hosts.get(host)
    const failures = (down?.failures ?? 0) + 1
    const retryAtMs = now + retryDelayMs(RETRY.host, failures, this.#random.next())
    this.#hosts.set(host, { failures, sinceMs: down?.sinceMs ?? sinceMs ?? now, retryAtMs, why })
    if (!down) this.#event({ kind: 'service-unreachable', host, why, retryAt: Math.round(retryAtMs) })
  }

  /** Whether a request that no person initiated may be sent to this host now. */
  mayTry(host: string): boolean {
    const down = this.#hosts.get(host)
    return !down || down.retryAtMs <= this.#timeline.now()
  }

  /**
   * How long until an unreachable host may be tried again, in milliseconds. `undefined` if it is reachable.
   */
  waitMs(host: string): number | undefined {
    const down = this.#hosts.get(host)
    return down && Math.max(0, down.retryAtMs - this.#timeline.now())
  }

  tryNow(): void {
    for (const down of this.#hosts.values()) down.retryAtMs = this.#timeline.now()
  }

  hasAnswered(host: string): boolean {
    return this.#answered.has(host)
  }

  /** When and why a host stopped responding. `undefined` if it responds, and before the first request. */
  down(host: string): Readonly<Down> | undefined {
    return this.#hosts.get(host)
  }
}
