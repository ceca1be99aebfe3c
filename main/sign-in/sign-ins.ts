import type { Outcome } from '../../app/contract/outcome.ts'
import type { SignInStatus, StartedSignIn } from '../../app/contract/sign-in.ts'
import { lacksTrade } from '../../app/service/categories.ts'
import { authorizeUrl, type ExtraScope } from '../../app/sign-in/authorize-url.ts'
import { failureText, SIGN_IN_LIMIT_MS, type SignInFailure } from '../../app/sign-in/failure.ts'
import { readRedirect } from '../../app/sign-in/redirect.ts'
import { digestOf, newSecret } from '../network/random-secret.ts'
import type { Clock, Http, Log, OpenUrl } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'
import { exchangeCode, type SigningKey } from './code-exchange.ts'
import { type HostWatch, watchHost } from './host-watch.ts'
import {
  ALREADY_USED,
  failedPage,
  NOT_HERE,
  type RedirectPage,
  SIGNED_IN,
  WRONG_STATE,
} from './redirect-pages.ts'
import { type ListenOnLoopback, listenForRedirect, type RedirectServer } from './redirect-server.ts'

export interface SignInDeps {
  readonly http: Http
  readonly clock: Clock
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly listen: ListenOnLoopback
  /** Opens a browser. Absent if impossible. The window then shows the link. */
  readonly openUrl?: OpenUrl
  readonly log: Log
  /** Removes secrets from the service's text about a sign-in. */
  readonly secrets?: Secrets
}

export interface SignInTask {
  readonly key: SigningKey
  readonly audience: string
  readonly extraScopes: readonly ExtraScope[]
  /** `asked`: request the Trade scope. `needed`: request it, and fail if it is not granted. */
  readonly trade?: 'asked' | 'needed'
  /** Called before the code is exchanged. Must finish everything that would invalidate the new tokens. */
  readonly prepare: () => Promise<void>
  /** Stores the new refresh token. Returns the profile. */
  readonly finish: (refreshToken: string) => Outcome<{ readonly profile: string }>
}

interface Pending {
  readonly id: string
  readonly task: SignInTask
  readonly state: string
  readonly verifier: string
  readonly url: string
  readonly server: RedirectServer
  readonly host: HostWatch
  readonly endsAt: number
  /** Whether a browser was opened. */
  opened: boolean
  /** Why the sign-in host does not respond. `undefined` if it does. */
  unreachable: string | undefined
  cancelTimer: () => void
  /** Deletes the file that the browser used to open the sign-in address. */
  addressUsed: () => void
  stage: 'waiting' | 'exchanging' | 'over'
  /**
   * Whether `WRONG_STATE_NOTICE` was shown. It is shown only once, because any page can send many such
   * redirects.
   */
  saidWrongState: boolean
}

/** The window's notice after a redirect with a wrong `state`. */
const WRONG_STATE_NOTICE = 'Ignored a response to another sign-in. Continue in the newest tab.'

/**
 * Signs people in through their browser. A new sign-in ends the previous one.
 *
 * A redirect without this sign-in's `state` gets an error page and has no effect. Only the first valid
 * redirect counts, and its code is exchanged once.
 */
export class SignIns {
  readonly #deps: SignInDeps
  readonly #listeners = new Set<(status: SignInStatus) => void>()
  #pending: Pending | undefined
  /** Watches the host of a sign-in that is starting. */
  #looking: HostWatch | undefined
  /**
   * Number of sign-ins that were started so far. A sign-in that waits for its port compares this number
   * before and after the wait. If it has changed, a newer sign-in has replaced the waiting one.
   */
  #starts = 0
  /** Resolves when the previous sign-in's server is closed and its port is free. */
  #closing: Promise<void> = Promise.resolve()

  constructor(deps: SignInDeps) {
    this.#deps = deps
  }

  subscribe(listener: (status: SignInStatus) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async start(task: SignInTask): Promise<Outcome<StartedSignIn>> {
    this.#starts += 1
    const started = this.#starts
    if (this.#pending) {
      if (this.#pending.stage === 'exchanging') return FINISHING
      this.#end(this.#pending, { kind: 'cancelled' })
    }
    const { randomBytes, clock, listen } = this.#deps
    const id = Buffer.from(randomBytes(12)).toString('base64url')
    const host = this.#lookAt(task.key.authUrl, id)
    const [unreachable] = await Promise.all([host.first, this.#closing])
    if (started !== this.#starts) return refusal({ kind: 'cancelled' })
    const server = await listenForRedirect({ listen, clock }, (query) => this.#answer(id, query))
    if ('kind' in server) {
      host.stop()
      return refusal(server)
    }
    if (started !== this.#starts) {
      this.#close(server)
      return refusal({ kind: 'cancelled' })
    }
    this.#looking = undefined
    // 43 characters of base64url, as RFC 7636 4.1 recommends for a verifier.
    const verifier = newSecret(randomBytes)
    const state = newSecret(randomBytes)
    const url = authorizeUrl({
      authUrl: task.key.authUrl,
      clientId: task.key.clientId,
      audience: task.audience,
      redirectUri: server.redirectUri,
      extraScopes: task.extraScopes,
      mayTrade: task.trade !== undefined,
      state,
      challenge: digestOf(verifier),
    })
    const pending: Pending = {
      id,
      task,
      state,
      verifier,
      url,
      server,
      host,
      endsAt: Math.round(clock.wallMs() + SIGN_IN_LIMIT_MS),
      opened: false,
      unreachable,
      cancelTimer: clock.after(SIGN_IN_LIMIT_MS, () => this.#end(pending, expiryOf(pending))),
      addressUsed: () => {},
      stage: 'waiting',
      saidWrongState: false,
    }
    this.#pending = pending
    // No browser is opened while the host is unreachable, because the page could not load.
    if (unreachable === undefined) await this.#open(pending)
    return {
      ok: true,
      signIn: id,
      url,
      opened: pending.opened,
      endsAt: pending.endsAt,
      ...(pending.unreachable !== undefined && { unreachable: pending.unreachable }),
    }
  }

  cancel(id: string): Outcome {
    const pending = this.#pending
    if (pending?.id !== id) return { ok: true }
    if (pending.stage === 'exchanging') return FINISHING
    this.#end(pending, { kind: 'cancelled' })
    return { ok: true }
  }

  /** Ends the current sign-in and frees the port. */
  async stop(): Promise<void> {
    this.#starts += 1
    this.#looking?.stop()
    if (this.#pending) this.#end(this.#pending, { kind: 'cancelled' })
    this.#listeners.clear()
    await this.#closing
  }

  /** Watches the host of this sign-in. Stops watching the host of an earlier sign-in. */
  #lookAt(authUrl: string, id: string): HostWatch {
    this.#looking?.stop()
    this.#looking = watchHost(this.#deps, authUrl, (why) => {
      const pending = this.#pending
      if (pending?.id === id && pending.stage === 'waiting') void this.#hostChanged(pending, why)
    })
    return this.#looking
  }

  async #hostChanged(pending: Pending, why: string | undefined): Promise<void> {
    pending.unreachable = why
    if (why === undefined && !pending.opened) await this.#open(pending)
    if (!isOver(pending)) this.#sayWaiting(pending)
  }

  async #open(pending: Pending): Promise<void> {
    const { openUrl, log } = this.#deps
    if (openUrl === undefined) return
    try {
      const used = await openUrl(pending.url)
      if (isOver(pending)) used()
      else pending.addressUsed = used
      pending.opened = true
    } catch (error) {
      log.note('opening a browser for a sign-in failed', { cause: error })
    }
  }

  async #answer(id: string, query: URLSearchParams): Promise<RedirectPage> {
    const pending = this.#pending
    if (pending?.id !== id || pending.stage !== 'waiting') return ALREADY_USED
    const redirect = readRedirect(query, pending.state)
    switch (redirect.kind) {
      case 'not-a-redirect':
        return NOT_HERE
      case 'wrong-state':
        this.#sayWrongState(pending)
        return WRONG_STATE
      case 'declined':
      case 'refused':
        return this.#end(pending, redirect)
      case 'code':
        return this.#exchange(pending, query)
    }
  }

  async #exchange(pending: Pending, callback: URLSearchParams): Promise<RedirectPage> {
    pending.stage = 'exchanging'
    pending.cancelTimer()
    pending.addressUsed()
    const { task, state, verifier, server } = pending
    try {
      await task.prepare()
      const exchange = await exchangeCode(this.#deps.http, task.key, {
        callback,
        state,
        redirectUri: server.redirectUri,
        verifier,
      })
      if (exchange.kind !== 'granted') return this.#end(pending, exchange)
      if (isOver(pending)) return ALREADY_USED
      if (task.trade === 'needed' && lacksTrade(exchange.scopes))
        return this.#end(pending, { kind: 'trade-withheld' })
      const finished = task.finish(exchange.refreshToken)
      if (!finished.ok) return this.#end(pending, { kind: 'not-connected', why: finished.message })
      this.#leave(pending)
      this.#say({ state: 'done', signIn: pending.id, profile: finished.profile })
      return SIGNED_IN
    } catch (error) {
      this.#deps.log.note('a sign-in failed', { cause: error })
      return this.#end(pending, { kind: 'later', why: 'Headroom failed; see its log' })
    }
  }

  #end(pending: Pending, failure: SignInFailure): RedirectPage {
    const words = this.#cleaned(pending, failureText(failure))
    if (!isOver(pending)) {
      this.#leave(pending)
      this.#say({ state: 'failed', signIn: pending.id, ...words })
    }
    return failedPage(words.message)
  }

  /** Removes this sign-in's secrets from a message. A service may repeat them in an error. */
  #cleaned<T extends { readonly message: string }>({ task, state, verifier }: Pending, words: T): T {
    const { secrets } = this.#deps
    if (secrets === undefined) return words
    for (const secret of [task.key.clientSecret, state, verifier])
      if (secret !== undefined) secrets.hide(secret)
    return { ...words, message: secrets.clean(words.message) }
  }

  #leave(pending: Pending): void {
    pending.stage = 'over'
    pending.cancelTimer()
    pending.addressUsed()
    pending.host.stop()
    this.#close(pending.server)
    if (this.#pending === pending) this.#pending = undefined
  }

  #close(server: RedirectServer): void {
    const former = this.#closing
    this.#closing = Promise.all([former, server.close()]).then(() => undefined)
  }

  #sayWrongState(pending: Pending): void {
    if (pending.saidWrongState) return
    pending.saidWrongState = true
    this.#sayWaiting(pending)
  }

  #sayWaiting({ id, endsAt, opened, unreachable, saidWrongState }: Pending): void {
    this.#say({
      state: 'waiting',
      signIn: id,
      endsAt,
      opened,
      ...(saidWrongState && { notice: WRONG_STATE_NOTICE }),
      ...(unreachable !== undefined && { unreachable }),
    })
  }

  #say(status: SignInStatus): void {
    for (const listener of this.#listeners) {
      try {
        listener(status)
      } catch (error) {
        // The sign-in is complete, so a listener's error must not affect it.
        this.#deps.log.note('a listener of sign-ins failed', { cause: error })
      }
    }
  }
}

/** Why a sign-in expired. If no page was opened because the host did not respond, that is the reason. */
const expiryOf = ({ opened, unreachable }: Pending): SignInFailure =>
  opened || unreachable === undefined ? { kind: 'expired' } : { kind: 'not-sent', why: unreachable }

// A function, because TypeScript would keep the field narrowed across an `await`.
const isOver = (pending: Pending): boolean => pending.stage === 'over'

const FINISHING: Outcome<never> = {
  ok: false,
  code: 'sign-in-finishing',
  message: 'A sign-in is finishing. Wait a moment.',
}

const refusal = (failure: SignInFailure) => ({ ok: false, ...failureText(failure) }) as const
