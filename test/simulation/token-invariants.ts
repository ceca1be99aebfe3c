import type { MonitorEvent } from '../../app/contract/events.ts'
import type { RefreshSummary, Snapshot } from '../../app/contract/snapshot.ts'
import type { HttpOutcome, HttpRequest } from '../../main/ports/ports.ts'
import { violation } from './violation.ts'
import type { OnDisk } from './virtual-disk.ts'

/**
 * Maximum number of refreshes in a minute. It includes the first steps of the retry schedule and the second
 * try after a lost response.
 */
const MAX_A_MINUTE = 10
const LAST_WARNING_MS = 15 * 60_000
/** Maximum number of looks without a warning. The keeper waits a minute at most; the rest is tolerance. */
const WARNED_WITHIN_LOOKS = 65

/** Promises T1, T2, T5, T6, T8, T9 and T12, as far as the network and the window show them. */
export class TokenInvariants {
  checked = 0
  #inFlight = 0
  /** Requests of the present token keeper. */
  readonly #asked = new Set<HttpRequest>()
  /** Number of rejections since the last sign-in that arrived. */
  #refusals = 0
  /** How often a user or a new process may have requested a refresh that was not due. */
  #prompts = 0
  #ended: { posts: number } | undefined
  #endsTold = 0
  /**
   * Whether a response was lost since the service last issued a token. For a new process, this is unknown.
   */
  #lost: 'no' | 'yes' | 'unsure' = 'no'
  #retryDueMs: number | undefined
  #askedAtMs: number[] = []
  /** Refresh tokens by the access token that came with them, until that one is first used. */
  readonly #fresh = new Map<string, string>()
  /** Numbered in the order in which the service issued them. */
  readonly #given = new Map<string, number>()
  #newestAccess: string | undefined
  readonly #rejected = new Set<string>()
  #hasRotated = false
  /** The last refresh token that arrived. `undefined` if a process has died since. */
  #newest: string | undefined
  #looksUnwarned = 0
  #warned = false

  /** Whether a response was lost, as far as the network shows. A new process may know of one. */
  get isAnswerLost(): boolean {
    return this.#lost !== 'no'
  }

  signedIn(refreshToken: string): void {
    this.#newest = refreshToken
    this.#fresh.clear()
    this.#refusals = 0
    this.#prompts = 0
    this.#ended = undefined
    this.#endsTold = 0
    this.#hasRotated = false
    this.#warned = false
    this.#looksUnwarned = 0
    this.#anotherKeeper()
  }

  /** Another process continues with the stored tokens. */
  restarted({ isSignInRequired, hasRotated }: Pick<OnDisk, 'isSignInRequired' | 'hasRotated'>): void {
    this.#prompts += 1
    this.#newest = undefined
    this.#hasRotated = hasRotated
    if (!isSignInRequired) this.#ended = undefined
    // A sign-in that was not stored is lost with the process. The session before it was rejected.
    else this.#refusals = Math.max(1, this.#refusals)
    this.#fresh.clear()
    this.#rejected.clear()
    this.#warned = false
    this.#looksUnwarned = 0
    this.#anotherKeeper()
  }

  triedNow(): void {
    this.#prompts += 1
  }

  asked(request: HttpRequest, monotonicMs: number): void {
    this.checked += 1
    this.#asked.add(request)
    this.#inFlight += 1
    if (this.#inFlight > 1) violation('two refreshes are in flight at once')
    this.#retryDueMs = undefined
    this.#askedAtMs = [...this.#askedAtMs.filter((at) => monotonicMs - at < 60_000), monotonicMs]
    if (this.#askedAtMs.length > MAX_A_MINUTE + 2 * this.#prompts) {
      violation(`${this.#askedAtMs.length} refreshes within a minute`)
    }
    if (this.#ended === undefined) return
    this.#ended.posts += 1
    if (this.#ended.posts > 2 * this.#prompts)
      violation('a token was sent again after the service refused it')
  }

  done(request: HttpRequest, outcome: HttpOutcome, monotonicMs: number): void {
    // A response that belongs to an earlier sign-in is ignored.
    if (!this.#asked.delete(request)) return
    this.#inFlight -= 1
    if (outcome.kind === 'not-sent') return
    if (outcome.kind === 'unknown') {
      if (this.#lost === 'no') this.#retryDueMs = monotonicMs
      this.#lost = this.#lost === 'no' ? 'yes' : this.#lost
      return
    }
    if (outcome.body.includes('"invalid_grant"')) this.#refusals += 1
    const access = /"access_token":"([^"]+)"/.exec(outcome.body)?.[1]
    if (access === undefined) {
      if (outcome.status === 200) this.#lost = 'unsure'
      return
    }
    this.#lost = 'no'
    this.#newestAccess = access
    const refresh = /"refresh_token":"([^"]+)"/.exec(outcome.body)?.[1]
    if (refresh === undefined) return
    this.#hasRotated = true
    this.#newest = refresh
    this.#fresh.set(access, refresh)
    this.#given.set(refresh, this.#given.size)
  }

  /** `honours`: whether the service would still accept a refresh token. */
  told(event: MonitorEvent & { readonly at: number }, honours: (token: string) => boolean): void {
    if (event.kind === 'sign-in-due') {
      if (event.endsAt - event.at <= LAST_WARNING_MS + 1_000) this.#warned = true
      return
    }
    if (event.kind !== 'sign-in-required') return
    this.checked += 1
    if (this.#refusals === 0) violation('the session ended without an answered invalid_grant')
    if (this.#newest !== undefined && honours(this.#newest)) {
      violation('the session ended while the newest refresh token is honoured')
    }
    this.#endsTold += 1
    if (this.#endsTold > 1 + this.#prompts) violation('the end of one session was told again')
    this.#ended ??= { posts: 0 }
  }

  /** `holds`: returns the refresh token that is stored durably now. */
  used(access: string, look: () => Snapshot, holds: () => string | undefined): void {
    this.checked += 1
    if (this.#rejected.has(access) && access !== this.#newestAccess) {
      violation('an access token was used after a 401 and a refresh')
    }
    const came = this.#fresh.get(access)
    if (came === undefined) return
    this.#fresh.delete(access)
    const snapshot = look()
    if (snapshot.refresh.unsaved !== undefined || snapshot.keystore === 'memory') return
    if ((this.#given.get(holds() ?? '') ?? -1) < (this.#given.get(came) ?? 0)) {
      violation('an access token was used before the refresh token that came with it was stored')
    }
  }

  rejected(access: string): void {
    this.#rejected.add(access)
  }

  seen({ at, refresh }: Snapshot, monotonicMs: number): void {
    this.checked += 1
    if (refresh.state === 'sign-in-required' && this.#refusals === 0) {
      violation('a sign-in is asked for without an answered invalid_grant')
    }
    if (this.#retryDueMs !== undefined && monotonicMs - this.#retryDueMs > 1_000) {
      violation('a lost answer was not tried again at once')
    }
    if (this.#hasRotated && !refresh.rotating && this.#inFlight === 0)
      violation('a rotating key was not recognised')
    this.#looksUnwarned = isLast(refresh, at) && !this.#warned ? this.#looksUnwarned + 1 : 0
    if (this.#looksUnwarned > WARNED_WITHIN_LOOKS) violation('the end of the 24 hours was not announced')
  }

  /** When no fault has occurred for minutes, the app must use a token that the service accepts. */
  settled({ access, refresh }: Snapshot): void {
    this.checked += 1
    if (refresh.unsaved !== undefined) violation(`the token is still not saved: ${refresh.unsaved}`)
    if (refresh.state === 'unconfirmed') violation('the service was not asked for minutes')
    if (refresh.state === 'valid' && access.state !== 'valid' && access.state !== 'refreshing') {
      violation(`minutes after all was well the access token is ${access.state}`)
    }
  }

  #anotherKeeper(): void {
    this.#inFlight = 0
    this.#asked.clear()
    this.#lost = 'unsure'
    this.#retryDueMs = undefined
    this.#askedAtMs = []
  }
}

const isLast = ({ state, endsAt }: RefreshSummary, atMs: number): boolean =>
  state === 'valid' && endsAt !== undefined && endsAt > atMs && endsAt - atMs < LAST_WARNING_MS
