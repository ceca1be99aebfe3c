import type { Mutant } from './registry.ts'

const STATUS = 'app/status/quota-status.ts'
const KEY = 'app/conditions/key-status.ts'
const CONDITIONS = 'app/conditions/evaluate.ts'
const CONDITIONS_TEST = 'app/conditions/conditions.test.ts'
const SURFACES_TEST = 'app/conditions/surfaces.test.ts'

/** Mutants of a state's name, its colour and its stated duration, which are the same on every surface. */
export const STATUS_MUTANTS: readonly Mutant[] = [
  {
    promise: 'Q12',
    what: 'call a quota empty that has something left in one case of three',
    file: 'app/quota/state.ts',
    find: 'const EMPTY_CHANCE = 0.9',
    replace: 'const EMPTY_CHANCE = 0.6',
  },

  {
    promise: 'Q5',
    what: 'call the service reachable before it was asked',
    file: 'main/monitor/profile-snapshot.ts',
    find: 'return reachability.hasAnswered(host)',
    replace: 'return reachability.hasAnswered(host) || host.length > 0',
    test: 'main/monitor/unreachable-hosts.test.ts',
    found: 'A service counted as reachable before it had ever answered',
    tests: [
      'is neither reachable nor unreachable',
      'is unreachable from its first failure',
      ['main/metrics/metrics.test.ts', 'a Prometheus parser reads every number'],
    ],
  },

  {
    promise: 'Q9',
    what: 'tell the best case as what is left',
    file: 'app/status/quota-status.ts',
    find: '= [percent(low), percent(high)]',
    replace: '= [percent(high), percent(high)]',
    found: 'A sentence showed the middle of an estimate as what is left: 21 % of a range from 0 to 69',
    tests: ['the share left is the lower bound, or a range'],
  },

  {
    promise: 'C4',
    what: 'colour a row that nobody has checked as a healthy one',
    file: STATUS,
    find: "return as('unknown')",
    replace: "return as('ok')",
    test: SURFACES_TEST,
  },

  {
    promise: 'C2',
    what: 'lead with what follows from a cause that is open',
    file: CONDITIONS,
    find: 'roots: all.filter((one) => !isExplained(one))',
    replace: 'roots: [...all]',
    test: CONDITIONS_TEST,
  },
  {
    promise: 'C2',
    what: 'call a token rejected that the sign-in host can’t renew',
    file: CONDITIONS,
    find: 'problem.status === 401 && isWhole,',
    replace: 'problem.status === 499 && isWhole,',
    test: 'e2e/two-causes.spec.ts',
    grep: 'then the token rejected',
  },
  {
    promise: 'C1',
    what: 'leave the last state of rows that can’t be checked',
    file: 'main/monitor/profile-snapshot.ts',
    find: 'if (!isStopped(conditions)) return snapshot',
    replace: 'if (!isStopped(conditions) || snapshot.at > 0) return snapshot',
    test: 'e2e/bad-days.spec.ts',
    grep: 'the service alone unreachable',
  },
  {
    promise: 'C1',
    what: 'call the quotas of a key ok that cannot call',
    file: KEY,
    find: 'if (stopped || rows.length === 0) return unchecked',
    replace: 'if (rows.length === 0) return unchecked',
  },

  {
    promise: 'C3',
    what: 'announce what an open cause explains',
    file: 'app/alerts/engine.ts',
    find: 'const effects = conditions.roots.flatMap(',
    replace: 'const effects = [...conditions.roots, ...conditions.consequences].flatMap(',
  },
]
