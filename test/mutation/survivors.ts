/** The reason why a survivor is accepted. */
export interface KnownSurvivor {
  readonly file: string
  /** The replacement text of the mutant. Absent if the reason applies to every mutant of the line or file. */
  readonly replacement?: string
  /** Absent if the reason applies to every line. */
  readonly line?: number
  readonly reason: string
}

/** All of these were examined by hand. A survivor that is not listed has no reason yet. */
export const KNOWN_SURVIVORS: readonly KnownSurvivor[] = [
  {
    file: 'main/storage/lock.ts',
    line: 136,
    reason:
      'what another process may lock is tried in processes of their own, in which no change is switched on: test/main/storage/lock.test.ts',
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
    file: 'app/quota/state.ts',
    line: 137,
    replacement: 'gravityOf(wanted) >= gravityOf(current)',
    reason: 'two different states never have the same gravity',
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
    replacement: 'rate <= RATE_COUNT',
    reason: 'beyond the last candidate there is no probability, and none is added',
  },
  {
    file: 'app/quota/others-use.ts',
    replacement: 'hold <= HOLD_COUNT',
    reason: 'beyond the last holding time there is no probability, and none is added',
  },
  {
    file: 'app/quota/mixture.ts',
    replacement: 'over > 0',
    reason: 'a quantile that is met exactly is the end of the search from either side',
  },
  {
    file: 'app/quota/others-take-all.ts',
    replacement: 'false',
    reason: 'where others take nothing, what follows sets what is set already',
  },
  {
    file: 'app/gateway/served-rates.ts',
    line: 50,
    reason: 'takes a decayed count that is exactly the rate at which a program is forgotten',
  },
  {
    file: 'app/gateway/bucket-bound.ts',
    line: 368,
    replacement: 'true',
    reason: 'a condition for its type: only a known window can be the same',
  },
  {
    file: 'app/gateway/scheduler.ts',
    replacement: 'requests.get(id).program',
    reason: 'a condition for its type: each id that is known has its request',
  },
  {
    file: 'app/gateway/scheduler.ts',
    replacement: '["Stryker was here"]',
    reason: 'an id that was never offered is dropped without effect',
  },
  {
    file: 'app/gateway/scheduler.ts',
    replacement: 'leaving.length >= 0',
    reason: 'computes a turn of which nobody is told',
  },
  {
    file: 'app/gateway/scheduler.ts',
    line: 89,
    replacement: 'true',
    reason: 'a condition for its type: nothing looks for a request that shares none',
  },
  {
    file: 'app/gateway/scheduler.ts',
    line: 368,
    replacement: 'true',
    reason: 'computes a turn of which nobody is told',
  },
  {
    file: 'app/quota/others-use.ts',
    line: 246,
    reason: 'a mean counts by its probability, which is set to 0 beside it',
  },
  {
    file: 'app/quota/others-use.ts',
    line: 423,
    reason: 'the rate of the first candidate is 0, and so is what the formula makes of it',
  },
  {
    file: 'main/gateway/gateway.ts',
    line: 214,
    replacement: 'true',
    reason: 'got a test after this was tried: test/main/gateway/gateway.test.ts',
  },
  {
    file: 'main/gateway/gateway.ts',
    line: 214,
    reason: 'differs for the one moment in which a pause begins or ends',
  },
  {
    file: 'main/gateway/answer-relay.ts',
    reason: 'got a test after this was tried: test/main/gateway/answer-relay.test.ts',
  },
]
