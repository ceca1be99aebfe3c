import type { Mutant } from './registry.ts'

const LAWS_TEST = 'app/plan/verdict-laws.test.ts'
const RUNNING_TEST = 'app/plan/running.test.ts'
const DEMAND = 'app/plan/demand.ts'
const REPLAY = 'app/plan/replay.ts'

/**
 * Mutants of the planner: whether programs fit a key, how long they wait, and the replayed day.
 */
export const PLAN_MUTANTS: readonly Mutant[] = [
  {
    promise: 'L1',
    what: 'ask nothing of the rates',
    file: DEMAND,
    find: 'perSecond > capacityPerSecond * (1 + 1e-9)',
    replace: 'perSecond > capacityPerSecond * 10',
    test: LAWS_TEST,
  },

  {
    promise: 'L2',
    what: 'count a wait from the beginning of the day',
    file: REPLAY,
    find: 'this.#waitsOf(request).sentMs.push(request.waitedMs)',
    replace: 'this.#waitsOf(request).sentMs.push(nowMs)',
  },

  {
    promise: 'L3',
    what: 'take the estimate of others as a fact',
    file: 'app/plan/plan-words.ts',
    find: 'if (!atMost.fits)',
    replace: 'if (!verdict.fits && !atMost.fits)',
    test: RUNNING_TEST,
  },
]
