import { refusalText } from '../../app/conditions/messages/desk.ts'
import type { DeskRefusal } from '../../app/contract/desk.ts'
import type { KeyReport } from '../../app/contract/events.ts'
import type { Clock } from '../ports/ports.ts'
import type { Engine } from './engine.ts'

export interface DeskTroubleDeps {
  readonly engine: Pick<Engine, 'state'>
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly report: (report: KeyReport) => void
  readonly changed: () => void
}

/** Silence after which a member counts as lost, in milliseconds. */
export const LOST_AFTER_MS = 5_000
/** How long the first connection to the server may take before that is reported, in milliseconds. */
const CONNECTS_WITHIN_MS = 3_000

/** Why this machine, or another one, is left out of the desk. Each trouble is reported once, and its end. */
export class DeskTrouble {
  readonly #deps: DeskTroubleDeps
  readonly #startedMs: number
  #refused: DeskRefusal | undefined
  /** The member with another version of the protocol that was heard last, and when; monotonic ms. */
  #mismatch: { readonly refusal: DeskRefusal; readonly atMs: number } | undefined
  /** What was reported last: the code of a refusal, `unreachable`, or nothing. */
  #told = ''
  #wasReachable = false

  constructor(deps: DeskTroubleDeps) {
    this.#deps = deps
    this.#startedMs = deps.clock.monotonicMs()
  }

  /** Whether this machine does not belong to the desk any more. */
  get isRefused(): boolean {
    return this.#refused !== undefined
  }

  /** Whether this machine is refused, or the member with another version that was heard last. */
  get refusal(): DeskRefusal | undefined {
    const { refusal, atMs } = this.#mismatch ?? { atMs: Number.NEGATIVE_INFINITY }
    const isHeard = this.#deps.clock.monotonicMs() - atMs < LOST_AFTER_MS
    return this.#refused ?? (isHeard ? refusal : undefined)
  }

  /** The trouble in words; `undefined` if there is none. */
  get why(): string | undefined {
    const { refusal } = this
    return refusal ? refusalText(refusal) : this.#deps.engine.state.refusal?.message
  }

  refuse(refusal: DeskRefusal): void {
    this.#refused = refusal
    this.tell()
  }

  /** Another member can't be understood. The desk continues without it. */
  mismatched(refusal: DeskRefusal): void {
    this.#mismatch = { refusal, atMs: this.#deps.clock.monotonicMs() }
    this.tell()
  }

  /** Reports a trouble that began or ended. To be called when something changed, and once a second. */
  tell(): void {
    const { engine, report, changed } = this.#deps
    const { refusal } = this
    this.#wasReachable ||= engine.state.reachable
    const trouble = refusal?.code ?? (engine.state.reachable || this.#isConnecting ? '' : 'unreachable')
    if (trouble !== this.#told) {
      this.#told = trouble
      const why = this.why ?? 'The server doesn’t respond.'
      if (trouble === '') report({ kind: 'desk-back' })
      else report({ kind: 'desk-alone', why, ...(refusal && { refusal: refusal.code }) })
    }
    changed()
  }

  get #isConnecting(): boolean {
    return !this.#wasReachable && this.#deps.clock.monotonicMs() - this.#startedMs < CONNECTS_WITHIN_MS
  }
}
