import type { Mutant } from './registry.ts'

const STATUS = 'app/status/quota-status.ts'
const KEY = 'app/status/key-status.ts'
const STATUS_TEST = 'app/status/quota-status.test.ts'
const KEY_TEST = 'app/status/key-status.test.ts'
const SURFACES_TEST = 'app/status/surfaces.test.ts'

/** Mutants of what a state is called, how it is coloured and how long it is said to last: once, for every surface. */
export const STATUS_MUTANTS: readonly Mutant[] = [
  {
    promise: 'Q5',
    what: 'go on calling a row ok after the process that pushes has stopped',
    file: STATUS,
    find: 'if (nowMs - quota.asOf <= OUTDATED_AFTER_MS) return quota.state',
    replace: 'if (nowMs - quota.asOf <= OUTDATED_AFTER_MS * 60) return quota.state',
    test: STATUS_TEST,
  },
  {
    promise: 'Q5',
    what: 'show the middle of an estimate that is known to half the limit as one number',
    file: STATUS,
    find: 'const RANGE_FROM = 0.1',
    replace: 'const RANGE_FROM = 0.6',
    test: STATUS_TEST,
  },
  {
    promise: 'Q5',
    what: 'colour a row that nobody has checked as a healthy one',
    file: STATUS,
    find: "return { state, severity: 'unseen', label, note: '' }",
    replace: "return { state, severity: 'ok', label, note: '' }",
    test: SURFACES_TEST,
  },
  {
    promise: 'Q5',
    what: 'tell an end more than a period ahead to the minute',
    file: STATUS,
    find: 'emptyAt - nowMs > period * 1000',
    replace: 'emptyAt - nowMs > 100 * period * 1000',
    test: STATUS_TEST,
  },
  {
    promise: 'Q5',
    what: 'round a safe pace to the fast side',
    file: STATUS,
    find: 'const tenths = Math.ceil(everySeconds * 10 - 1e-9)',
    replace: 'const tenths = Math.floor(everySeconds * 10)',
    test: STATUS_TEST,
  },
  {
    promise: 'Q5',
    what: 'say before its time that a refused request may be tried again',
    file: 'app/status/durations.ts',
    find: "return (rounding === 'down' ? Math.floor(left / step) : Math.ceil(left / step)) * step",
    replace: "return (rounding === 'down' ? Math.floor(left / step) : Math.floor(left / step)) * step",
    test: 'app/status/durations.test.ts',
  },
  {
    promise: 'Q5',
    what: 'call every quota fine though one is not checked any more',
    file: KEY,
    find: "const which = unchecked.length === 0 ? 'No quota' : 'No checked quota'",
    replace: "const which = unchecked.length >= 0 ? 'No quota' : 'No checked quota'",
    test: KEY_TEST,
  },
  {
    promise: 'Q5',
    what: 'keep a calm headline over a key that is dead',
    file: KEY,
    find: '  return key === undefined\n    ? quotas\n',
    replace: "  return key === undefined || quotas.severity === 'ok'\n    ? quotas\n",
    test: KEY_TEST,
  },
  {
    promise: 'Q5',
    what: 'tell an alert as it stood when it was raised',
    file: 'app/alerts/text.ts',
    find: '    stateSentence(row, nowMs),\n',
    replace: '    stateSentence(row, row.asOf),\n',
    test: 'app/alerts/text.test.ts',
  },
  {
    promise: 'Q5',
    what: 'call a silent stream live on every surface',
    file: 'app/status/stream-status.ts',
    find: "stale: { severity: 'watch', label: 'silent' }",
    replace: "stale: { severity: 'ok', label: 'live' }",
    test: SURFACES_TEST,
  },
  {
    promise: 'Q5',
    what: 'colour tokens in the terminal by other rules than in the window',
    file: 'main/hosts/terminal/table.ts',
    find: 'toneOf(refreshStatus(snapshot.refresh, nowMs).severity)',
    replace: "toneOf(refreshStatus({ ...snapshot.refresh, state: 'valid' }, nowMs).severity)",
    test: SURFACES_TEST,
  },
  {
    promise: 'Q2',
    what: 'take a category for probes that is never probed',
    file: 'main/hosts/terminal/category-flags.ts',
    find: 'categoryNumbers(text, PROBED_CATEGORIES, secondsBetween)',
    replace: 'categoryNumbers(text, [...PROBED_CATEGORIES, ...CATEGORIES], secondsBetween)',
    test: 'main/hosts/terminal/flag-values.test.ts',
  },
  {
    promise: 'Q2',
    what: 'never tell that others have stopped',
    file: 'app/quota/others-episodes.ts',
    find: 'if (quietSinceMs === undefined || nowMs - quietSinceMs < ENDED_AFTER_MS) return undefined',
    replace: 'if (quietSinceMs === undefined || nowMs - quietSinceMs < 1e9) return undefined',
    test: 'app/quota/others-episodes.test.ts',
  },
  {
    promise: 'Q2',
    what: 'tell use by others that is less than 2 % of the refill',
    file: 'app/quota/others-episodes.ts',
    find: 'const NOTABLE_SHARE = 0.02',
    replace: 'const NOTABLE_SHARE = 0.01',
    test: 'app/quota/others-episodes.test.ts',
  },
]
