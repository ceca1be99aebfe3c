import type { History, Outcome, Refusal } from '../app/contract/contract.ts'
import type { LoggedEvent, MonitorEvent } from '../app/contract/events.ts'
import type { HeldSettings } from '../app/contract/key-settings.ts'
import type { RowDetails } from '../app/contract/row-details.ts'
import type { Snapshot } from '../app/contract/snapshot.ts'
import type { StreamRequest } from '../app/service/streams.ts'
import { PROBED_CATEGORIES } from './api/probe-requests.ts'
import { EventLog } from './event-log.ts'
import { profileWith, settingsOf } from './key-settings.ts'
import type { MonitorListener, MonitorSurface, SettingsChange } from './monitor-surface.ts'
import type { Clock, Http, Log, Random } from './ports/ports.ts'
import type { Profile } from './profile.ts'
import { ProfileMonitor } from './profile-monitor.ts'
import type { ConnectedKeys, KeyName } from './sign-in/connected-keys.ts'
import { CorrectedSecrets } from './sign-in/corrected-secrets.ts'
import type { PinnedStreams } from './streams/pinned-streams.ts'
import type { WhenFull } from './streams/streams.ts'
import { Timeline } from './timeline.ts'
import { type KeyStorage, MEMORY_STORAGE } from './vault/key-storage.ts'
import type { TokenStore } from './vault/token-store.ts'

export interface MonitorPorts {
  /** Whether somebody looks at the numbers; taken for granted where nobody can tell. */
  readonly attended?: () => boolean
  readonly clock: Clock
  readonly random: Random
  readonly http: Http
  readonly log: Log
  /** Absent where nothing is kept. */
  readonly pins?: Pick<PinnedStreams, 'of'>
}

const UNKNOWN_PROFILE: Refusal = {
  ok: false,
  code: 'unknown-profile',
  message: 'That key is not connected any more.',
}

/** The composition root of what the app does, whatever the host. */
export class Monitor implements MonitorSurface, ConnectedKeys {
  readonly #ports: MonitorPorts
  readonly #storage: KeyStorage
  readonly #timeline: Timeline
  readonly #log = new EventLog()
  readonly #profiles = new Map<string, ProfileMonitor>()
  readonly #listeners = new Set<MonitorListener>()
  readonly #secrets = new CorrectedSecrets({
    holder: (id) => this.#profiles.get(id),
    withKey: (key) => this.#withKey(key),
    keep: (profile) => this.#storage.keepSecret(profile),
    problem: (id, what) => this.#happened({ kind: 'storage-problem', what }, id),
  })
  /** Stopped, with an answer that may still come. */
  readonly #ending: ProfileMonitor[] = []

  constructor(ports: MonitorPorts, storage: KeyStorage = MEMORY_STORAGE) {
    this.#ports = ports
    this.#storage = storage
    this.#timeline = new Timeline(ports.clock, (fromMs, toMs) => {
      for (const monitor of this.#profiles.values()) monitor.doubt(fromMs, toMs)
    })
  }

  connect(profile: Profile): void {
    const former = this.#profiles.get(profile.id)
    former?.stop()
    this.#profiles.delete(profile.id)
    for (const other of this.#profiles.values()) {
      if (other.hasKeyOf(profile)) other.standDown()
    }
    this.#follow(profile, this.#storage.signIn(profile, this.#timeline.now()), former)
  }

  /** A key that was connected when the app last ended goes on where it was; no sign-in, and nobody is told so. */
  restore(profile: Profile, tokens: TokenStore): void {
    const waiting = this.#profiles.get(profile.id)
    // It could not be opened when it was connected; its streams and numbers go on.
    if (waiting) waiting.signedInAgain(profile, tokens)
    else this.#follow(profile, tokens)
  }

  #follow(profile: Profile, tokens: TokenStore, former?: ProfileMonitor): void {
    const { attended, clock, random, http, pins } = this.#ports
    const { id } = profile
    const monitor = new ProfileMonitor(profile, tokens, {
      clock,
      random,
      http,
      timeline: this.#timeline,
      // Windows drop what is older than what they have: a key connected anew goes on counting.
      firstRevision: former ? former.revision + 1 : 0,
      keystore: () => this.#storage.keystore(id),
      ...(pins && { pins: pins.of(id) }),
      ...(attended && { attended }),
      changed: () => this.#tell((listener) => listener.changed(id)),
      event: (event) => this.#happened(event, id),
      broke: (cause) => this.#broke(cause),
    })
    this.#profiles.set(id, monitor)
    monitor.start()
  }

  disconnect(profile: string): Outcome {
    const monitor = this.#profiles.get(profile)
    if (!monitor) return UNKNOWN_PROFILE
    const forgotten = this.#storage.forget(profile)
    if (!forgotten.ok) {
      const message = `The key is still stored here: ${forgotten.why}. Nothing was changed; try again.`
      return { ok: false, code: 'not-forgotten', message }
    }
    const unpinned = this.#ports.pins?.of(profile).forget()
    if (unpinned?.ok === false) {
      this.#happened(
        { kind: 'storage-problem', what: `pinned streams are still stored: ${unpinned.why}` },
        profile,
      )
    }
    monitor.stop()
    this.#profiles.delete(profile)
    this.#secrets.drop(profile)
    this.#tell((listener) => listener.removed(profile))
    return { ok: true }
  }

  snapshot(profile: string): Snapshot | undefined {
    return this.#profiles.get(profile)?.snapshot()
  }

  profiles(): readonly string[] {
    return [...this.#profiles.keys()]
  }

  profile(id: string): Profile | undefined {
    return this.#profiles.get(id)?.profile
  }

  needsSignIn(id: string): boolean {
    return this.#profiles.get(id)?.needsSignIn ?? false
  }

  signedInAgain(profile: Profile): Outcome {
    const monitor = this.#profiles.get(profile.id)
    if (!monitor) return UNKNOWN_PROFILE
    for (const other of this.#profiles.values()) {
      if (other !== monitor && other.hasKeyOf(profile)) other.standDown()
    }
    const { clientSecret } = monitor.profile
    monitor.signedInAgain(profile, this.#storage.signIn(profile, this.#timeline.now()))
    if (profile.clientSecret !== clientSecret) this.#secrets.sends(profile.id)
    return { ok: true }
  }

  async correctSecret(id: string, clientSecret: string): Promise<Outcome> {
    const monitor = this.#profiles.get(id)
    if (!monitor) return UNKNOWN_PROFILE
    const profile = { ...monitor.profile, clientSecret }
    // Before it is sent: a token that rotates with it must open with it after a restart, too.
    const saved = this.#storage.keepSecret(profile)
    if (!saved.ok) {
      const message = `The secret could not be kept: ${saved.why}. Nothing was changed; try again.`
      return { ok: false, code: 'not-kept', message }
    }
    this.#secrets.drop(id)
    const outcome = await monitor.correctSecret(profile)
    // Only now: a refresh that was on its way before says nothing of it.
    this.#secrets.sends(id)
    if (outcome.ok) this.#secrets.accepted(id)
    return outcome
  }

  isRevocationPending(key: KeyName): boolean {
    return this.#withKey(key).some((monitor) => monitor.isRevocationPending)
  }

  async standDown(key: KeyName): Promise<void> {
    await Promise.all(this.#withKey(key).map((monitor) => monitor.standDownSettled()))
  }

  events(after: number): readonly LoggedEvent[] {
    return this.#log.after(after)
  }

  history(profile: string, category: string, fromMs: number, toMs: number, points: number): History {
    const monitor = this.#profiles.get(profile)
    return monitor?.history(category, fromMs, toMs, points) ?? { points: [], rejectedAt: [] }
  }

  openStream(
    profile: string,
    request: StreamRequest,
    whenFull?: WhenFull,
  ): Outcome<{ readonly stream: string }> {
    return this.#profiles.get(profile)?.streams.open(request, whenFull) ?? UNKNOWN_PROFILE
  }

  closeStream(profile: string, stream: string): Outcome {
    return this.#profiles.get(profile)?.streams.close(stream) ?? UNKNOWN_PROFILE
  }

  restartStream(profile: string, stream: string): Outcome<{ readonly stream: string }> {
    return this.#profiles.get(profile)?.streams.restart(stream) ?? UNKNOWN_PROFILE
  }

  pinStream(profile: string, stream: string, pinned: boolean): Outcome {
    return this.#profiles.get(profile)?.streams.pin(stream, pinned) ?? UNKNOWN_PROFILE
  }

  async revoke(profile: string): Promise<Outcome> {
    return (await this.#profiles.get(profile)?.revoke()) ?? UNKNOWN_PROFILE
  }

  tryNow(profile: string): Outcome {
    const monitor = this.#profiles.get(profile)
    monitor?.tryNow()
    return monitor ? { ok: true } : UNKNOWN_PROFILE
  }

  async checkNow(profile: string, category: string): Promise<Outcome> {
    return (await this.#profiles.get(profile)?.checkNow(category)) ?? UNKNOWN_PROFILE
  }

  rowDetails(profile: string, category: string): Outcome<{ readonly details: RowDetails }> {
    const details = this.#profiles.get(profile)?.rowDetails(category)
    return details ? { ok: true, details } : UNKNOWN_PROFILE
  }

  keySettings(id: string): Outcome<HeldSettings> {
    const monitor = this.#profiles.get(id)
    if (!monitor) return UNKNOWN_PROFILE
    const { profile, settingsAt } = monitor
    const kept = this.#storage.keepsSettings(profile) ? 'stored' : 'until-exit'
    return { ok: true, settings: settingsOf(profile), settingsAt, kept, probed: PROBED_CATEGORIES }
  }

  setKeySettings(id: string, change: SettingsChange): Outcome<HeldSettings> {
    const monitor = this.#profiles.get(id)
    if (!monitor) return UNKNOWN_PROFILE
    const changed = profileWith(monitor.profile, change)
    if (!changed.ok) return changed
    const saved = this.#storage.keepSettings(changed.profile)
    if (!saved.ok) {
      const message = `That could not be kept: ${saved.why}. Nothing was changed; try again.`
      return { ok: false, code: 'not-kept', message }
    }
    monitor.changeSettings(changed.profile)
    return this.keySettings(id)
  }

  subscribe(listener: MonitorListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What concerns every connected key, as trouble with the data folder does. */
  happenedToAll(event: MonitorEvent): void {
    for (const id of this.#profiles.keys()) this.#happened(event, id)
  }

  /** What is stored, or how, may be different now. */
  storageChanged(): void {
    for (const id of this.#profiles.keys()) this.#tell((listener) => listener.changed(id))
  }

  /** Ends when no answer that may bring a token is on its way. */
  async idle(): Promise<void> {
    await Promise.all([...this.#ending, ...this.#profiles.values()].map((monitor) => monitor.idle()))
  }

  sleep(): void {
    this.#timeline.suspended()
  }

  wake(): void {
    this.#timeline.resumed()
    for (const monitor of this.#profiles.values()) monitor.wake()
  }

  stop(): void {
    for (const monitor of this.#profiles.values()) {
      monitor.stop()
      this.#ending.push(monitor)
    }
    this.#profiles.clear()
  }

  #happened(event: MonitorEvent, profile: string): void {
    const logged = this.#log.add(event, profile, this.#timeline.now())
    this.#ports.log.note(event.kind, { ...event, profile })
    this.#tell((listener) => listener.event(logged))
    if (event.kind === 'revoked') this.#revokedWith(profile)
    if (event.kind === 'token-refreshed') this.#secrets.accepted(profile)
  }

  /** A revocation ends every sign-in on its API key (service.md 4.2), and none of them may go on reading "valid". */
  #revokedWith(profile: string): void {
    const revoked = this.#profiles.get(profile)
    if (revoked === undefined) return
    for (const other of this.#withKey(revoked.profile)) {
      if (other !== revoked) other.revokedElsewhere()
    }
  }

  #withKey(key: KeyName): readonly ProfileMonitor[] {
    return [...this.#profiles.values()].filter((monitor) => monitor.hasKeyOf(key))
  }

  #tell(say: (listener: MonitorListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        say(listener)
      } catch (error) {
        this.#broke(error)
      }
    }
  }

  /** One window's bug is not the others', and least of all the tokens'. */
  #broke(cause: unknown): void {
    this.#ports.log.note('somebody who was told of something failed', { cause })
  }
}
