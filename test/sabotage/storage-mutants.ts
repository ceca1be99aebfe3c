import type { Mutant } from './registry.ts'

const PROTOCOL_TEST = 'main/tokens/protocol.test.ts'
const CRASH_TEST = 'main/tokens/crash.process.test.ts'
const HANDLE_TEST = 'main/vault/vault-handle.test.ts'
const FULL_RUN_TEST = 'canary/full-run.process.test.ts'
const TOKEN_STORE = 'main/tokens/token-store.ts'
const VAULT = 'main/vault/vault.ts'

/**
 * Mutants of stored data that must survive a process: the store, its keystores, and writing before sending.
 */
export const STORAGE_MUTANTS: readonly Mutant[] = [
  {
    promise: 'T1',
    what: 'forget at a start that an answer was lost',
    file: 'app/tokens/stored-token.ts',
    find: 'lostAnswer: intent !== undefined,',
    replace: 'lostAnswer: intent !== undefined && nowMs < 0,',
    test: PROTOCOL_TEST,
  },
  {
    promise: 'T5',
    what: 'skip the lock of the data folder',
    file: 'main/storage/lock.ts',
    find: "database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')",
    replace: "database.exec('PRAGMA busy_timeout = 0; BEGIN')",
    test: CRASH_TEST,
  },
  {
    promise: 'T5',
    what: 'lock a folder again although its lock file was deleted under its owner',
    file: 'main/storage/lock.ts',
    find: 'return started === startOf(pid)',
    replace: 'return started === startOf(-pid)',
  },
  {
    promise: 'T5',
    what: 'let the garbage collector end a lock',
    file: 'main/storage/lock.ts',
    find: '  HELD.add(opening.database)',
    replace: '  HELD.add(new DatabaseSync(":memory:"))',
  },
  {
    promise: 'T6',
    what: 'hand the access token out before the new refresh token is committed',
    file: 'main/tokens/key-refresh.ts',
    find: 'this.#store.save(state)',
    replace: 'this.#store.use(state)\n    setTimeout(() => this.#store.save(state), 0)',
    test: PROTOCOL_TEST,
  },

  {
    promise: 'T7',
    what: 'read a save that failed as saved',
    file: TOKEN_STORE,
    find: '    if (saved.ok) this.#lost = undefined\n    return saved\n',
    replace: '    if (saved.ok) this.#lost = undefined\n    return SAVED\n',
    test: 'main/sign-in/profile-store.test.ts',
    found: 'No test noticed that a save which failed read saved',
    tests: [
      'whatever the store rejects reads as unsaved: a token, an intent, a setting, a secret and a sign-in',
    ],
  },

  {
    promise: 'T7',
    what: 'say ok although the disk did not take it',
    file: VAULT,
    find: 'return written.ok ? written.value : written',
    replace: 'return written.ok ? written.value : SAVED',
    test: 'main/vault/full-disk.process.test.ts',
  },
  {
    promise: 'T10',
    what: 'trust whatever lifetime an answer says',
    file: 'app/tokens/refresh-grant.ts',
    find: 'Math.min(LIFETIME_SECONDS.most, Math.max(LIFETIME_SECONDS.least, seconds))',
    replace: 'Math.min(LIFETIME_SECONDS.most, seconds)',
  },
  {
    promise: 'T11',
    what: 'log the request',
    file: 'main/tokens/key-refresh.ts',
    find: '    this.#store.noteSent()\n',
    replace:
      "    this.#store.noteSent()\n    this.#deps.event({ kind: 'storage-problem', what: 'sending '.concat(refreshToken) })\n",
    test: 'main/stored-keys.test.ts',
  },

  {
    promise: 'T11',
    what: 'store the client secret next to its profile, in the clear',
    file: VAULT,
    find: 'JSON.stringify({ ...aboutOf(profile), mark:',
    replace: 'JSON.stringify({ ...aboutOf(profile), clientSecret, mark:',
    test: FULL_RUN_TEST,
  },

  {
    promise: 'T12',
    what: 'do not warn of the end of the 24 hours',
    file: 'app/tokens/next-step.ts',
    find: 'return warning !== undefined && warning.atMs < refresh.atMs ? warning : refresh',
    replace: 'return warning !== undefined && warning.atMs < 0 ? warning : refresh',
    test: PROTOCOL_TEST,
  },
  {
    promise: 'R1',
    what: 'forget at a restart that a revocation waits',
    file: 'app/tokens/stored-token.ts',
    find: "if (revocation === undefined || standing.kind === 'revoked') return state",
    replace: "if (revocation === undefined || standing.kind !== 'revoked') return state",
    test: 'main/stored-keys.test.ts',
  },

  {
    promise: 'K1',
    what: 'take what another kind of keystore sealed for damaged',
    file: 'main/vault/data-keys.ts',
    find: 'return keystore.mayHaveWrapped?.(backend) === false &&',
    replace: 'return keystore.mayHaveWrapped?.(backend) === undefined &&',
    test: HANDLE_TEST,
  },
  {
    promise: 'K1',
    what: 'take what does not open for missing',
    file: 'main/vault/records.ts',
    find: "if (key === undefined) return { kind: 'lost', state: 'key-changed' }",
    replace: "if (key === undefined) return { kind: 'none' }",
    test: HANDLE_TEST,
  },

  {
    promise: 'K1',
    what: 'send a token wherever the file says',
    file: VAULT,
    find: 'return keys.length === 0 || keys.some(',
    replace: 'return keys.length >= 0 || keys.some(',
  },

  {
    promise: 'K1',
    what: 'take a key whose row in the clear is damaged for one that is not stored',
    file: 'main/sign-in/profile-store.ts',
    find: '      if (former !== undefined && !opensNow) return []\n',
    replace: '      if (found.about === undefined || (former !== undefined && !opensNow)) return []\n',
    test: 'main/stored-keys.test.ts',
    found: 'A stored key with a damaged row vanished, and the demonstration replaced it',
    tests: [
      'a key whose row in the clear is %s stays, damaged by its id, is reported, and no demonstration replaces it',
      'a connected key is connected at the next start, with its latest token',
    ],
  },

  {
    promise: 'D2',
    what: 'delete history by a clock that has just jumped ahead, in a process of its own',
    file: 'main/history/compaction.ts',
    find: 'if (monotonicMs - this.#aheadSinceMs < DAY_MS) return this.#trustedMs',
    replace: 'if (monotonicMs - this.#aheadSinceMs < 0) return this.#trustedMs',
    test: 'main/hosts/terminal/flapping-clock.process.test.ts',
    found: 'A wall clock 400 days ahead for a minute deleted the history, and stayed wrong until a restart',
    tests: [
      'a process whose wall clock is 400 days ahead for minutes keeps its history, and recovers the time without a restart',
      [
        'main/history/wrong-clock.test.ts',
        'a wall clock 400 days %s for 70 s deletes no history, and later samples are rolled up as usual',
      ],
      [
        'main/history/wrong-clock.test.ts',
        'a wall clock that jumps 400 days back and forth deletes no history, before or after a restart',
      ],
      [
        'main/ports/timeline.test.ts',
        'a clock wrong by at most a day is not followed back; a larger correction is, and is reported',
      ],
      [
        'simulation/clock-set.test.ts',
        'a wall clock 400 days ahead for 70 s leaves no damage: no sign-in, no flood, and correct times',
      ],
      [
        'simulation/clock-set.test.ts',
        'a clock that two programs set in turn, 400 days apart, costs no flood of refreshes',
      ],
    ],
  },

  {
    promise: 'K2',
    what: 'accept a keyring that hides nothing',
    file: 'main/hosts/desktop/safe-storage-keystore.ts',
    find: '!mayBeUnprotected() && hidesNothing(wrapped)',
    replace: 'mayBeUnprotected() && hidesNothing(wrapped)',
  },
  {
    promise: 'D1',
    what: 'acknowledge before the commit',
    file: VAULT,
    find: '      transaction(view.database, () => run(view))\n',
    replace:
      "      void transaction\n      if (!view.database.isTransaction) view.database.exec('BEGIN IMMEDIATE')\n      run(view)\n      if (Math.random() < 0.3) view.database.exec('COMMIT')\n",
    test: 'main/vault/crash.process.test.ts',
  },
  {
    promise: 'D1',
    what: 'acknowledge what is only in the caches of the system',
    file: 'main/vault/vault-file.ts',
    find: 'PRAGMA synchronous = FULL;',
    replace: 'PRAGMA synchronous = OFF;',
    found: 'A commit, and a settings file, could be named before it was on the disk',
    tests: [
      'commits survive a power cut, and deleted data is overwritten',
      ['main/storage/write-whole.test.ts', 'the bytes are on disk before the rename'],
    ],
  },

  {
    promise: 'D2',
    what: 'take an older copy of the store for the newest one',
    file: 'main/vault/newest-commit.ts',
    find: 'seen.step <= now.step) return undefined',
    replace: 'seen.step >= now.step) return undefined',
    found: 'A store restored from an older copy was not reported',
    tests: ['a store restored from a copy is reported as such once; nothing else changes'],
  },
  {
    promise: 'D2',
    what: 'overwrite a damaged file',
    file: 'main/storage/set-aside.ts',
    find: 'renameSync(path, join(folder, aside))',
    // This is the name of the draft, so the next file overwrites it.
    replace: "renameSync(path, path.concat('.new'))",
    test: 'main/vault/vault-file.test.ts',
  },

  {
    promise: 'D2',
    what: 'go on writing to a history file that was removed',
    file: 'main/history/history-store.ts',
    find: 'this.#kept.closeIfRemoved()',
    replace: '',
    found: 'A removed history file took entries until the process ended, and was shown as stored',
    tests: ['a file removed while open is reported once, and a new one gets later entries'],
  },
]
