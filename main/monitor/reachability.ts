import type { MonitorEvent } from '../../app/contract/events.ts'
import { RETRY, retryDelayMs } from '../../app/retry/schedules.ts'
import type { Random } from '../ports/ports.ts'
import type { Timeline } from './timeline.ts'

interface Down {
  readonly failures: number
  readonly sinceMs: number
  retryAtMs: number
  /** In plain words, of the latest failure: what a person can act on. */
  readonly why: string
}

/**
 * Whether a host answers at all. Any answer, also a refusal, means that it does.
 *
 * Says so once when it stops and once when it is back, whoever notices.
 */
export class Reachability {
  readonly #hosts = new Map<string, Down>()
  readonly #timeline: Timeline
  readonly #random: Random
  readonly #event: (event: MonitorEvent) => void

  constructor(timeline: Timeline, random: Random, event: (event: MonitorEvent) => void) {
    this.#timeline = timeline
    this.#random = random
    this.#event = event
  }

  answered(host: string): void {
    if (this.#hosts.delete(host)) this.#event({ kind: 'service-back', host })
  }

  /** `sinceMs`: the moment of the request that shows it, where that lies back. */
  failed(host: string, why: string, sinceMs?: number): void {
    const now = this.#timeline.now()
    const down = this.#hosts.get(host)
    const failures = (down?.failures ?? 0) + 1
    const retryAtMs = now + retryDelayMs(RETRY.host, failures, this.#random.next())
    this.#hosts.set(host, { failures, sinceMs: down?.sinceMs ?? sinceMs ?? now, retryAtMs, why })
    if (!down) this.#event({ kind: 'service-unreachable', host, why, retryAt: Math.round(retryAtMs) })
  }

  /** Whether a request of our own making should go to this host now. */
  mayTry(host: string): boolean {
    const down = this.#hosts.get(host)
    return !down || down.retryAtMs <= this.#timeline.now()
  }

  tryNow(): void {
    for (const down of this.#hosts.values()) down.retryAtMs = this.#timeline.now()
  }

  /** The host that has been away longest. */
  get down(): (Readonly<Down> & { readonly host: string }) | undefined {
    const [first] = [...this.#hosts].sort(([, a], [, b]) => a.sinceMs - b.sinceMs)
    return first && { host: first[0], ...first[1] }
  }
}
