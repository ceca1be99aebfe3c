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
  /** Whether the service itself responded 200 since the last sign-in. */
  #confirmed = false
  /** Whether a user may have requested the revocation since the last sign-in. */
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
    // A sign-in that was not stored is lost with the process, so an earlier revocation is still confirmed.
    this.#confirmed ||= isRevoked
    // A revocation that such a sign-in cancelled is pending again, because the disk still contains the
    // request.
    this.#isWanted ||= isPending
    this.#asked = isPending ? { atMs: monotonicMs } : undefined
  }

  /**
   * If the response to a refresh was lost (`isAnswerLost`), the newest token is unknown. A refresh is then
   * allowed, because only the newest token can be revoked for certain.
   */
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

  /** `living`: number of refresh tokens that the service would still accept. */
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
