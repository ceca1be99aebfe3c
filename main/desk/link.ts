import type { KeyObject } from 'node:crypto'
import { keepNewest } from '../../app/contract/newest.ts'
import { DESK_PROTOCOL, type DeskMessage, memberMessage } from '../../app/desk/messages.ts'
import type { MomentRange } from '../../app/desk/peer-clock.ts'
import { MAX_MEMBERS } from '../../app/desk/queue-messages.ts'
import type { Clock, Random, RandomBytes } from '../ports/ports.ts'
import type { DeskNames, Engine } from './engine.ts'
import {
  deskNames,
  type FrameHead,
  frameHead,
  MAX_SEALED_BYTES,
  type MemberRun,
  openFrame,
  RUN_BYTES,
  runKey,
  sealFrame,
  subjectOfAll,
  subjectOfMember,
} from './envelope.ts'
import { confirmName, frameBytes, frameIn, inFrame, type LinkContent, type LinkFrame } from './link-frames.ts'
import { PeerRun } from './peer-run.ts'
import { type Foreign, Strangers } from './strangers.ts'

/** After this much silence, a member can be replaced by a new one. Milliseconds. */
const MAKES_ROOM_MS = 60_000
/**
 * Maximum number of ended runs that are remembered. A forgotten run counts as a stranger and must answer a
 * challenge.
 */
const MAX_ENDED = 256
/** Interval in milliseconds at which this member reports the arrival times of other members' messages. */
const CONFIRM_EVERY_MS = 900
/**
 * Limits for strangers (see `Strangers`): how many of their frames are opened, and how many are answered. So
 * a flood of frames does no harm.
 */
const STRANGER_FRAMES = { most: 500, perSecond: 500 } as const
const ANSWERS = { most: 128, perSecond: 64 } as const

export interface LinkDeps {
  readonly engine: Engine
  readonly membership: { readonly secret: string; readonly memberId: string; readonly name: string }
  readonly clock: Clock
  readonly random: Random
  readonly randomBytes: RandomBytes
}

/** Events of a link. Members are identified by their ids. */
export interface LinkEvents {
  /**
   * A message arrived from a member whose run has answered a challenge. `sentAt`: when it was sent, on this
   * machine's monotonic clock.
   */
  message(from: string, message: DeskMessage, sentAt: MomentRange): void
  /**
   * A new run of a member's app has answered a challenge. The link then requests the member's full state.
   */
  began(member: string, run: string): void
  ended(member: string, why: 'left' | 'replaced'): void
  /** A member missed messages and requests this member's full state (its `picture` message). */
  pictureWanted(by: string): void
  /** A member is alive, but uses another version of the protocol. Called for each message of this member. */
  otherProtocol(member: string, its: Foreign): void
  /** Another machine runs under this member's id, so one of the two runs with a copy of a data folder. */
  copied(): void
  /** A message was dropped: it was forged, repeated or truncated, or the sender's app had ended. */
  dropped(): void
}

/**
 * Connects this run of the app with the other members of its desk.
 *
 * Seals and opens messages, and detects missed messages. Accepts messages only from members whose app has
 * answered a challenge in its current run. Determines when each message was sent, on this machine's clock.
 */
export class DeskLink {
  readonly #deps: LinkDeps
  readonly #events: LinkEvents
  readonly #names: DeskNames
  readonly #self: MemberRun
  readonly #key: KeyObject
  readonly #peers = new Map<string, PeerRun>()
  readonly #strangers: Strangers
  readonly #endedRuns = new Set<string>()
  readonly #takeStrangerFrame: () => boolean
  readonly #takeAnswer: () => boolean
  readonly #ends: readonly (() => void)[]
  #counter = 0
  #broadcasts = 0
  #confirmedMs = Number.NEGATIVE_INFINITY
  #wasReachable = false
  #isClosed = false

  constructor(deps: LinkDeps, events: LinkEvents) {
    const { engine, membership, clock, randomBytes } = deps
    this.#deps = deps
    this.#events = events
    this.#names = deskNames(membership.secret)
    this.#self = { member: membership.memberId, run: Buffer.from(randomBytes(RUN_BYTES)).toString('hex') }
    this.#key = runKey(membership.secret, this.#self)
    this.#strangers = new Strangers({ clock, randomBytes })
    this.#takeStrangerFrame = tokenBucket(clock, STRANGER_FRAMES)
    this.#takeAnswer = tokenBucket(clock, ANSWERS)
    const subjects = [subjectOfAll(this.#names), subjectOfMember(this.#names, this.#self.member)]
    this.#ends = [
      ...subjects.map((subject) => engine.subscribe(subject, (bytes) => this.#arrived(subject, bytes))),
      engine.onChange(() => this.#engineChanged()),
    ]
    this.#engineChanged()
  }

  /** Sends a message to all members. If it is too large, they request this member's `picture` message. */
  broadcast(message: DeskMessage): void {
    this.#broadcasts += 1
    this.#send(subjectOfAll(this.#names), { kind: 'desk', message })
  }

  /** Sends a message to one member, unless it is too large. */
  send(to: string, message: DeskMessage): void {
    this.#send(subjectOfMember(this.#names, to), { kind: 'desk', message })
  }

  /** When the last message of a present member arrived, on this machine's monotonic clock. */
  lastHeardMs(member: string): number | undefined {
    return this.#peers.get(member)?.heardMs
  }

  /** Says goodbye to the other members, and closes. The engine remains open. */
  leave(): void {
    if (this.#isClosed) return
    this.#send(subjectOfAll(this.#names), { kind: 'bye' })
    this.close()
  }

  close(): void {
    this.#isClosed = true
    for (const end of this.#ends) end()
    for (const peer of this.#peers.values()) peer.end()
  }

  #engineChanged(): void {
    const { reachable } = this.#deps.engine.state
    const isBack = reachable && !this.#wasReachable
    this.#wasReachable = reachable
    if (isBack) {
      const challenge = this.#strangers.challengeAll()
      this.#send(subjectOfAll(this.#names), { kind: 'hello', challenge })
    }
  }

  #send(subject: string, said: LinkContent): void {
    const { engine, clock } = this.#deps
    if (this.#isClosed || !engine.state.reachable) return
    const nowMs = clock.monotonicMs()
    const isDue = said.kind === 'desk' && nowMs - this.#confirmedMs >= CONFIRM_EVERY_MS
    const frame: LinkFrame = {
      protocol: DESK_PROTOCOL,
      at: inFrame(nowMs, 'down'),
      broadcasts: this.#broadcasts,
      ...(isDue && subject === subjectOfAll(this.#names) && { confirms: this.#confirms(nowMs) }),
      said,
    }
    const bytes = frameBytes(frame)
    if (bytes.length > MAX_SEALED_BYTES) return
    this.#counter += 1
    const head = { ...this.#self, counter: this.#counter }
    engine.publish(subject, sealFrame(this.#key, head, { subject, bytes }))
  }

  #confirms(nowMs: number): LinkFrame['confirms'] {
    this.#confirmedMs = nowMs
    const confirms: Record<string, [number, number]> = {}
    for (const peer of this.#peers.values()) {
      const sample = peer.takeSample()
      if (sample !== undefined) confirms[confirmName(peer.run.run)] = [sample[0], inFrame(sample[1], 'up')]
    }
    return confirms
  }

  #arrived(subject: string, bytes: Uint8Array): void {
    const head = frameHead(bytes)
    if (head?.run === this.#self.run && head.member === this.#self.member) return
    if (head === undefined || this.#endedRuns.has(head.run)) {
      this.#events.dropped()
      return
    }
    const peer = this.#peers.get(head.member)
    const isUsed =
      peer?.run.run === head.run
        ? this.#fromPeer(peer, head, { subject, bytes })
        : this.#fromStranger(head, { subject, bytes })
    if (!isUsed) this.#events.dropped()
  }

  #fromPeer(peer: PeerRun, head: FrameHead, sealed: { subject: string; bytes: Uint8Array }): boolean {
    if (!peer.isNew(head.counter)) return false
    const frame = opened(peer.key, sealed)
    if (frame === undefined) return false
    peer.heard(head.counter, frame, this.#self.run)
    const { said } = frame
    if (said.kind !== 'desk') {
      peer.counted(frame, false)
      this.#heardFrom(peer.run, said)
      if (said.kind === 'ask' && peer.mayGetPicture()) this.#events.pictureWanted(head.member)
      return true
    }
    const message = memberMessage.safeParse(said.message)
    if (message.data?.kind === 'picture') peer.pictured(frame)
    else peer.counted(frame, sealed.subject === subjectOfAll(this.#names))
    if (!message.success) return false
    const sentAt = peer.clock.sentAt(frame.at, this.#deps.clock.monotonicMs())
    this.#events.message(head.member, message.data, sentAt)
    return true
  }

  #fromStranger(head: FrameHead, sealed: { subject: string; bytes: Uint8Array }): boolean {
    const known = this.#strangers.known(head)
    const isOpened = known === undefined ? this.#takeStrangerFrame() : head.counter > known.counter
    if (!isOpened) return false
    const key = known?.key ?? runKey(this.#deps.membership.secret, head)
    const frame = opened(key, sealed)
    if (frame === undefined) return false
    this.#strangers.met(head, key, head.counter)
    const { said } = frame
    const challengedMs = said.kind === 'answer' ? this.#strangers.proved(head, said.to) : undefined
    if (said.kind === 'answer' && challengedMs !== undefined) {
      const { protocol } = frame
      if (head.member === this.#self.member) this.#events.copied()
      else if (protocol !== DESK_PROTOCOL) this.#strangers.setForeign(head, { name: said.name, protocol })
      else if (!this.#believe(head, key, { frame, challengedMs })) return false
    }
    const foreign = this.#strangers.foreign(head)
    if (foreign !== undefined) this.#events.otherProtocol(head.member, foreign)
    this.#heardFrom(head, said)
    this.#challenge(head)
    return true
  }

  /** Sends a challenge to a stranger, unless it got one a moment ago or the limit of answers is reached. */
  #challenge(run: MemberRun): void {
    const challenge = this.#strangers.challenge(run)
    if (challenge !== undefined && this.#takeAnswer())
      this.#send(subjectOfMember(this.#names, run.member), { kind: 'hello', challenge })
  }

  /** Handles a goodbye or a challenge. These two may also come from strangers. */
  #heardFrom(run: MemberRun, said: LinkContent): void {
    if (said.kind === 'bye') this.#end(run, 'left')
    const challenge = said.kind === 'hello' || said.kind === 'answer' ? said.challenge : undefined
    if (challenge === undefined || !this.#takeAnswer()) return
    const back = this.#strangers.challenge(run)
    this.#send(subjectOfMember(this.#names, run.member), {
      kind: 'answer',
      to: challenge,
      ...(back !== undefined && { challenge: back }),
      name: this.#deps.membership.name,
    })
  }

  #believe(
    { member, run, counter }: FrameHead,
    key: KeyObject,
    proof: { frame: LinkFrame; challengedMs: number },
  ): boolean {
    const old = this.#peers.get(member)
    if (old === undefined && this.#peers.size >= MAX_MEMBERS - 1 && !this.#makeRoom()) return false
    this.#strangers.forget({ member, run })
    if (old !== undefined) this.#end(old.run, 'replaced')
    const { clock, random } = this.#deps
    const ask = () => this.#send(subjectOfMember(this.#names, member), { kind: 'ask' })
    this.#peers.set(
      member,
      new PeerRun({ run: { member, run }, key, counter, ...proof }, { clock, random, ask }),
    )
    this.#events.began(member, run)
    return true
  }

  /** Removes the member that has been silent longest, if the silence lasted at least `MAKES_ROOM_MS`. */
  #makeRoom(): boolean {
    const [quietest] = [...this.#peers.values()].sort((a, b) => a.heardMs - b.heardMs)
    if (quietest === undefined) return false
    if (this.#deps.clock.monotonicMs() - quietest.heardMs < MAKES_ROOM_MS) return false
    this.#end(quietest.run, 'left')
    return true
  }

  #end(run: MemberRun, why: 'left' | 'replaced'): void {
    this.#strangers.forget(run)
    this.#endedRuns.add(run.run)
    keepNewest(this.#endedRuns, MAX_ENDED)
    const peer = this.#peers.get(run.member)
    if (peer?.run.run !== run.run) return
    peer.end()
    this.#peers.delete(run.member)
    this.#events.ended(run.member, why)
  }
}

function opened(key: KeyObject, { subject, bytes }: { subject: string; bytes: Uint8Array }) {
  const plain = openFrame(key, bytes, subject)
  return plain && frameIn(plain)
}

/**
 * A token bucket that holds `most` tokens and gains `perSecond`. Each call takes one token, or returns false
 * if the bucket is empty.
 */
export function tokenBucket(
  clock: Pick<Clock, 'monotonicMs'>,
  { most, perSecond }: { readonly most: number; readonly perSecond: number },
): () => boolean {
  let left = most
  let atMs = clock.monotonicMs()
  return () => {
    const nowMs = clock.monotonicMs()
    left = Math.min(most, left + ((nowMs - atMs) / 1_000) * perSecond)
    atMs = nowMs
    if (left < 1) return false
    left -= 1
    return true
  }
}
