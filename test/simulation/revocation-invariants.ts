import type { MonitorEvent } from '../../app/contract/events.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { HttpOutcome } from '../../main/ports/ports.ts'
import { violation } from './violation.ts'
import type { OnDisk } from './virtual-disk.ts'

/** R3: this long after a revocation was requested, no stream of the key is open. */
const STREAMS_END_MS = 2_000

/** R1 to R4 of the promises. */
export class RevocationInvariants {
  checked = 0
  #asked: { readonly atMs: number } | undefined
  /** The service itself answered 200 since the last sign-in. */
  #confirmed = false
  /** There was no new sign-in since a user may have requested the revocation. */
  #isWanted = true

  asked(monotonicMs: number): void {
    this.#asked ??= { atMs: monotonicMs }
    this.#isWanted = true
  }

  signedIn(): void {
    this.#asked = undefined
    this.#confirmed = false
    this.#isWanted = false
  }

  restarted(
    { isRevocationPending: isPending, isRevoked }: Pick<OnDisk, 'isRevocationPending' | 'isRevoked'>,
    monotonicMs: number,
  ): void {
    // A sign-in that the disk did not take is gone, and what it replaced still reads as it did.
    this.#confirmed ||= isRevoked
    // A revocation that it cancelled is gone too. The disk contains the last request.
    this.#isWanted ||= isPending
    this.#asked = isPending ? { atMs: monotonicMs } : undefined
  }

  /** `isAnswerLost`: which token is the newest is not known, and only that one can be revoked for certain. */
  refreshAsked(isAnswerLost: boolean): void {
    if (this.#asked !== undefined && !isAnswerLost) violation('a refresh was sent after the revocation')
  }

  resourceAsked(path: string): void {
    this.checked += 1
    if (this.#asked !== undefined) violation(`${path} was asked after the revocation`)
  }

  revokeAsked(): void {
    this.checked += 1
    if (!this.#isWanted)
      violation('a revocation that nobody waits for was sent, and would end a newer sign-in')
  }

  revokeDone(outcome: HttpOutcome): void {
    if (outcome.kind === 'answer' && outcome.status === 200 && outcome.body === '') this.#confirmed = true
  }

  /** `living`: the refresh tokens that the service would honour. */
  told(event: MonitorEvent, living: () => number): void {
    if (event.kind !== 'revoked') return
    this.checked += 1
    if (!this.#confirmed) violation('"revoked" was told without a 200')
    if (living() > 0) violation('"revoked" was told while a refresh token lives')
  }

  seen({ refresh }: Snapshot, openLines: number, monotonicMs: number): void {
    this.checked += 1
    if (refresh.state === 'revoked' && !this.#confirmed) violation('"revoked" is shown without a 200')
    if (this.#asked !== undefined && monotonicMs - this.#asked.atMs > STREAMS_END_MS && openLines > 0) {
      violation(`${openLines} streams are open after the revocation`)
    }
  }
}
