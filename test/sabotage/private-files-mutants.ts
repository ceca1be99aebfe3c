import type { Mutant } from './registry.ts'

const FILES = 'main/storage/private-files.ts'
const FILES_TEST = 'main/storage/private-files.test.ts'
const OTHERS_TEST = 'main/storage/other-users.process.test.ts'

/** Mutants of what keeps other users of the machine away from the data folder. */
export const PRIVATE_FILES_MUTANTS: readonly Mutant[] = [
  {
    promise: 'D7',
    what: 'close the store to others after it was made',
    file: 'main/storage/sqlite-file.ts',
    find: '  ensurePrivate(file)\n  const database = new DatabaseSync(file, { timeout: busyMs, enableForeignKeyConstraints: true })\n',
    replace:
      '  const database = new DatabaseSync(file, { timeout: busyMs, enableForeignKeyConstraints: true })\n  ensurePrivate(file)\n',
    test: OTHERS_TEST,
  },
  {
    promise: 'D7',
    what: 'ask whoever listens where the app would',
    file: 'main/control/ask-running.ts',
    find: 'if (foreign !== undefined) return',
    replace: "if (foreign === '') return",
    test: OTHERS_TEST,
  },
  {
    promise: 'D7',
    what: 'let others read the log',
    file: FILES,
    find: 'export const PRIVATE_MODE = 0o600',
    replace: 'export const PRIVATE_MODE = 0o644',
    test: FILES_TEST,
  },
  {
    promise: 'D7',
    what: 'trust a folder of another user',
    file: FILES,
    find: 'if (uid !== userId) return',
    replace: 'if (uid === -1) return',
    test: FILES_TEST,
  },
  {
    promise: 'D7',
    what: 'trust a folder that its group may write to',
    file: FILES,
    find: 'const OTHERS_MAY_WRITE = 0o022',
    replace: 'const OTHERS_MAY_WRITE = 0o002',
    test: FILES_TEST,
  },
  {
    promise: 'D7',
    what: 'follow a link to write the log',
    file: FILES,
    find: 'O_WRONLY | O_CREAT | NO_FOLLOW | mode',
    replace: 'O_WRONLY | O_CREAT | (NO_FOLLOW & 0) | mode',
    test: FILES_TEST,
  },
  {
    promise: 'D7',
    what: 'let SQLite follow a link',
    file: FILES,
    find: 'if (found.isSymbolicLink()) throw',
    replace: 'if (found.isFIFO()) throw',
    test: FILES_TEST,
  },
  {
    promise: 'D7',
    what: 'leave a file of an earlier version readable by others',
    file: FILES,
    find: '(found.mode & OTHERS_MAY) !== 0) chmodSync',
    replace: '(found.mode & OTHERS_MAY) === 0) chmodSync',
    test: FILES_TEST,
  },
  {
    promise: 'D7',
    what: 'use a folder over a link that may lead elsewhere by then',
    file: 'main/storage/data-folder.ts',
    find: 'path: realpathSync(path) }',
    replace: "path: realpathSync(path) === '' ? '' : path }",
    test: FILES_TEST,
  },
  {
    promise: 'T9',
    what: 'follow a clock back as often as it is set',
    file: 'main/monitor/timeline.ts',
    find: 'const SET_BACK_EVERY_MS = 10 * 60_000',
    replace: 'const SET_BACK_EVERY_MS = 10 * 0',
    test: 'simulation/clock-set.test.ts',
  },
  {
    promise: 'K2',
    what: 'seal keys under any passphrase',
    file: 'main/hosts/terminal/passphrase-check.ts',
    find: 'isEnough: guesses >= MIN_GUESSES',
    replace: 'isEnough: guesses >= Math.min(0, MIN_GUESSES)',
    test: 'main/hosts/terminal/passphrase-check.test.ts',
  },
  {
    promise: 'T5',
    what: 'take a file system without locks for another Headroom',
    file: 'main/storage/lock.ts',
    find: 'return canLock(folder) ? busy',
    replace: "return folder !== '' || canLock(folder) ? busy",
    test: 'main/storage/lock.test.ts',
  },
  {
    promise: 'T5',
    what: 'believe a lock that everyone is granted',
    file: 'main/storage/lock.ts',
    find: "return stdout?.trim() === 'taken'",
    replace: "return stdout?.trim() === 'refused'",
    test: 'main/storage/lock.test.ts',
  },
]
