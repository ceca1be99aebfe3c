import { NO_DISPATCHER, refusalText, TOO_SLOW } from '../../app/conditions/messages/desk.ts'
import type { DeskRefusal } from '../../app/contract/desk.ts'
import type { KeyReport } from '../../app/contract/events.ts'
import { type QueueSummary, TAKE_OVER_MS } from '../../app/desk/queue-ports.ts'
import type { Clock } from '../ports/ports.ts'
import { type Engine, noResponseText } from './engine.ts'

export interface DeskTroubleDeps {
  readonly engine: Pick<Engine, 'state'>
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** The desk's queue, as this machine sees it. `undefined` once the desk rejects this machine. */
  readonly queue: () => QueueSummary | undefined
  readonly report: (report: KeyReport) => void
  readonly changed: () => void
}

/**
 * Silence after which a member counts as lost, in milliseconds. Members report each second and are checked
 * each second, so a member that was killed is lost within 5.5 s. The promise is 6 s.
 */
export const LOST_AFTER_MS = 4_500
/**
 * How long the first connection to the server may take, in milliseconds. The server is not reported as
 * unreachable before this time has passed.
 */
const CONNECTS_WITHIN_MS = 3_000
/**
 * A lost server is reported together with the reason, or after this many milliseconds if the reason is still
 * unknown. The attempt to reconnect usually finds the reason at once.
 */
const REASON_WITHIN_MS = 1_000
/**
 * A missing dispatcher is reported after this time, in milliseconds. If the server is the cause, the engine
 * notices it sooner.
 */
const NOTICED_AFTER_MS = 2_000

/**
 * Why this or another machine does not take part in the desk. Each problem is reported when it begins and
 * when it ends.
 */
export class DeskTrouble {
  readonly #deps: DeskTroubleDeps
  readonly #startedMs: number
  #refused: DeskRefusal | undefined
  /**
   * The latest message from a member with another version of the protocol. `atMs`: when it arrived, monotonic
   * ms.
   */
  #mismatch: { readonly refusal: DeskRefusal; readonly atMs: number } | undefined
  /**
   * The problem that was reported last: the code of a refusal, `unreachable`, `no-turns`, or an empty text.
   * `undefined` at first: an earlier run of the desk may have reported a problem that has ended.
   */
  #told: string | undefined
  #wasReachable = false
  /** When the server was lost, monotonic ms. `undefined` while it is reachable or was never reached. */
  #lostMs: number | undefined

  constructor(deps: DeskTroubleDeps) {
    this.#deps = deps
    this.#startedMs = deps.clock.monotonicMs()
  }

  /** Whether this machine no longer belongs to the desk. */
  get isRefused(): boolean {
    return this.#refused !== undefined
  }

  /**
   * Why the desk rejects this machine. Otherwise, which present member uses another version of the protocol,
   * so that its messages can't be read.
   */
  get refusal(): DeskRefusal | undefined {
    const { refusal, atMs } = this.#mismatch ?? { atMs: Number.NEGATIVE_INFINITY }
    const isHeard = this.#deps.clock.monotonicMs() - atMs < LOST_AFTER_MS
    return this.#refused ?? (isHeard ? refusal : undefined)
  }

  /**
   * Whether the server is unreachable, or this machine has worked alone for longer than a take-over lasts. A
   * machine whose messages are too slow waits for no take-over.
   */
  get isAlone(): boolean {
    return !this.#deps.engine.state.reachable || this.#aloneMs > (this.#isLate ? 0 : TAKE_OVER_MS)
  }

  /** The problem in words. `undefined` if there is no problem. */
  get why(): string | undefined {
    const { refusal } = this
    if (refusal) return refusalText(refusal)
    const { reachable, refusal: refused, server } = this.#deps.engine.state
    if (reachable) return this.isAlone ? this.#aloneWhy : undefined
    return refused?.message ?? (this.#isReasonAwaited ? undefined : noResponseText(server))
  }

  refuse(refusal: DeskRefusal): void {
    this.#refused = refusal
    this.tell()
  }

  /** Records that another member can't be understood. The desk continues without that member. */
  mismatched(refusal: DeskRefusal): void {
    this.#mismatch = { refusal, atMs: this.#deps.clock.monotonicMs() }
    this.tell()
  }

  /** Reports a problem that began or ended. Call this after each change, and once a second. */
  tell(): void {
    const { engine, report, changed } = this.#deps
    const { reachable } = engine.state
    const { refusal } = this
    this.#wasReachable ||= reachable
    if (reachable) this.#lostMs = undefined
    else if (this.#wasReachable) this.#lostMs ??= this.#deps.clock.monotonicMs()
    if (refusal === undefined && this.#isReasonAwaited) return
    // A late machine tries to take turns again from time to time. That alone is no recovery.
    const getsNoTurns = this.#isLate || this.#aloneMs > NOTICED_AFTER_MS
    const trouble = refusal?.code ?? (reachable ? (getsNoTurns ? 'no-turns' : '') : 'unreachable')
    if (trouble !== this.#told) {
      this.#told = trouble
      const { why = this.#aloneWhy } = this
      const more = refusal ? { refusal: refusal.code } : reachable && { reachable }
      if (trouble === '') report({ kind: 'desk-back' })
      else report({ kind: 'desk-alone', why, ...more })
      changed()
    }
  }

  get #isLate(): boolean {
    return this.#deps.queue()?.isLate === true
  }

  /** Why this machine gets no turns although the server is reachable. */
  get #aloneWhy(): string {
    return this.#deps.queue()?.dispatcher === undefined ? NO_DISPATCHER : TOO_SLOW
  }

  /** How long this machine has worked alone, in milliseconds. */
  get #aloneMs(): number {
    const { clock, queue } = this.#deps
    const nowMs = clock.monotonicMs()
    return nowMs - (queue()?.aloneSinceMs ?? nowMs)
  }

  /** Whether the engine is still connecting, or has just lost the server and does not know the reason yet. */
  get #isReasonAwaited(): boolean {
    const { reachable, refusal } = this.#deps.engine.state
    if (reachable) return false
    const nowMs = this.#deps.clock.monotonicMs()
    if (!this.#wasReachable) return nowMs - this.#startedMs < CONNECTS_WITHIN_MS
    return refusal === undefined && nowMs - (this.#lostMs ?? nowMs) < REASON_WITHIN_MS
  }
}
