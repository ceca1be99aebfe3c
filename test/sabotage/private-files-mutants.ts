import type { Mutant } from './registry.ts'

const FILES = 'main/storage/private-files.ts'
const OTHERS_TEST = 'main/storage/other-users.process.test.ts'

/** Mutants of the protection of the data folder from other users of the machine. */
export const PRIVATE_FILES_MUTANTS: readonly Mutant[] = [
  {
    promise: 'D7',
    what: 'close the store to others after it was made',
    file: 'main/storage/sqlite-file.ts',
    find: '  ensurePrivate(file)\n  const database = new DatabaseSync(file, { timeout: busyMs, enableForeignKeyConstraints: true })\n',
    replace:
      '  const database = new DatabaseSync(file, { timeout: busyMs, enableForeignKeyConstraints: true })\n  ensurePrivate(file)\n',
    test: OTHERS_TEST,
    found: 'vault.db could be read by others for a moment when it was made',
    tests: [
      'while files are made again and again',
      ['main/storage/private-files.test.ts', '%s of an earlier version that others could read'],
    ],
  },
  {
    promise: 'D7',
    what: 'ask any process that listens in place of the app',
    file: 'main/control/ask-running.ts',
    find: 'if (foreign !== undefined) return',
    replace: "if (foreign === '') return",
    test: OTHERS_TEST,
    found: 'A control socket of another user was believed, and "revoked" was said',
    tests: ['a control socket of another user'],
  },
  {
    promise: 'D7',
    what: 'let others read the log',
    file: FILES,
    find: 'export const PRIVATE_MODE = 0o600',
    replace: 'export const PRIVATE_MODE = 0o644',
    found: 'No test noticed that others could read the log',
    tests: ['every file, also SQLite’s, is private under a umask that hides nothing'],
  },
  {
    promise: 'D7',
    what: 'trust a folder of another user',
    file: FILES,
    find: 'if (uid !== userId) return',
    replace: 'if (uid === -1) return',
    found:
      'A data folder of another user, or one that others may write to, was used, and links in it followed',
    tests: [
      'a folder of another user is refused',
      'a folder that %s is refused with a line',
      'a link in the place of a file is never followed',
      'a link that led to the folder when it was opened',
    ],
  },

  {
    promise: 'K2',
    what: 'seal keys under any passphrase',
    file: 'main/hosts/terminal/passphrase-check.ts',
    find: 'isEnough: guesses >= MIN_GUESSES',
    replace: 'isEnough: guesses >= Math.min(0, MIN_GUESSES)',
    found: 'Any passphrase was enough',
    tests: ['is too weak for a new folder'],
  },

  {
    promise: 'T5',
    what: 'believe a lock that everyone is granted',
    file: 'main/storage/lock.ts',
    find: "return stdout === 'taken'",
    replace: "return stdout === 'refused'",
    found: 'File locks that do not work were taken for another Headroom, or for a lock',
    tests: [
      'a second attempt in the same process does not release the lock of the first',
      'a file system that %s is reported as such',
    ],
  },
  {
    promise: 'D7',
    what: 'wait for ever for what comes out of a pipe in the place of a file',
    file: FILES,
    find: 'if (found?.isFIFO() || found?.isCharacterDevice() || found?.isBlockDevice())',
    replace: 'if (found?.isCharacterDevice() || found?.isBlockDevice())',
    found: 'A pipe in place of a settings file blocked every start, and a file of gigabytes was read',
    tests: [
      'a pipe in the place of a file is reported',
      ['main/storage/preferences.test.ts', 'a file of gigabytes is renamed without being read'],
    ],
  },

  {
    promise: 'G7',
    what: 'list two programs whose names look the same',
    file: 'main/gateway/programs.ts',
    find: 'looksAlike(program.name, name)',
    replace: 'looksAlike(program.name, name) && program.name === name',
    found: 'Two programs could have names that no table tells apart, in two alphabets',
    tests: [
      'rejects a name that looks like an existing one in another alphabet',
      ['app/gateway/look-alike.test.ts', '%j and %j can be confused'],
    ],
  },
  {
    promise: 'D2',
    what: 'call what a newer version wrote damaged',
    file: 'main/storage/json-file.ts',
    find: 'found.data.schemaVersion > schemaVersion',
    replace: 'found.data.schemaVersion > 2 * schemaVersion',
    test: 'main/gateway/programs.test.ts',
    found: 'The programs of a newer version were called damaged by an older one',
    tests: ['keeps a newer Headroom’s file, and does not call it damaged'],
  },
]
