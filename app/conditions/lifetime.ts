import { kindRow } from './kinds.ts'

/**
 * Start and end of a lasting condition, for its events and its alert.
 *
 * A condition ends after it was absent for the recovery time of its kind. If it reappears earlier, it
 * continues.
 */
export class Lifetime {
  /** Epoch ms. */
  readonly sinceMs: number
  readonly #recoverMs: number
  #absentSinceMs: number | undefined

  /** The recovery time of a kind without alerts is 0. */
  constructor(kind: string, sinceMs: number) {
    this.sinceMs = sinceMs
    this.#recoverMs = kindRow(kind)?.alert?.recoverMs ?? 0
  }

  get isPresent(): boolean {
    return this.#absentSinceMs === undefined
  }

  /** Records that the condition is present, or may be. */
  seen(): void {
    this.#absentSinceMs = undefined
  }

  /** Records that the condition is absent at `atMs`, epoch ms. Returns whether it has ended. */
  missed(atMs: number): boolean {
    this.#absentSinceMs ??= atMs
    return atMs - this.#absentSinceMs >= this.#recoverMs
  }

  /** Whether the condition continues if it reappears at `atMs`, epoch ms. If not, it is a new condition. */
  isSame(atMs: number): boolean {
    return this.#absentSinceMs === undefined || atMs - this.#absentSinceMs <= this.#recoverMs
  }
}
