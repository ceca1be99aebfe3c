import { refusalText } from '../../app/conditions/messages/desk.ts'
import type { deskContract } from '../../app/contract/desk.ts'
import type { Feature, Handlers } from '../../app/contract/ipc.ts'
import { type CommandError, type Outcome, UNKNOWN_PROFILE } from '../../app/contract/outcome.ts'
import { oneByOne } from '../network/deadline.ts'
import { newSecret } from '../network/random-secret.ts'
import type { RandomBytes } from '../ports/ports.ts'
import type { Profile } from '../ports/profile.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { DeskStore } from '../sign-in/profile-store.ts'
import type { Saved } from '../storage/storage-error.ts'
import type { Desks } from './desks.ts'
import type { Engine, EngineOutcome, Engines } from './engine.ts'
import { deskNames } from './envelope.ts'
import { invitationText, readInvitation } from './invitation.ts'
import { type DeskKey, type DeskMarks, deskMarks, differenceOf } from './marks.ts'
import { hideSecrets, type Membership, membershipIn, membershipText, newMemberId } from './membership.ts'
import { isRotated, markRotated } from './rotation.ts'

/** The desks that run in this process. */
export type RunningDesks = Pick<Desks, 'engineOf' | 'run' | 'rotated' | 'leave'>

export interface DeskCommandsDeps {
  readonly engines: Pick<Engines, 'open'>
  readonly store: DeskStore
  /** The fields of a connected key that must match its desk. `undefined` if the key is not connected. */
  readonly keyOf: (profile: string) => (DeskKey & Pick<Profile, 'environment'>) | undefined
  /** Absent if no app is using the data folder. */
  readonly running?: RunningDesks
  readonly randomBytes: RandomBytes
  readonly secrets: Secrets
  /** The default name of this machine. */
  readonly hostName: string
}

type Arguments = {
  [K in keyof Handlers<typeof deskContract>]: Parameters<Handlers<typeof deskContract>[K]>[0]
}
type Member = Outcome<{ readonly membership: Membership }>
/** Options that a person can set, apart from the servers. */
type Chosen = Pick<Arguments['createDesk'], 'name' | 'tlsCa' | 'credentials'>

/** The commands for the desk of a key. They run one after the other. */
export class DeskCommands implements Feature<typeof deskContract> {
  readonly #deps: DeskCommandsDeps
  /** Runs one command after the other. Otherwise two commands could both find that a key has no desk. */
  readonly #inTurn = oneByOne()

  readonly handlers: Handlers<typeof deskContract> = {
    createDesk: (request) => this.#inTurn(() => this.#create(request)),
    joinDesk: (request) => this.#inTurn(() => this.#join(request)),
    deskInvitation: ({ profile }) => this.#inTurn(() => this.#invite(profile)),
    leaveDesk: ({ profile }) => this.#inTurn(() => this.#leave(profile)),
    rotateDesk: ({ profile }) => this.#inTurn(() => this.#rotate(profile)),
  }

  constructor(deps: DeskCommandsDeps) {
    this.#deps = deps
  }

  async #create({ profile, servers, ...chosen }: Arguments['createDesk']) {
    const free = this.#withoutDesk(profile)
    if (!free.ok) return free
    const secret = newSecret(this.#deps.randomBytes)
    const membership = this.#membership({ servers, secret, marks: deskMarks(secret, free.key) }, chosen)
    const opened = await this.#open(membership)
    if (!opened.ok) return opened
    const kept = await this.#keep(profile, membership, opened.engine)
    return kept.ok ? this.#invitation(profile) : kept
  }

  async #join({ profile, invitation: text, ...chosen }: Arguments['joinDesk']): Promise<Outcome> {
    const reading = readInvitation(text)
    if (reading.kind === 'malformed') return { ok: false, code: MALFORMED_INVITATION, message: reading.line }
    const free = this.#withoutDesk(profile)
    if (!free.ok) return free
    const { servers, secret, marks } = reading.invitation
    const own = deskMarks(secret, free.key)
    const difference = differenceOf(marks, own)
    if (difference !== undefined) return otherKey(difference, free.key)
    // The invitation has no user if the user was unknown when it was printed. This machine then adds its own
    // user.
    const membership = this.#membership({ servers, secret, marks: { ...own, ...marks } }, chosen)
    const opened = await this.#open(membership)
    if (!opened.ok) return opened
    const { engine } = opened
    if (await isRotated(engine, membership.secret)) {
      await engine.close()
      return REPLACED
    }
    return this.#keep(profile, membership, engine)
  }

  /** Fails if the running desk's secret was replaced, because the desk rejects the invitation then. */
  async #invite(profile: string): Promise<Outcome<{ readonly invitation: string }>> {
    const found = this.#member(profile)
    const engine = this.#deps.running?.engineOf(profile)
    const isReplaced = found.ok && engine !== undefined && (await isRotated(engine, found.membership.secret))
    return isReplaced ? LEFT_BEHIND : this.#invitation(profile)
  }

  #invitation(profile: string): Outcome<{ readonly invitation: string }> {
    const found = this.#member(profile)
    if (!found.ok) return found
    const { servers, secret, marks } = found.membership
    const key = this.#deps.keyOf(profile)
    // A desk that was created before the first token refresh has no user. The user might be known by now.
    const known = { ...(key && deskMarks(secret, key)), ...marks }
    const invitation = invitationText({ servers, secret, marks: known })
    this.#deps.secrets.hide(invitation)
    return { ok: true, invitation }
  }

  async #leave(profile: string): Promise<Outcome> {
    const { store, running } = this.#deps
    if (store.desk(profile).kind === 'none') return NO_DESK
    const forgotten = store.forgetDesk(profile)
    if (!forgotten.ok) return notSaved(forgotten)
    await running?.leave(profile)
    return { ok: true }
  }

  async #rotate(profile: string): Promise<Outcome<{ readonly invitation: string }>> {
    const { randomBytes, running, store } = this.#deps
    const found = this.#member(profile)
    if (!found.ok) return found
    const key = this.#deps.keyOf(profile)
    if (key === undefined) return UNKNOWN_PROFILE
    const former = found.membership
    const secret = newSecret(randomBytes)
    const marks = deskMarks(secret, key)
    const membership = { ...former, secret, memberId: newMemberId(randomBytes), marks }
    const opened = await this.#open(membership)
    if (!opened.ok) return opened
    const { engine } = opened
    const kept = store.keepDesk(profile, membershipText(membership))
    if (!kept.ok) {
      await engine.close()
      return notSaved(kept)
    }
    const marked = await this.#markRotated(profile, former)
    if (!marked.ok) {
      await engine.close()
      const restored = store.keepDesk(profile, membershipText(former))
      return restored.ok ? marked : notSaved(restored)
    }
    if (running === undefined) await engine.close()
    else {
      await running.rotated(profile)
      running.run(profile, membership, engine)
    }
    return this.#invitation(profile)
  }

  /**
   * Stores a note on the server that the secret was replaced. The note is read by members that were offline,
   * and by machines that join with the old invitation. Fails if another member has stored it: the key's
   * machines would otherwise be on two desks.
   */
  async #markRotated(profile: string, former: Membership): Promise<Outcome> {
    const own = this.#deps.running?.engineOf(profile)
    const opened: EngineOutcome = own === undefined ? await this.#open(former) : { ok: true, engine: own }
    if (!opened.ok) return opened
    const { engine } = opened
    const isReplaced = await isRotated(engine, former.secret)
    const isMarked = !isReplaced && (await markRotated(engine, former.secret))
    if (own === undefined) await engine.close()
    return isMarked ? { ok: true } : isReplaced ? LEFT_BEHIND : NOT_MARKED
  }

  #withoutDesk(profile: string): Outcome<{ readonly key: DeskKey }> {
    const key = this.#deps.keyOf(profile)
    if (key === undefined) return UNKNOWN_PROFILE
    if (key.environment === 'simulator') return BUILT_IN
    const found = this.#member(profile)
    if (found.ok) return HAS_DESK
    return found.code === NO_DESK.code ? { ok: true, key } : found
  }

  #member(profile: string): Member {
    const reading = membershipIn(this.#deps.store.desk(profile))
    switch (reading.kind) {
      case 'member':
        return { ok: true, membership: reading.membership }
      case 'lost':
        return { ok: false, code: 'desk-lost', message: reading.line }
      case 'none':
        return NO_DESK
    }
  }

  #membership(desk: Pick<Membership, 'servers' | 'secret' | 'marks'>, chosen: Chosen): Membership {
    const { hostName, randomBytes } = this.#deps
    return { ...desk, memberId: newMemberId(randomBytes), name: hostName, ...chosen }
  }

  #open(membership: Membership): Promise<EngineOutcome> {
    hideSecrets(membership, this.#deps.secrets)
    return this.#deps.engines.open({ ...membership, names: deskNames(membership.secret) })
  }

  async #keep(profile: string, membership: Membership, engine: Engine): Promise<Outcome> {
    const { store, running } = this.#deps
    const saved = store.keepDesk(profile, membershipText(membership))
    if (saved.ok && running !== undefined) running.run(profile, membership, engine)
    else await engine.close()
    return saved.ok ? { ok: true } : notSaved(saved)
  }
}

const notSaved = ({ why }: Extract<Saved, { ok: false }>): CommandError => ({
  ok: false,
  code: 'not-kept',
  message: `Saving failed: ${why}. Try again.`,
})

/** Error code for an invitation that can't be read. */
export const MALFORMED_INVITATION = 'malformed-invitation'

const refusal = (code: string, message: string): CommandError => ({ ok: false, code, message })

const BUILT_IN = refusal('built-in', 'The built-in simulator can’t share a desk. Connect a key.')
const HAS_DESK = refusal('has-desk', 'This key already has a desk. Leave it first.')
const NO_DESK = refusal('no-desk', 'This key has no desk. Create or join one.')
const REPLACED = refusal('rotated', 'This invitation was replaced. Ask for a new one.')
const LEFT_BEHIND = refusal('rotated', refusalText({ code: 'rotated' }))
const NOT_MARKED = refusal(
  'not-marked',
  'The server didn’t store the change. Nothing was changed. Try again.',
)

/** The error for an invitation to the desk of another key. The message names the difference. */
function otherKey(difference: keyof DeskMarks, { baseUrl }: DeskKey): CommandError {
  switch (difference) {
    case 'client':
      return refusal('other-client', 'This invitation is for another API key.')
    case 'host':
      return refusal(
        'other-host',
        `This invitation is for a service host other than ${new URL(baseUrl).host}.`,
      )
    case 'user':
      return refusal('other-user', 'This invitation is for another user of this API key.')
  }
}
