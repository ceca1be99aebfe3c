import type { Mutant } from './registry.ts'

const HOLDS = 'main/api/row-holds.ts'
const TAP_TEST = 'main/api/quota-tap.test.ts'

/** Mutants of the quota model, and of code that depends on it: checks, and waiting after a 429. */
export const QUOTA_MUTANTS: readonly Mutant[] = [
  {
    promise: 'Q8',
    what: 'take others at random times for a poller',
    file: 'app/quota/poller-search.ts',
    find: 'first.logOdds < clear + Math.log(tried)',
    replace: 'first.logOdds < 1',
    test: 'app/quota/others-poller.test.ts',
  },

  {
    promise: 'Q6',
    what: 'go on with a chosen interval while programs bring headers',
    file: 'app/quota/probe-plan.ts',
    find: '(isOwnHeader ? lastMs : sinceMs)',
    replace: '(isOwnHeader ? lastMs : Math.min(lastMs, sinceMs))',
    test: 'main/api/prober.test.ts',
    found: 'Checks with a chosen interval continued while programs received headers',
    tests: ['an own interval is measured between own checks, and pauses while programs receive headers'],
  },

  {
    promise: 'Q7',
    what: 'count down to a retry that others make fail',
    file: 'app/quota/view.ts',
    find: 'const nextTryAt = isBlocked ? nextTryAtMs : undefined',
    replace: 'const nextTryAt = isBlocked ? undefined : nextTryAtMs',
    test: 'main/api/quota-tap.test.ts',
    found:
      'The time to retry after a 429 moved with each further one, and never came, with others in a storm',
    tests: [
      'the next 429 with Remaining 0 removes the time to retry, and no later one sets another',
      'a 429 of a request that was already in flight leaves the shown time to retry unchanged',
      ['app/status/quota-status.test.ts', 'shows no countdown while others use the whole refill'],
    ],
  },

  {
    promise: 'Q1',
    what: 'invert the rate of replenishment',
    file: 'app/quota/window-model.ts',
    find: "model === 'rolling' ? limit / periodMs : 0",
    replace: "model === 'rolling' ? periodMs / limit / 1e6 : 0",
    test: 'app/quota/bucket-bounds.test.ts',
  },

  {
    promise: 'Q2',
    what: 'compare points instead of bounds',
    file: 'app/quota/bucket.ts',
    find: 'const proved = !isFirst && level.low - inFlight - shownThen > TOLERANCE',
    replace: 'const proved = !isFirst && (level.low + level.high) / 2 - (low + shownThen) / 2 > TOLERANCE',
    test: 'app/quota/bucket-elsewhere.test.ts',
  },

  {
    promise: 'Q3',
    what: 'fix the model at start',
    file: 'app/quota/window-model.ts',
    find: "return rolls ? ROLLING : { model: 'fixed', window: shown }",
    replace: "return rolls || shown ? ROLLING : { model: 'fixed', window: shown }",
    test: 'app/quota/bucket.test.ts',
  },
  {
    promise: 'Q4',
    what: 'parse numbers without a check',
    file: 'app/service/headers.ts',
    find: 'if (value >= least && value <= most) return value',
    replace: 'if (!(value < least && value > most)) return Number.parseFloat(text)',
  },
  {
    promise: 'Q5',
    what: 'drop when a number was seen: its age is that of the snapshot',
    file: 'app/quota/view.ts',
    find: 'row.observedAt = Math.round(seen.atMs)',
    replace: 'row.observedAt = Math.round(nowMs)',
    test: 'simulation/ages.test.ts',
  },

  {
    promise: 'Q6',
    what: 'probe into a held bucket',
    file: 'app/quota/probe-plan.ts',
    find: 'if (row.blockedUntil !== undefined) {',
    replace: 'if (row.blockedUntil !== undefined && row.blockedUntil < 1) {',
    test: 'main/api/prober.test.ts',
  },

  {
    promise: 'Q9',
    what: 'forget use elsewhere after a period without a header',
    file: 'app/quota/bucket.ts',
    find: 'return this.#isMeasured ?',
    replace: 'return this.#isMeasured && nowMs - this.#headerAtMs <= this.periodMs ?',
    test: 'app/quota/bucket-elsewhere.test.ts',
  },
  {
    promise: 'Q8',
    what: 'the same, seen by half an hour of the product’s own parts',
    file: 'app/quota/bucket.ts',
    find: 'Math.max(0, overflowed - this.#overflowed), left)',
    replace: '0, left)',
    test: 'bench/truth/truth-small.test.ts',
  },

  {
    promise: 'Q9',
    what: 'warn of an emptying only where nothing speaks against it',
    file: 'app/quota/state.ts',
    find: 'reading.emptyChanceByPresent >= part * RUNNING_OUT_CHANCE',
    replace: 'reading.emptyChanceByPresent >= Math.max(0.9999, RUNNING_OUT_CHANCE)',
    test: 'bench/truth/truth-small.test.ts',
  },
  {
    promise: 'Q9',
    what: 'end a warning as soon as its condition is false for a moment',
    file: 'app/quota/state.ts',
    find: 'beforeMilder: 45_000',
    replace: 'beforeMilder: 0',
  },
  {
    promise: 'Q9',
    what: 'take the refill that an empty quota accepted for the rate of the load that emptied it',
    file: 'app/history/usual-day.ts',
    find: 'if (!(mean < before / 2 && accepted >= before)) return 0',
    replace: 'if (!(mean < 0 && accepted >= before)) return 0',
  },
  {
    promise: 'Q10',
    what: 'spend the budget early where a row is in trouble',
    file: 'app/quota/probe-plan.ts',
    find: 'if (mayBeEarly) return',
    replace: "if (mayBeEarly || row.state !== 'ok') return",
    test: 'bench/truth/truth-small.test.ts',
  },

  {
    promise: 'Q7',
    what: 'hold every category',
    file: HOLDS,
    find: '    ledger.hold(category, { untilMs, refusals, byOthers })\n    const retryAtMs',
    replace:
      '    for (const row of ledger.view(now)) ledger.hold(row.category, { untilMs, refusals, byOthers })\n    const retryAtMs',
    test: TAP_TEST,
  },
]
