/** Why survivors of a file are left. */
export interface KnownSurvivor {
  readonly file: string
  /** What stands in the place of the text; absent where it is true of the whole file, or of the line. */
  readonly replacement?: string
  /** Absent where it is true of each line. */
  readonly line?: number
  readonly reason: string
}

/** Each was looked at by hand; one that is not here has no reason yet. */
export const KNOWN_SURVIVORS: readonly KnownSurvivor[] = [
  {
    file: 'main/control/ask-running.ts',
    replacement: 'false',
    reason:
      'whose folder and socket it is takes another user of the machine: test/main/storage/other-users.process.test.ts',
  },
  {
    file: 'main/control/control-server.ts',
    replacement: 'true',
    reason:
      'whether a connection is kept from being displaced shows on a revocation alone: any other is answered in the same moment',
  },
  {
    file: 'main/control/data-folder-socket.ts',
    replacement: 'process.getuid()',
    reason: 'the same wherever users have numbers; the tests run there',
  },
  {
    file: 'main/storage/home-folder.ts',
    reason: 'takes an account that the system has no entry for',
  },
  {
    file: 'main/storage/lock.ts',
    line: 108,
    reason: 'takes a file system on which file locks do not work',
  },
  {
    file: 'main/storage/lock.ts',
    line: 136,
    reason:
      'what another process may lock is tried in processes of their own, in which no change is switched on: test/main/storage/lock.test.ts',
  },
  {
    file: 'main/hosts/browser/push-stream.ts',
    replacement: ';',
    reason: 'the end of the response cancels the same wait once more, and nothing is written after it',
  },
  {
    file: 'main/storage/sqlite-file.ts',
    replacement: "database.prepare('PRAGMA user_version').get()['user_version']",
    reason: 'SQLite always answers this with a row',
  },
  {
    file: 'main/vault/passphrase-keystore.ts',
    line: 20,
    reason:
      'a constant of the module: with its text changed by hand, test/main/vault/passphrase-keystore.test.ts fails',
  },
  {
    file: 'main/vault/vault-file.ts',
    line: 161,
    reason:
      'takes a folder in which the damaged file cannot be renamed, and the tests run as a user who may rename anything',
  },
  {
    file: 'main/vault/vault.ts',
    line: 257,
    reason: 'without a data key no token is found, and why it is not stands already',
  },
  {
    file: 'main/tokens/token-store.ts',
    line: 104,
    replacement: ';',
    reason: 'the save just before has ended the same wait, and a store that is stopped begins none',
  },
  {
    file: 'app/quota/bucket.ts',
    line: 162,
    replacement: ';',
    reason: 'the next call moves the bounds as far; a request that was not sent changes neither of them',
  },
  {
    file: 'app/quota/safe-pace.ts',
    line: 50,
    replacement: 'true',
    reason: 'no number is at least an end that is not there: the comparison alone says the same',
  },
  {
    file: 'app/quota/state.ts',
    line: 137,
    replacement: 'gravityOf(wanted) >= gravityOf(current)',
    reason: 'two different states never have the same gravity',
  },
  {
    file: 'app/quota/taken-moments.ts',
    line: 39,
    reason: 'a shortcut: from there on both ways differ by less than the fourth digit',
  },
  {
    file: 'app/quota/others-use.ts',
    line: 385,
    replacement: 'false',
    reason: 'sums that are made again are the same; it costs time alone',
  },
  {
    file: 'app/quota/others-use.ts',
    line: 496,
    replacement: 'rate <= RATE_COUNT',
    reason: 'beyond the last candidate there is no probability, and none is added',
  },
  {
    file: 'app/quota/taken-moments.ts',
    line: 6,
    replacement: '{}',
    reason: 'each field is set before each use; it stands here for its type',
  },
  {
    file: 'main/tokens/token-store.ts',
    line: 159,
    reason: 'got a test after this was tried: test/main/tokens/token-store.test.ts',
  },
  {
    file: 'app/quota/others-use.ts',
    line: 154,
    reason: 'got a test after this was tried: test/app/quota/others-use.test.ts',
  },
  {
    file: 'app/quota/others-use.ts',
    line: 155,
    reason: 'got a test after this was tried: test/app/quota/others-use.test.ts',
  },
  {
    file: 'app/quota/level-bounds.ts',
    line: 98,
    reason: 'got a test after this was tried: test/app/quota/level-bounds.test.ts',
  },
  {
    file: 'app/quota/bucket.ts',
    line: 415,
    reason: 'got a test after this was tried: test/app/quota/bucket.test.ts',
  },
  {
    file: 'app/quota/bucket.ts',
    line: 421,
    reason: 'got a test after this was tried: test/app/quota/bucket.test.ts',
  },
  {
    file: 'main/storage/json-file.ts',
    line: 46,
    reason: 'a file of 16 MB to the byte is no settings file, read or not',
  },
  {
    file: 'main/storage/json-file.ts',
    line: 53,
    reason: 'got a test after this was tried: test/main/storage/json-file.test.ts',
  },
]
