import type { Mutant } from './registry.ts'

const LAWS_TEST = 'app/plan/verdict-laws.test.ts'
const VERDICT_TEST = 'app/plan/verdict.test.ts'
const REPLAY_TEST = 'app/plan/replay.test.ts'
const PLAINLY_TEST = 'app/plan/replay-plainly.test.ts'
const RUNNING_TEST = 'app/plan/running.test.ts'
const WHAT_IF_TEST = 'app/plan/what-if.test.ts'
const DEMAND = 'app/plan/demand.ts'
const WAITS = 'app/plan/waits.ts'
const REPLAY = 'app/plan/replay.ts'
const RUNNING = 'app/plan/running.ts'
const WHAT_IF = 'app/plan/what-if.ts'

/** Mutants of whether a set of programs fits a key, who waits, and what a day of it would be. */
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
    promise: 'L1',
    what: 'forget what is kept back',
    file: DEMAND,
    find: 'const reserve = onlyCritical ? 0 : levels.normal - 1',
    replace: 'const reserve = onlyCritical ? 0 : Math.min(0, levels.normal - 1)',
    test: VERDICT_TEST,
  },
  {
    promise: 'L1',
    what: 'ask a reserve of programs that are all critical',
    file: DEMAND,
    find: 'const reserve = onlyCritical ? 0 : levels.normal - 1',
    replace: 'const reserve = onlyCritical ? levels.normal - 1 : levels.normal - 1',
    test: LAWS_TEST,
  },
  {
    promise: 'L1',
    what: 'let a wait end as if no other program asked meanwhile',
    file: WAITS,
    find: 'const freePerSecond = capacityPerSecond - totalRate(before) - totalRate(beside)',
    replace: 'const freePerSecond = capacityPerSecond - 0 * (totalRate(before) + totalRate(beside))',
    test: LAWS_TEST,
  },
  {
    promise: 'L1',
    what: 'forget the level at which a class may send',
    file: WAITS,
    find: 'lacks.push(totalBurst(demands) + levels[own] - limit)',
    replace: 'lacks.push(totalBurst(demands) + 0 * levels[own] - limit)',
    test: LAWS_TEST,
  },
  {
    promise: 'L1',
    what: 'count equal streams each',
    file: 'app/plan/verdict.ts',
    find: 'fits: use.shared + use.elsewhere <= use.limit',
    replace: 'fits: use.streams + use.elsewhere <= use.limit',
    test: VERDICT_TEST,
  },
  {
    promise: 'L1',
    what: 'forget the slots that others hold',
    file: 'app/plan/verdict.ts',
    find: 'fits: use.shared + use.elsewhere <= use.limit',
    replace: 'fits: use.shared + 0 * use.elsewhere <= use.limit',
    test: VERDICT_TEST,
  },
  {
    promise: 'L1',
    what: 'take a burst for a rate that lasts, and refuse what would wait',
    file: 'app/gateway/bucket-queue.ts',
    find: '<= byMs || this.turnOf(waiting, nowMs) <= byMs',
    replace: '<= byMs || this.turnOf(waiting, nowMs) <= nowMs',
    test: LAWS_TEST,
  },
  {
    promise: 'L2',
    what: 'count a wait from the beginning of the day',
    file: REPLAY,
    find: 'this.#waitsOf(request).sentMs.push(request.waitedMs)',
    replace: 'this.#waitsOf(request).sentMs.push(nowMs)',
    test: REPLAY_TEST,
  },
  {
    promise: 'L2',
    what: 'let a request go ahead of those that wait',
    file: 'app/gateway/bucket-queue.ts',
    find: 'if (this.#size > 0) return false',
    replace: 'if (this.#size > 1_000_000) return false',
    test: PLAINLY_TEST,
  },
  {
    promise: 'L2',
    what: 'let a service give back twice what it does',
    file: 'app/plan/rolling-bucket.ts',
    find: '(seconds * this.#limit) / this.#periodSeconds',
    replace: '(2 * seconds * this.#limit) / this.#periodSeconds',
    test: REPLAY_TEST,
  },
  {
    promise: 'L2',
    what: 'leave a recorded rate as it was where a person raised it',
    file: WHAT_IF,
    find: 'return was > 0 ? is / was : 1',
    replace: 'return was > 0 && is < 0 ? is / was : 1',
    test: WHAT_IF_TEST,
  },
  {
    promise: 'L3',
    what: 'count the requests of programs as Headroom’s own once more',
    file: RUNNING,
    find: 'return requestsOf(category, (use?.own ?? 0) - byPrograms)',
    replace: 'return requestsOf(category, (use?.own ?? 0) - 0 * byPrograms)',
    test: RUNNING_TEST,
  },
  {
    promise: 'L3',
    what: 'take the estimate of others as a fact',
    file: 'app/plan/plan-words.ts',
    find: 'if (!atMost.fits)',
    replace: 'if (!verdict.fits && !atMost.fits)',
    test: RUNNING_TEST,
  },
  {
    promise: 'L3',
    what: 'forget slots of streams that are not known by name',
    file: RUNNING,
    find: 'elsewhere + Math.max(0, held - named(category))',
    replace: 'elsewhere + Math.min(0, held - named(category))',
    test: RUNNING_TEST,
  },
  {
    promise: 'L3',
    what: 'take what others use from a file',
    file: 'renderer/state/plan-draft.ts',
    find: '...file.programs.filter(({ name }) => name !== OTHERS_NAME),',
    replace: '...file.programs.filter(({ name }) => name !== OWN_NAME),',
    test: 'renderer/state/plan-draft.test.ts',
  },
  {
    promise: 'L3',
    what: 'claim a day from a few recorded minutes',
    file: 'app/plan/plan-words.ts',
    find: 'minutes < LEAST_DAY_MINUTES\n',
    replace: 'minutes < 0 * LEAST_DAY_MINUTES\n',
    test: 'app/plan/plan-words.test.ts',
  },
]
