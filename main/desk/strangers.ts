import type { Clock, RandomBytes } from '../ports/ports.ts'
import type { MemberRun } from './envelope.ts'

/** Runs that are remembered without proof that they are alive. */
const MAX_STRANGERS = 64
/** How long an answer to a challenge counts, and how long a new challenge waits, in milliseconds. */
const CHALLENGE_MS = 5_000
const RETRY_CHALLENGE_MS = 1_000
const CHALLENGE_BYTES = 16

interface Challenge {
  readonly nonce: string
  readonly atMs: number
}

/** A run that sealed a frame with the desk's secret, today or long ago. */
interface Stranger {
  readonly key: Uint8Array
  counter: number
  challenge?: Challenge
  /** It is alive, but has another protocol. */
  foreign?: Foreign
}

/** Whose messages this version can't understand. */
export interface Foreign {
  readonly name: string
  readonly protocol: number
}

interface StrangersParts {
  readonly clock: Clock
  readonly randomBytes: RandomBytes
}

/**
 * Runs that have not proved that they are alive. A recording of an old run can't answer a challenge, so it
 * stays here until newer strangers displace it.
 */
export class Strangers {
  readonly #known = new Map<string, Stranger>()
  readonly #parts: StrangersParts
  /** The challenge to all members. */
  #toAll: Challenge | undefined

  constructor(parts: StrangersParts) {
    this.#parts = parts
  }

  /** The key of a known run, and its highest counter so far. */
  known({ run }: MemberRun): { readonly key: Uint8Array; readonly counter: number } | undefined {
    return this.#known.get(run)
  }

  /** A frame of this run was opened. */
  met({ run }: MemberRun, key: Uint8Array, counter: number): void {
    const known = this.#known.get(run)
    if (known !== undefined) {
      known.counter = counter
      return
    }
    this.#known.set(run, { key, counter })
    if (this.#known.size <= MAX_STRANGERS) return
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest)
      return
    }
  }

  /** A new challenge for all members. */
  challengeAll(): string {
    this.#toAll = this.#newChallenge()
    return this.#toAll.nonce
  }

  /** A new challenge for this run; `undefined` if it has been asked a moment ago, or needs none. */
  challenge({ run }: MemberRun): string | undefined {
    const stranger = this.#known.get(run)
    if (stranger === undefined || stranger.foreign !== undefined) return undefined
    const { challenge } = stranger
    if (challenge !== undefined && this.#ageOf(challenge) < RETRY_CHALLENGE_MS) return undefined
    stranger.challenge = this.#newChallenge()
    return stranger.challenge.nonce
  }

  /** When the challenge that this run answered was sent; `undefined` if it proves nothing. */
  proved({ run }: MemberRun, nonce: string): number | undefined {
    const asked = [this.#known.get(run)?.challenge, this.#toAll]
    return asked.find((challenge) => challenge?.nonce === nonce && this.#ageOf(challenge) <= CHALLENGE_MS)
      ?.atMs
  }

  /** The run is known from here on, or has ended. */
  forget({ run }: MemberRun): void {
    this.#known.delete(run)
  }

  /** The run is alive, but can't be understood. */
  setForeign({ run }: MemberRun, foreign: Foreign): void {
    const stranger = this.#known.get(run)
    if (stranger !== undefined) stranger.foreign = foreign
  }

  /** What a run that is alive and can't be understood has said of itself. */
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
