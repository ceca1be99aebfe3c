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
  },
  {
    promise: 'D7',
    what: 'ask any process that listens in place of the app',
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
  },
  {
    promise: 'D7',
    what: 'trust a folder of another user',
    file: FILES,
    find: 'if (uid !== userId) return',
    replace: 'if (uid === -1) return',
  },

  {
    promise: 'K2',
    what: 'seal keys under any passphrase',
    file: 'main/hosts/terminal/passphrase-check.ts',
    find: 'isEnough: guesses >= MIN_GUESSES',
    replace: 'isEnough: guesses >= Math.min(0, MIN_GUESSES)',
  },

  {
    promise: 'T5',
    what: 'believe a lock that everyone is granted',
    file: 'main/storage/lock.ts',
    find: "return stdout === 'taken'",
    replace: "return stdout === 'refused'",
  },
  {
    promise: 'D7',
    what: 'wait for ever for what comes out of a pipe in the place of a file',
    file: FILES,
    find: 'if (found?.isFIFO() || found?.isCharacterDevice() || found?.isBlockDevice())',
    replace: 'if (found?.isCharacterDevice() || found?.isBlockDevice())',
  },

  {
    promise: 'G7',
    what: 'list two programs whose names look the same',
    file: 'main/gateway/programs.ts',
    find: 'looksAlike(program.name, name)',
    replace: 'looksAlike(program.name, name) && program.name === name',
  },
  {
    promise: 'D2',
    what: 'call what a newer version wrote damaged',
    file: 'main/storage/json-file.ts',
    find: 'found.data.schemaVersion > schemaVersion',
    replace: 'found.data.schemaVersion > 2 * schemaVersion',
    test: 'main/gateway/programs.test.ts',
  },
]
