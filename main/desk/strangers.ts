import type { KeyObject } from 'node:crypto'
import { keepNewest } from '../../app/contract/newest.ts'
import type { Clock, RandomBytes } from '../ports/ports.ts'
import type { MemberRun } from './envelope.ts'

/** Maximum number of remembered strangers. */
const MAX_STRANGERS = 64
/**
 * `CHALLENGE_MS`: how long the answer to a challenge is accepted. `RETRY_CHALLENGE_MS`: minimum time between
 * two challenges to the same stranger. Milliseconds.
 */
const CHALLENGE_MS = 5_000
const RETRY_CHALLENGE_MS = 1_000
const CHALLENGE_BYTES = 16

interface Challenge {
  readonly nonce: string
  readonly atMs: number
}

/**
 * A run of a member's app that has sealed a frame with the desk's secret. The frame may be an old recording.
 */
interface Stranger {
  readonly key: KeyObject
  counter: number
  challenge?: Challenge
  /** Present if the stranger is alive, but uses another version of the protocol. */
  foreign?: Foreign
}

/** A member whose messages this version can't read. */
export interface Foreign {
  readonly name: string
  readonly protocol: number
}

interface StrangersParts {
  readonly clock: Clock
  readonly randomBytes: RandomBytes
}

/**
 * Runs of members' apps that have not answered a challenge, or use another version of the protocol. The
 * frames of an ended run can be recorded and sent again. Such a run can't answer a challenge, so it remains
 * here until newer strangers displace it.
 */
export class Strangers {
  readonly #known = new Map<string, Stranger>()
  readonly #parts: StrangersParts
  /** The last challenge that was sent to all members. */
  #toAll: Challenge | undefined

  constructor(parts: StrangersParts) {
    this.#parts = parts
  }

  /** The key and the highest counter of a stranger. `undefined` before its first frame was opened. */
  known({ run }: MemberRun): { readonly key: KeyObject; readonly counter: number } | undefined {
    return this.#known.get(run)
  }

  /** Called when a frame of this stranger was opened. */
  met({ run }: MemberRun, key: KeyObject, counter: number): void {
    const known = this.#known.get(run)
    if (known !== undefined) {
      known.counter = counter
      return
    }
    this.#known.set(run, { key, counter })
    keepNewest(this.#known, MAX_STRANGERS)
  }

  /** A new challenge for all members. */
  challengeAll(): string {
    this.#toAll = this.#newChallenge()
    return this.#toAll.nonce
  }

  /**
   * A new challenge for this stranger. `undefined` if it was challenged a moment ago, or uses another
   * protocol.
   */
  challenge({ run }: MemberRun): string | undefined {
    const stranger = this.#known.get(run)
    if (stranger === undefined || stranger.foreign !== undefined) return undefined
    const { challenge } = stranger
    if (challenge !== undefined && this.#ageOf(challenge) < RETRY_CHALLENGE_MS) return undefined
    stranger.challenge = this.#newChallenge()
    return stranger.challenge.nonce
  }

  /**
   * When the challenge with this nonce was sent. `undefined` if this stranger got no such challenge recently.
   */
  proved({ run }: MemberRun, nonce: string): number | undefined {
    const asked = [this.#known.get(run)?.challenge, this.#toAll]
    return asked.find((challenge) => challenge?.nonce === nonce && this.#ageOf(challenge) <= CHALLENGE_MS)
      ?.atMs
  }

  /** Forgets a stranger that has become a `PeerRun`, or whose app has ended. */
  forget({ run }: MemberRun): void {
    this.#known.delete(run)
  }

  /** Records that the stranger is alive, but uses another version of the protocol. */
  setForeign({ run }: MemberRun, foreign: Foreign): void {
    const stranger = this.#known.get(run)
    if (stranger !== undefined) stranger.foreign = foreign
  }

  /** The stranger's name and protocol version, if the stranger is alive but uses another version. */
  foreign({ run }: MemberRun): Foreign | undefined {
    return this.#known.get(run)?.foreign
  }

  #newChallenge(): Challenge {
    const { clock, randomBytes } = this.#parts
    const nonce = Buffer.from(randomBytes(CHALLENGE_BYTES)).toString('hex')
    return { nonce, atMs: clock.monotonicMs() }
  }

  #ageOf({ atMs }: Challenge): number {
    return this.#parts.clock.monotonicMs() - atMs
  }
}
