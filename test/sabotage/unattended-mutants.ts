import type { Mutant } from './registry.ts'

/** Mutants of unattended runs, whose output other programs read. */
export const UNATTENDED_MUTANTS: readonly Mutant[] = [
  {
    promise: 'U1',
    what: 'show the simulator in place of saved keys',
    file: 'main/hosts/terminal/watch-command.ts',
    find: 'deps.mayHoldKeys(flags.data))',
    replace: 'deps.mayHoldKeys(flags.data) && flags.json === undefined)',
    found: '`headroom watch --data` on a folder with stored keys showed the simulator without a word',
    tests: ['saved keys are never replaced by the simulator'],
  },

  {
    promise: 'U1',
    what: 'write on to a reader that lags',
    file: 'main/hosts/terminal/bounded-lines.ts',
    find: 'const mayGoOn = () => isEnd || !isLagging',
    replace: 'const mayGoOn = () => isEnd || !isLagging || waiting.length > 0',
    test: 'main/hosts/terminal/node-terminal.test.ts',
  },

  {
    promise: 'M1',
    what: 'rename a metric that dashboards ask for',
    file: 'main/metrics/metric-list.ts',
    find: "'headroom_requests_empty_timestamp_seconds'",
    replace: "'headroom_requests_empties_timestamp_seconds'",
    test: 'prometheus/dashboard.test.ts',
  },
  {
    promise: 'M1',
    what: 'push metrics without their numbers',
    file: 'main/metrics/otlp-exporter.ts',
    find: 'attributes: labels, value })),',
    replace: 'attributes: labels, value: value * 0 })),',
    test: 'main/metrics/otlp.process.test.ts',
  },
  {
    promise: 'U2',
    what: 'start the app, and with it a refresh, before its port is held',
    file: 'main/hosts/terminal/run-browser.ts',
    find: '  const port = await claimed(args.port, deps)\n',
    replace: '  await deps.startApp(args)\n  const port = await claimed(args.port, deps)\n',
  },

  {
    promise: 'E1',
    what: 'disarm a formula at the beginning of a cell only, not after a semicolon within it',
    file: 'app/history/report-csv.ts',
    find: '/(^|[;,|"\\t\\r\\n])(\\s*)(?=[=+\\-@＝＋－＠])/g',
    replace: '/(^)(\\s*)(?=[=+\\-@＝＋－＠])/g',
    test: 'app/history/report.test.ts',
    found: 'A formula after a semicolon in a cell of an export was one to a spreadsheet',
    tests: ['no part of %j becomes a formula if a spreadsheet separates by semicolons or tabs'],
  },
  {
    promise: 'J1',
    what: 'write lines that do not say which version they are',
    file: 'main/hosts/terminal/json-lines.ts',
    find: 'JSON.stringify({ v: JSON_LINES_VERSION, type, ...fields })',
    replace: 'JSON.stringify({ type, ...fields })',
  },
  {
    promise: 'J1',
    what: 'never tell that the sign-in host is away',
    file: 'main/hosts/terminal/changes.ts',
    find: "new Set(['revision', 'at', 'profile'])",
    replace: "new Set(['revision', 'at', 'profile', 'signInHost'])",
    test: 'main/hosts/terminal/json-lines.test.ts',
    found: '`watch --json --changes` never reported an unreachable sign-in host',
    tests: ['an unreachable sign-in host, dropped items and their end are reported; no field is missing'],
  },

  {
    promise: 'U1',
    what: 'show a person the code of a failed system call',
    file: 'main/storage/system-error.ts',
    find: "WORDS[code] ?? 'the system refused it'",
    replace: 'WORDS[code] ?? code',
    test: 'main/hosts/terminal/node-terminal.test.ts',
    found: 'People were shown the codes of system errors',
    tests: ['stdout cannot be written: the system refused it'],
  },
  {
    promise: 'T11',
    what: 'record as many cases as a test claims',
    file: 'test/proof/tried.ts',
    find: 'return Math.min(claimed, Math.max(1, counted + expect.getState().assertionCalls))',
    replace: 'return Math.max(claimed, Math.max(1, counted + expect.getState().assertionCalls))',
    test: 'proof/tried.test.ts',
    found: 'Numbers of cases were typed next to the tests instead of counted',
    tests: ['a claim is limited to the actual assertions and property runs'],
  },
]
