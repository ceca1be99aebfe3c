import type { Clock, Http } from '../ports/ports.ts'
import { hostOf, type Reachability } from './reachability.ts'

const TIMEOUT_MS = 10_000
/** Interval in milliseconds between checks of one host of a key while the key's other host is unreachable. */
const AGAIN_MS = 10_000

export interface OtherHostDeps {
  readonly clock: Clock
  readonly http: Pick<Http, 'reach'>
  readonly reachability: Reachability
  readonly urls: () => readonly [string, string]
  /**
   * Whether requests to this host are in progress or scheduled. Such requests show whether the host is
   * reachable, so no check is needed.
   */
  readonly isAsked: (host: string) => boolean
}

/**
 * Finds out whether one or both hosts of a key are down. While one host is unreachable, the other host is
 * checked.
 *
 * A check connects without sending a request. Checks repeat until both hosts are reachable, because a
 * reachable host may become unreachable later.
 */
export class OtherHost {
  readonly #deps: OtherHostDeps
  #cancelNext: (() => void) | undefined
  /** The URLs whose checks are in progress. Each check schedules the next, so a URL must never have two. */
  readonly #asking = new Set<string>()
  #isStopped = false

  constructor(deps: OtherHostDeps) {
    this.#deps = deps
  }

  unreachable(host: string): void {
    const { urls, reachability } = this.#deps
    const other = urls().find((url) => hostOf(url) !== host)
    if (other !== undefined && reachability.down(hostOf(other)) === undefined) void this.#ask(other)
  }

  tryNow(): void {
    const { urls, reachability } = this.#deps
    const away = urls().find((url) => reachability.down(hostOf(url)) !== undefined && this.#isOurs(url))
    if (away !== undefined) void this.#ask(away)
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelNext?.()
  }

  #isOneAway(): boolean {
    const { urls, reachability } = this.#deps
    return urls().some((url) => reachability.down(hostOf(url)) !== undefined)
  }

  #isOurs(url: string): boolean {
    return !this.#deps.isAsked(hostOf(url))
  }

  async #ask(url: string): Promise<void> {
    const { clock, http, reachability } = this.#deps
    if (this.#asking.has(url)) return
    this.#cancelNext?.()
    this.#cancelNext = undefined
    const host = hostOf(url)
    this.#asking.add(url)
    const why = await http.reach(url, TIMEOUT_MS).finally(() => this.#asking.delete(url))
    if (this.#isStopped) return
    if (why !== undefined) reachability.failed(host, why)
    else if (this.#isOurs(url)) reachability.connected(host)
    const waitMs = reachability.waitMs(host) ?? (this.#isOneAway() ? AGAIN_MS : undefined)
    if (waitMs === undefined || !this.#isOurs(url)) return
    this.#cancelNext = clock.after(waitMs, () => void this.#ask(url))
  }
}
