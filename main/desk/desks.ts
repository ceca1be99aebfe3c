import type { DeskRefusalCode } from '../../app/contract/desk.ts'
import { type MonitorSurface, sessionOf } from '../monitor/monitor-surface.ts'
import type { ProfileSession } from '../monitor/profile-session.ts'
import type { Clock, RandomBytes } from '../ports/ports.ts'
import type { Profile } from '../ports/profile.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { DeskStore } from '../sign-in/profile-store.ts'
import type { Engine, Engines } from './engine.ts'
import { deskNames } from './envelope.ts'
import { type DeskKey, deskMarks, isOtherUser } from './marks.ts'
import { hideSecrets, type Membership, membershipIn, membershipText, newMemberId } from './membership.ts'
import { isRotated } from './rotation.ts'

/** One desk while it runs on a connected key. */
export interface DeskRun {
  start(): void
  /** Notifies the other members that the secret was replaced. */
  rotated(): void
  /** Stops sending and applying messages. The key's snapshots then show the reason. */
  refuse(code: DeskRefusalCode): void
  /** Says goodbye to the other members, and closes. */
  leave(): Promise<void>
  /** Ends without a goodbye, and closes the engine. */
  close(): Promise<void>
}

/** The parts that a running desk consists of. */
export interface DeskRunParts {
  /** The connected key. */
  readonly session: ProfileSession
  readonly membership: Membership
  /** Closed by the running desk. */
  readonly engine: Engine
  /**
   * Whether the desk begins to run with the key's session. If so, it counts all requests of the session.
   */
  readonly isFromStart: boolean
  /** Called when another machine runs under this machine's member id. */
  readonly copied: () => void
}

export interface DesksDeps {
  readonly monitor: Pick<MonitorSurface, 'profiles' | 'withProfile' | 'subscribe'>
  readonly engines: Pick<Engines, 'start'>
  readonly store: DeskStore
  readonly createRun: (parts: DeskRunParts) => DeskRun
  readonly secrets: Secrets
  readonly clock: Pick<Clock, 'after'>
  readonly randomBytes: RandomBytes
  /** Called with a sentence if a saved desk cannot be used. */
  readonly problem: (sentence: string) => void
}

interface Running {
  readonly session: ProfileSession
  readonly membership: Membership
  readonly engine: Engine
  readonly run: DeskRun
  refusal: DeskRefusalCode | undefined
  isOver: boolean
  stopLooking: () => void
}

/** Interval at which the app checks that the desk still belongs to this key and secret. Milliseconds. */
const LOOK_MS = 60_000

/** Runs the stored desk of each connected key. */
export class Desks {
  readonly #deps: DesksDeps
  readonly #running = new Map<string, Running>()
  /** Keys whose saved desk can't be used. Each key is reported only once. */
  readonly #lost = new Set<string>()
  readonly #unsubscribe: () => void

  constructor(deps: DesksDeps) {
    this.#deps = deps
    this.#unsubscribe = deps.monitor.subscribe({
      changed: (profile) => this.#changed(profile),
      event: () => {},
      removed: (profile) => void this.leave(profile),
    })
  }

  /** Runs the desks of keys that were connected since the last call. */
  follow(): void {
    for (const profile of this.#deps.monitor.profiles())
      if (!this.#running.has(profile)) this.#start(profile, true)
  }

  /** The engine of a running desk; `undefined` if the desk is not running. */
  engineOf(profile: string): Engine | undefined {
    return this.#running.get(profile)?.engine
  }

  /** Runs the desk of a new membership. The desk takes over the open `engine`, and closes it later. */
  run(profile: string, membership: Membership, engine: Engine): void {
    this.#run(profile, membership, { engine, isFromStart: false })
  }

  #run(
    profile: string,
    membership: Membership,
    { engine, isFromStart }: Pick<DeskRunParts, 'engine' | 'isFromStart'>,
  ): void {
    const session = sessionOf(this.#deps.monitor, profile)
    if (session === undefined) return void engine.close()
    hideSecrets(membership, this.#deps.secrets)
    const copied = () => this.#separate(profile, membership)
    const run = this.#deps.createRun({ session, membership, engine, isFromStart, copied })
    const parts = { session, membership, engine, run }
    const running = { ...parts, refusal: undefined, isOver: false, stopLooking: () => {} }
    this.#running.set(profile, running)
    run.start()
    this.#keepLooking(profile, running)
  }

  /** Notifies the other members that the secret was replaced, and ends the former desk's run. */
  async rotated(profile: string): Promise<void> {
    this.#running.get(profile)?.run.rotated()
    await this.#end(profile)?.leave()
  }

  /** Says goodbye to the other members, and ends the desk. */
  async leave(profile: string): Promise<void> {
    this.#lost.delete(profile)
    const { session } = this.#running.get(profile) ?? {}
    await this.#end(profile)?.leave()
    // A problem of the desk ends here too.
    session?.happened({ kind: 'desk-back', left: true })
  }

  /** Says goodbye on all desks. They run again at the next start. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    await Promise.all([...this.#running.keys()].map((profile) => this.#end(profile)?.leave()))
  }

  /** `isFromStart`: see `DeskRunParts`. */
  #start(profile: string, isFromStart: boolean): void {
    const { store, engines, problem } = this.#deps
    const reading = membershipIn(store.desk(profile))
    switch (reading.kind) {
      case 'none':
        return
      case 'lost':
        if (!this.#lost.has(profile)) problem(reading.line)
        this.#lost.add(profile)
        return
      case 'member': {
        const { membership } = reading
        hideSecrets(membership, this.#deps.secrets)
        const engine = engines.start({ ...membership, names: deskNames(membership.secret) })
        this.#run(profile, membership, { engine, isFromStart })
      }
    }
  }

  /** Restarts the desk if the key has a new session, for example after the computer's clock was set back. */
  #changed(profile: string): void {
    const running = this.#running.get(profile)
    if (running !== undefined && running.session !== sessionOf(this.#deps.monitor, profile))
      this.#startAnew(profile, true)
  }

  /**
   * Stores the user of a desk that was created before the first token refresh. Returns whether the desk was
   * restarted.
   */
  #learnUser(profile: string, membership: Membership, user: string): boolean {
    const known = { ...membership, marks: { ...membership.marks, user } }
    if (!this.#deps.store.keepDesk(profile, membershipText(known)).ok) return false
    this.#startAnew(profile, false)
    return true
  }

  /**
   * Gives this machine a member id of its own, because another one runs with a copy of its data folder. The
   * other members listen to only one of two machines with the same id.
   */
  #separate(profile: string, membership: Membership): void {
    if (this.#running.get(profile)?.membership !== membership) return
    const own = { ...membership, memberId: newMemberId(this.#deps.randomBytes) }
    if (!this.#deps.store.keepDesk(profile, membershipText(own)).ok) return
    void this.#end(profile)?.leave()
    this.#start(profile, false)
  }

  #startAnew(profile: string, isFromStart: boolean): void {
    void this.#end(profile)?.close()
    this.#start(profile, isFromStart)
  }

  #end(profile: string): DeskRun | undefined {
    const running = this.#running.get(profile)
    if (running === undefined) return undefined
    this.#running.delete(profile)
    running.isOver = true
    running.stopLooking()
    return running.run
  }

  /** Checks now, every minute and after each reconnect whether the desk rejects this machine. */
  #keepLooking(profile: string, running: Running): void {
    const { clock, secrets } = this.#deps
    const { engine, membership, session } = running
    let cancel = () => {}
    let wasReachable = engine.state.reachable
    const look = async (): Promise<void> => {
      cancel()
      cancel = clock.after(LOOK_MS, () => void look())
      // Registers the secrets again, because the redactor forgets secrets that were registered long ago.
      hideSecrets(membership, secrets)
      // A token refresh can change the user, or reveal the user for the first time.
      const { user } = deskMarks(membership.secret, keyOf(session))
      const isNew = user !== undefined && membership.marks.user === undefined
      if (isNew && this.#learnUser(profile, membership, user)) return
      const refusal = await refusalOf(membership, engine, user)
      if (running.isOver || refusal === running.refusal) return
      running.refusal = refusal
      // The desk no longer rejects this machine, for example because the right user is signed in again.
      if (refusal === undefined) this.#startAnew(profile, false)
      else running.run.refuse(refusal)
    }
    const unsubscribe = engine.onChange(() => {
      const isBack = engine.state.reachable && !wasReachable
      wasReachable = engine.state.reachable
      if (isBack) void look()
    })
    running.stopLooking = () => {
      cancel()
      unsubscribe()
    }
    void look()
  }
}

async function refusalOf(
  { marks, secret }: Membership,
  engine: Engine,
  user: string | undefined,
): Promise<DeskRefusalCode | undefined> {
  if (isOtherUser(marks.user, user)) return 'other-user'
  return (await isRotated(engine, secret)) ? 'rotated' : undefined
}

/** The fields of a connected key that must match its desk. */
export const keyOf = ({ profile, tokens }: ProfileSession): DeskKey & Pick<Profile, 'environment'> => ({
  ...profile,
  subject: tokens.state.token?.subject,
})
