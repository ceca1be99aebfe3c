import type { KeyReport, LoggedEvent, MonitorEvent } from '../../app/contract/events.ts'
import { STOPPED_BY_PERSON } from '../../app/contract/orders.ts'
import { type CommandError, type Outcome, UNKNOWN_PROFILE } from '../../app/contract/outcome.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Log } from '../ports/ports.ts'
import type { OrdersChoice, Past, Profile } from '../ports/profile.ts'
import { Redactor, type Secrets } from '../ports/redactor.ts'
import { Timeline } from '../ports/timeline.ts'
import { type ConnectedKeys, CorrectedSecrets, type KeyName } from '../sign-in/corrected-secrets.ts'
import { MEMORY_PROFILE_STORE, type ProfileStore } from '../sign-in/profile-store.ts'
import { SAVED } from '../storage/storage-error.ts'
import { markOf, type PinnedStreams, type PinOwner } from '../streams/pinned-streams.ts'
import type { TokenStore } from '../tokens/token-store.ts'
import { boundedSnapshot, MAX_SNAPSHOTS_BYTES } from './bounded-snapshot.ts'
import { ConnectedProfiles } from './connected-profiles.ts'
import { EventLog } from './event-log.ts'
import { Learning } from './learning.ts'
import type { AttachedOrders, MonitorListener, MonitorSurface } from './monitor-surface.ts'
import type { ProfilePorts } from './profile-parts.ts'
import { ProfileSession } from './profile-session.ts'

export interface MonitorPorts extends Pick<ProfilePorts, 'attended' | 'clock' | 'random' | 'http'> {
  /** The redactor, shared with the log. Default: a new one. */
  readonly secrets?: Secrets
  readonly log: Log
  /** Absent if nothing is stored. */
  readonly pins?: Pick<PinnedStreams, 'of' | 'flush'>
  /** Absent if nothing is stored. Learned data is then lost when the monitor ends. */
  readonly learning?: Learning
}

/**
 * Interval in milliseconds at which `#followAnew` tries again while a key's newest token is only in memory.
 */
const UNSAVED_WAIT_MS = 60_000
/** Interval in milliseconds between attempts to store that orders are stopped. */
const STOP_RETRY_MS = 2_000
/** Interval in milliseconds at which learned data is written. It is also written at the end. */
const LEARNED_EVERY_MS = 300_000

/** The composition root of the app below its hosts. */
export class Monitor implements MonitorSurface, ConnectedKeys {
  readonly #ports: MonitorPorts
  readonly #known: Secrets
  readonly #storage: ProfileStore
  readonly #timeline: Timeline
  readonly #log = new EventLog()
  readonly #profiles = new ConnectedProfiles()
  readonly #listeners = new Set<MonitorListener>()
  readonly #marks = new WeakMap<Profile, string>()
  readonly #learning: Learning
  #orders: AttachedOrders | undefined
  #cancelLearned: () => void = () => {}
  #isLearnedUnsaved = false
  #isStopped = false
  readonly #secrets = new CorrectedSecrets({
    holder: (id) => this.#profiles.get(id),
    withKey: (key) => this.#profiles.withKey(key),
    keep: (profile) => this.#storage.keepSecret(profile),
    problem: (id, what) => this.#happened({ kind: 'storage-problem', what }, id),
  })

  constructor(ports: MonitorPorts, storage: ProfileStore = MEMORY_PROFILE_STORE) {
    this.#ports = ports
    this.#known = ports.secrets ?? new Redactor()
    this.#storage = storage
    this.#learning = ports.learning ?? new Learning(undefined, ports.clock.wallMs())
    const onClockUncertain = (fromMs: number, toMs: number) => {
      for (const session of this.#profiles.values()) session.markClockUncertain(fromMs, toMs)
    }
    // The restart is deferred, because the timeline calls this function while a caller reads the time.
    const setBack = () => void ports.clock.after(0, () => this.#startAnew())
    this.#timeline = new Timeline(ports.clock, onClockUncertain, setBack)
  }

  connect(profile: Profile): void {
    const former = this.#profiles.get(profile.id)
    this.#profiles.delete(profile.id)
    this.#profiles.signedIn(profile)
    if (former) this.#keepLearned(former)
    this.#follow(profile, this.#storage.signIn(profile, this.#timeline.now()), former)
  }

  /**
   * Resumes a key that was connected when the app last ended. This does not count as a sign-in and causes no
   * event.
   */
  restore(profile: Profile, tokens: TokenStore): void {
    const waiting = this.#profiles.get(profile.id)
    // The key is already connected, but its tokens could not be read until now. Its streams and numbers
    // continue.
    if (waiting) waiting.signedInAgain(profile, tokens)
    else this.#follow(profile, tokens)
  }

  #follow(profile: Profile, tokens: TokenStore, former?: ProfileSession): void {
    const { pins, ...ports } = this.#ports
    const { id } = profile
    this.#log.forget(id)
    const session = new ProfileSession(profile, tokens, {
      ...ports,
      secrets: this.#known,
      timeline: this.#timeline,
      // App windows drop older revisions, so a reconnected key continues the numbering.
      firstRevision: former ? former.revision + 1 : 0,
      keystore: () => this.#storage.keystore(id),
      ...(pins && { pins: pins.of(this.#ownerOf(profile)) }),
      orders: () => this.#orders?.summary(id),
      changed: () => this.#notify((listener) => listener.changed(id)),
      report: (report) => this.#happened(report, id),
      onListenerError: (cause) => this.#onListenerError(cause),
    })
    this.#profiles.set(id, session)
    session.parts.ledger.restore(this.#learning.of(this.#ownerOf(profile)).read())
    this.#orders?.switchChanged()
    session.start()
    if (this.#profiles.size === 1) this.#saveLearnedLater()
  }

  /** Adds observations from before a key was connected. Call this right after `connect`. */
  recordPast(id: string, { headers, events }: Past): void {
    const session = this.#profiles.get(id)
    if (!session) return
    for (const { category, atMs, remaining, elsewhere } of headers) {
      const use = elsewhere === undefined ? undefined : { own: 0, elsewhere }
      session.parts.history.observed(category, atMs, remaining, use)
    }
    for (const { atMs, event } of events) {
      if (event.kind === 'rate-limited') session.parts.history.rejected(event.category, atMs)
      const logged = this.#log.add(event, id, atMs)
      if (logged === undefined) continue
      this.#notify((listener) => listener.event(logged))
    }
  }

  #keepLearned({ profile, parts }: ProfileSession): void {
    this.#learning.of(this.#ownerOf(profile)).keep(parts.ledger.learned())
  }

  #saveLearned(): void {
    for (const session of this.#profiles.values()) this.#keepLearned(session)
    const saved = this.#learning.flush()
    if (!saved.ok && !this.#isLearnedUnsaved)
      this.happenedToAll({ kind: 'storage-problem', what: `learned traffic is not saved: ${saved.why}` })
    this.#isLearnedUnsaved = !saved.ok
  }

  #saveLearnedLater(): void {
    this.#cancelLearned()
    this.#cancelLearned = this.#ports.clock.after(LEARNED_EVERY_MS, () => {
      this.#saveLearned()
      if (this.#profiles.size > 0) this.#saveLearnedLater()
    })
  }

  #ownerOf(profile: Profile): PinOwner {
    return { ...profile, isKept: () => this.#storage.keepsSettings(profile) }
  }

  /**
   * Recreates all sessions, as a restart would. The clock was set back by more than a day, so the sessions
   * contain times in the future.
   */
  #startAnew(): void {
    for (const session of [...this.#profiles.values()]) void this.#followAnew(session)
  }

  async #followAnew(session: ProfileSession): Promise<void> {
    // A pending response may contain the refresh token that the new session needs.
    await session.idle()
    const { id } = session.profile
    if (this.#profiles.get(id) !== session) return
    if (session.hasUnsavedToken) {
      session.tryNow({ ofAllKeys: true })
      this.#ports.clock.after(UNSAVED_WAIT_MS, () => void this.#followAnew(session))
      return
    }
    session.stop()
    this.#keepLearned(session)
    this.#follow(session.profile, session.tokens, session)
  }

  disconnect(profile: string): Outcome {
    const session = this.#profiles.get(profile)
    if (!session) return UNKNOWN_PROFILE
    const forgotten = this.#storage.forget(profile)
    if (!forgotten.ok) {
      const message = `The key could not be forgotten: ${forgotten.why}. Nothing was changed. Try again.`
      return { ok: false, code: 'not-forgotten', message }
    }
    const owner = this.#ownerOf(session.profile)
    const kept = {
      'learned traffic': this.#learning.of(owner),
      'pinned streams': this.#ports.pins?.of(owner),
    }
    for (const [name, ofKey] of Object.entries(kept)) {
      const deleted = ofKey?.forget() ?? SAVED
      if (deleted.ok) continue
      this.#happened({ kind: 'storage-problem', what: `deleting ${name} failed: ${deleted.why}` }, profile)
    }
    this.#profiles.delete(profile)
    this.#secrets.drop(profile)
    this.#notify((listener) => listener.removed(profile))
    return { ok: true }
  }

  /** The snapshot of a key. Each connected key has an equal part of `MAX_SNAPSHOTS_BYTES`. */
  snapshot(profile: string): Snapshot | undefined {
    const session = this.#profiles.get(profile)
    return session && boundedSnapshot(session.snapshot(), MAX_SNAPSHOTS_BYTES / this.#profiles.size)
  }

  profiles(): readonly string[] {
    return [...this.#profiles.keys()]
  }

  keyMark(id: string): string | undefined {
    const profile = this.profile(id)
    if (profile === undefined || profile.clientId === '') return undefined
    const known = this.#marks.get(profile)
    const mark = known ?? markOf(this.#ownerOf(profile))
    if (known === undefined) this.#marks.set(profile, mark)
    return mark
  }

  profile(id: string): Profile | undefined {
    return this.#profiles.get(id)?.profile
  }

  needsSignIn(id: string): boolean {
    return this.#profiles.get(id)?.needsSignIn ?? false
  }

  signedInAgain(profile: Profile): Outcome {
    const session = this.#profiles.get(profile.id)
    if (!session) return UNKNOWN_PROFILE
    this.#profiles.signedIn(profile)
    const { clientSecret, orders } = session.profile
    session.signedInAgain(profile, this.#storage.signIn(profile, this.#timeline.now()))
    this.#happened({ kind: 'signed-in' }, profile.id)
    this.#orders?.switchChanged()
    // For all keys except the built-in simulator's, `signIn` has already stored the switch for orders. This
    // call stores it for the simulator too.
    if (profile.orders !== orders) this.#storage.keepOrders(profile)
    this.#ordersChosen(profile, orders)
    if (profile.clientSecret !== clientSecret) this.#secrets.sends(profile.id)
    return { ok: true }
  }

  attachOrders(orders: AttachedOrders): void {
    this.#orders = orders
  }

  setOrders(id: string, orders: OrdersChoice): Outcome {
    const session = this.#profiles.get(id)
    if (!session) return UNKNOWN_PROFILE
    const former = session.profile.orders
    const profile = { ...session.profile, orders }
    // Stopping takes effect before it is stored, because the disk may be full or slow.
    if (orders === 'stopped') this.#switch(session, profile)
    const saved = this.#storage.keepOrders(profile)
    if (saved.ok) this.#switch(session, profile)
    if (saved.ok || orders === 'stopped') this.#ordersChosen(profile, former)
    if (saved.ok) return { ok: true }
    if (orders === 'stopped') this.#saveStopLater(id)
    const effect =
      orders === 'stopped' ? 'Orders are stopped. Saving this failed and is retried' : 'Nothing was changed'
    return { ok: false, code: 'not-kept', message: `${effect}: ${saved.why}.` }
  }

  /** Retries storing that orders are stopped, unless a person has since allowed orders. */
  #saveStopLater(id: string): void {
    this.#ports.clock.after(STOP_RETRY_MS, () => {
      if (this.#isStopped) return
      const profile = this.#profiles.get(id)?.profile
      if (profile?.orders === 'stopped' && !this.#storage.keepOrders(profile).ok) this.#saveStopLater(id)
    })
  }

  #switch(session: ProfileSession, profile: Profile): void {
    session.changeSettings(profile)
    this.#orders?.switchChanged()
  }

  #ordersChosen({ id, orders }: Profile, former: OrdersChoice | undefined): void {
    if (orders === former) return
    if (orders === 'on') this.#happened({ kind: 'orders-allowed' }, id)
    else if (orders === 'stopped') this.#happened({ kind: 'orders-stopped', why: STOPPED_BY_PERSON }, id)
  }

  correctSecret(id: string, clientSecret: string): Promise<Outcome> {
    return this.#secrets.correct(id, clientSecret)
  }

  isRevocationPending(key: KeyName): boolean {
    return this.#profiles.withKey(key).some((session) => session.isRevocationPending)
  }

  async suspendRevocationRetry(key: KeyName): Promise<void> {
    await Promise.all(this.#profiles.withKey(key).map((session) => session.suspendRevocationRetrySettled()))
  }

  events(after: number): readonly LoggedEvent[] {
    return this.#log.after(after)
  }

  withProfile<R>(id: string, run: (session: ProfileSession) => R): R | CommandError {
    const session = this.#profiles.get(id)
    return session ? run(session) : UNKNOWN_PROFILE
  }

  subscribe(listener: MonitorListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reports an event for every connected key, such as a problem with the data folder. */
  happenedToAll(event: MonitorEvent): void {
    for (const id of this.#profiles.keys()) this.#happened(event, id)
  }

  /** Call this when stored data or its storage may have changed. */
  storageChanged(): void {
    this.#ports.pins?.flush()
    for (const id of this.#profiles.keys()) this.#notify((listener) => listener.changed(id))
  }

  /** Resolves when no pending response can contain a token. */
  idle(): Promise<void> {
    return this.#profiles.idle()
  }

  sleep(): void {
    this.#timeline.suspended()
  }

  wake(): void {
    this.#timeline.resumed()
    for (const session of this.#profiles.values()) session.wake()
  }

  stop(): void {
    this.#isStopped = true
    this.#saveLearned()
    this.#cancelLearned()
    this.#profiles.stop()
  }

  /** The event for a report. `undefined` if the report contains nothing new. */
  #happened(report: KeyReport, profile: string): LoggedEvent | undefined {
    const logged = this.#log.add(report, profile, this.#timeline.now())
    if (logged === undefined) return undefined
    const { seq, at, ...event } = logged
    this.#ports.log.note(event.kind, event)
    this.#notify((listener) => listener.event(logged))
    if (event.kind === 'revoked') this.#profiles.revoked(profile)
    if (event.kind === 'token-refreshed') this.#secrets.accepted(profile)
    return logged
  }

  /** Calls all listeners. An error in a listener is logged and does not affect the others. */
  #notify(tell: (listener: MonitorListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        tell(listener)
      } catch (error) {
        this.#onListenerError(error)
      }
    }
  }

  #onListenerError(cause: unknown): void {
    this.#ports.log.note('a listener of the monitor failed', { cause })
  }
}
