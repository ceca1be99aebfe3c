import type { Decision } from './decisions.ts'
import type { Scheduler } from './scheduler.ts'

/**
 * Port through which a gateway asks for turns. Without a desk, this is the gateway's own scheduler. With a
 * desk, the desk's dispatcher gives the turns, and the scheduler still keeps the waiting requests.
 */
export type Turns = Pick<
  Scheduler,
  'offer' | 'goAtOnce' | 'answered' | 'refreshed' | 'drop' | 'refuseWaiting' | 'due' | 'turnAtMs'
>

/** Access to a gateway's own scheduler, for a desk. */
export interface LocalTurns {
  readonly scheduler: Scheduler
  /** Time on the scheduler's clock, in milliseconds. */
  readonly now: () => number
  /** Carries out decisions that no call of `Turns` returns, such as the decisions after a grant arrived. */
  readonly apply: (decisions: readonly Decision[]) => void
}

/** Turns from a desk. After `leave`, the gateway's own scheduler decides again. */
export interface DeskTurns extends Turns {
  /**
   * Checks whether an upstream request may still be sent after a delay. Returns `undefined` if it may. If its
   * turn has lapsed, returns the decisions that put the request back in its former place in the queue.
   */
  lapsed(upstream: number, nowMs: number): readonly Decision[] | undefined
  leave(): void
}

/** Connects a gateway's scheduler to the queue of a desk. */
export type JoinQueue = (local: LocalTurns) => DeskTurns
