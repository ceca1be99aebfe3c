import type { Sabotage } from './registry.ts'

/** Of what runs where nobody watches, and is read by other programs. */
export const UNATTENDED_SABOTAGES: readonly Sabotage[] = [
  {
    promise: 'U1',
    what: 'take a full disk for a reader that is gone',
    file: 'main/terminal/node-terminal.ts',
    find: "new Set<unknown>(['EPIPE', 'EOF'])",
    replace: "new Set<unknown>(['EPIPE', 'EOF', 'ENOSPC'])",
    test: 'main/terminal/node-terminal.test.ts',
  },
  {
    promise: 'U1',
    what: 'write on to a reader that lags',
    file: 'main/terminal/bounded-lines.ts',
    find: 'const mayGoOn = () => isEnd || !isLagging',
    replace: 'const mayGoOn = () => isEnd || !isLagging || waiting.length > 0',
    test: 'main/terminal/node-terminal.test.ts',
  },
  {
    promise: 'U1',
    what: 'have a supervisor try again what only a person can mend',
    file: 'main/terminal/watch-command.ts',
    find: 'const personNeeded = (line: string) => resolve({ line, exitCode: EXIT_PERSON_NEEDED })',
    replace: 'const personNeeded = (line: string) => resolve({ line, exitCode: EXIT_FAILURE })',
    test: 'main/terminal/watch-command.test.ts',
  },
  {
    promise: 'U2',
    what: 'start the app, and with it a refresh, before its port is held',
    file: 'main/terminal/run-browser.ts',
    find: '  const port = await claimed(args.port, deps)\n',
    replace: '  await deps.startApp(args)\n  const port = await claimed(args.port, deps)\n',
    test: 'main/terminal/run-browser.test.ts',
  },
  {
    promise: 'E1',
    what: 'export the table’s word as a number that was seen',
    file: 'app/history/series.ts',
    find: 'lowest_remaining: isKnown ? minute.low : null,',
    replace: 'lowest_remaining: minute.low,',
    test: 'main/terminal/export-command.test.ts',
  },
  {
    promise: 'E1',
    what: 'leave live and simulated rows to be told apart by guessing',
    file: 'app/history/report-csv.ts',
    find: 'const about = [profile, environment, isoTime(report.from), isoTime(report.to)]',
    replace: 'const about = [profile, environment.slice(9), isoTime(report.from), isoTime(report.to)]',
    test: 'app/history/report.test.ts',
  },
  {
    promise: 'J1',
    what: 'write lines that do not say which version they are',
    file: 'main/terminal/json-lines.ts',
    find: 'JSON.stringify({ v: JSON_LINES_VERSION, type, ...fields })',
    replace: 'JSON.stringify({ type, ...fields })',
    test: 'main/terminal/json-lines.test.ts',
  },
  {
    promise: 'J1',
    what: 'never tell what moves slowly',
    file: 'main/terminal/changes.ts',
    find: '    if (changed.length === 0) return undefined\n',
    replace:
      '    if (changed.length === 0) this.#rows[table].set(id, row)\n    if (changed.length === 0) return undefined\n',
    test: 'main/terminal/json-lines.test.ts',
  },
  {
    promise: 'U2',
    what: 'go on without a passphrase whose file cannot be read',
    file: 'main/terminal/secret-files.ts',
    find: '      const why = systemErrorText(error)\n',
    replace: '      const why = systemErrorText(error)\n      if (path) continue\n',
    test: 'main/terminal/secret-files.test.ts',
  },
]
