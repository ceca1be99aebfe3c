import type { Mutant } from './registry.ts'

const REFRESH = 'main/tokens/key-refresh.ts'
const REVOCATION = 'main/tokens/key-revocation.ts'
const KEEPER = 'main/tokens/keeper.ts'
const GATEWAY_FAULTS_TEST = 'main/gateway/faults.test.ts'
const KEEPER_TEST = 'main/tokens/keeper.test.ts'
const SESSION_END_TEST = 'main/tokens/session-end.test.ts'
const REVOKING_TEST = 'main/tokens/revoking.test.ts'
const UNPROVEN_TEST = 'main/tokens/unproven-token.test.ts'

const FLIGHT_OR_DOUBT = 'this.#deps.refresh.flight ?? this.#resolveDoubt()'

/** Mutants of the life of a key: its refreshes, the clock that they use, and its revocation. */
export const TOKEN_MUTANTS: readonly Mutant[] = [
  {
    promise: 'T1',
    what: 'do not try a lost answer again at once',
    file: REFRESH,
    find: "if (outcome.kind !== 'unknown' || this.#store.state.lostAnswer) return",
    replace: "if (outcome.kind !== 'unknown' || this.#store.state.failures >= 0) return",
    test: KEEPER_TEST,
  },
  {
    promise: 'T2',
    what: 'go on with the refresh after a refusal',
    file: 'app/tokens/after-refresh.ts',
    find: "standing: { kind: 'sign-in-required', ...why },",
    replace: "standing: { kind: 'active' },",
    test: SESSION_END_TEST,
  },
  {
    promise: 'T5',
    what: 'a flight for every caller',
    file: REFRESH,
    find: 'this.#flight ??= this.#attempt()',
    replace: 'this.#flight = this.#attempt()',
    test: KEEPER_TEST,
  },
  {
    promise: 'T8',
    what: 'treat any failure as a refusal',
    file: 'app/tokens/after-refresh.ts',
    find: 'token: isSentLast ? sentLast(token) : withCandidate(token, given),',
    replace:
      "token: isSentLast ? sentLast(token) : withCandidate(token, given), standing: { kind: 'sign-in-required', reason: outcome.why },",
    test: SESSION_END_TEST,
  },

  {
    promise: 'T9',
    what: 'do not look at sleep: trust the monotonic clock alone',
    file: 'main/ports/timeline.ts',
    find: 'if (gapMs > GAP_MS) this.#offsetMs += gapMs\n',
    replace: 'if (gapMs > Number.MAX_VALUE) this.#offsetMs += gapMs\n',
    test: 'main/tokens/sleep.test.ts',
  },

  {
    promise: 'T12',
    what: 'ignore a new refresh token',
    file: 'app/tokens/after-refresh.ts',
    find: 'generation: token.generation + 1, refreshToken, rotatedAtMs: nowMs',
    replace: 'generation: token.generation + 1, rotatedAtMs: nowMs',
    test: 'main/tokens/rotation.test.ts',
  },
  {
    promise: 'T8',
    what: 'replace the good token by a string of an answer that is no renewal',
    file: 'app/tokens/after-refresh.ts',
    find: 'const waiting = [...before, token.refreshToken].filter(',
    replace: 'const waiting = [...before].filter(',
    test: UNPROVEN_TEST,
    found: 'A string in the place of the refresh token of an error answer was sealed over the good one',
    tests: [
      '%s with a string instead of the refresh token costs nothing: the good one is sent again',
      'whatever a service responds, a key whose newest token arrived in a response recovers once it responds correctly',
      'the tokens in doubt are encrypted together, and a later process falls back',
      'a revocation with two tokens in doubt first finds out which is live, and shows "revoked" for no other',
      [
        'app/tokens/refresh-grant.test.ts',
        'malformed responses never throw, have their own class each, and only a possible renewal contains a refresh token',
      ],
      [
        'main/sign-in/code-exchange.test.ts',
        'a %d that is no complete grant signs nobody in with its string: %j',
      ],
    ],
  },

  {
    promise: 'T7',
    what: 'take a failed save of the vault for a saved one',
    file: 'main/vault/vault.ts',
    find: 'return written.ok ? written.value : written',
    replace: 'return written.ok ? written.value : SAVED',
    found: 'No test noticed a failed save that reads as saved, nor six other breaks of vault and tokens',
    tests: [
      'a failed write of any kind is reported as failed, and the next one is stored',
      'whether a pending revocation is retried automatically (%s) is stored',
      'no generation is reused, not even that of a record in quarantine',
      ['main/vault/vault-handle.test.ts', 'with two open data keys, a mark by either of them is accepted'],
      [
        'main/tokens/unproven-token.test.ts',
        'each candidate is stored before it is sent, so that a crash continues with it',
      ],
      [
        'main/tokens/revoking.test.ts',
        'a revocation during a refresh waits for it, revokes the newest token, and hands none out meanwhile',
      ],
    ],
  },

  {
    promise: 'G10',
    what: 'take a late 401 for one to the token that is held',
    file: 'main/tokens/keeper.ts',
    find: 'if (access?.value !== value || ',
    replace: "if (access === undefined || value === '' || ",
    found: 'No test noticed that a late 401 was attributed to the current token',
    tests: ['a late 401 to a replaced token changes nothing for the current one'],
  },

  {
    promise: 'G10',
    what: 'leave a 401 to a token of the last ten seconds without a refresh',
    file: KEEPER,
    find: '!mayRefreshNow)',
    replace: '(!mayRefreshNow || this.#now() - access.issuedAtMs < 10_000))',
    test: GATEWAY_FAULTS_TEST,
    found: 'A 401 for a token of the last ten seconds became 503, without a refresh',
    tests: [
      'a successful refresh may be followed by another, however soon',
      'if a refresh does not help, programs get the unchanged 401, and the next one waits',
      'a 401 that is cut while withheld is cut for its caller too',
      ['main/gateway/token-removal.test.ts', 'an error of %s that is cut is cut for its caller too'],
      'a caller that disconnects during a refresh leaves nothing behind',
    ],
  },

  {
    promise: 'G10',
    what: 'leave a rejected or expired token to the retries of a sign-in host that is back',
    file: KEEPER,
    find: 'this.#now() >= (this.#store.state.wantedAtMs ?? 0)',
    replace: 'this.#store.state.wantedAtMs === undefined',
    found:
      'A token that ended while the sign-in host was away gave programs 401s for a minute after its return',
    tests: [
      'a token %s while the sign-in host %s is refreshed every five seconds',
      'after %s a token %s is refreshed no sooner',
    ],
  },

  {
    promise: 'G10',
    what: 'leave the token of a program’s request to the retries of a sign-in host that is back',
    file: 'main/monitor/profile-parts.ts',
    find: 'access: () => current.keeper().accessForProgram()',
    replace: 'access: () => current.keeper().access()',
    test: GATEWAY_FAULTS_TEST,
    found:
      'A token that expired while the sign-in host was away gave programs 503s for a minute after its return',
    tests: ['a request without a token renews it five seconds after the last failure'],
  },

  {
    promise: 'G10',
    what: 'let programs without a token wait for the retries of a sign-in host that is back',
    file: KEEPER,
    find: 'Math.min(retryAtMs, wantedAtMs)',
    replace: 'Math.max(retryAtMs, wantedAtMs)',
    found:
      'A token that expired while the sign-in host was away gave programs 503s for a minute after its return',
    tests: [
      'a token %s while the sign-in host %s is refreshed every five seconds',
      'without a token, the next attempt is the one that a request may cause',
    ],
  },

  {
    promise: 'G10',
    what: 'take the end of a token for a missing scope while another path rejects every token',
    file: 'app/tokens/rejections.ts',
    find: 'this.#accepted.get(path) === token &&',
    replace: "this.#accepted.get(path) === '' &&",
    test: KEEPER_TEST,
    found:
      'After a path had rejected two tokens in a row, the end of the second gave all paths 401s for 30 s',
    tests: ['a path that accepted a token shows its end within 30 s, whatever another path rejects'],
  },

  {
    promise: 'G10',
    what: 'refresh for a path that accepted an earlier token',
    file: 'app/tokens/rejections.ts',
    find: 'this.#accepted.get(path) === token',
    replace: 'this.#accepted.has(path)',
    test: KEEPER_TEST,
    found:
      'After a path had rejected two tokens in a row, the end of the second gave all paths 401s for 30 s',
  },

  {
    promise: 'T8',
    what: 'ask a throttling sign-in host again for each 401',
    file: 'app/tokens/after-refresh.ts',
    find: 'isSpaced ? retryAtMs : nowMs',
    replace: 'isMalformed ? retryAtMs : nowMs',
    test: KEEPER_TEST,
    found:
      'A token that ended while the sign-in host was away gave programs 401s for a minute after its return',
  },

  {
    promise: 'G10',
    what: 'make a caller with a 401 wait as long as the sign-in host does not respond',
    file: KEEPER,
    find: 'within(this.#deps.clock, MAX_REPLACEMENT_MS',
    replace: 'within(this.#deps.clock, 10 * MAX_REPLACEMENT_MS',
    found: 'A 401 of one path while the sign-in host was away took the token from every program',
    tests: [
      [
        'main/gateway/faults.test.ts',
        'a 401 of one path during an outage of the sign-in host discards no token that others accept',
      ],
      'a rejected token stays in use until the retry schedule gets another one',
      'a path that rejects every token triggers ever fewer refreshes, and another one does not wait for them',
      'a path that accepts a token again resets its schedule, and an unchanged token is not requested again',
      'a caller that got 401 waits ten seconds for a refresh, and no longer',
    ],
  },

  {
    promise: 'T10',
    what: 'ask after a malformed answer as soon as after an outage',
    file: 'app/tokens/after-refresh.ts',
    find: 'isMalformed ? RETRY.malformedRefresh : RETRY.refresh',
    replace: 'isMalformed ? RETRY.refresh : RETRY.refresh',
    test: UNPROVEN_TEST,
    found: 'Malformed answers were asked for eleven times in five minutes',
    tests: ['malformed responses are retried less than once a minute'],
  },

  {
    promise: 'R1',
    what: 'take a 503 for a confirmation',
    file: 'app/tokens/revocation.ts',
    find: 'if (status === 200) {',
    replace: 'if (status === 200 || status === 503) {',
    test: REVOKING_TEST,
  },
  {
    promise: 'R2',
    what: 'revoke the token held before the refresh under way',
    file: REVOCATION,
    find: `    const refresh = ${FLIGHT_OR_DOUBT}\n    const refreshed = refresh && (await refresh)\n    this.#store.use({ ...this.#store.state, access: undefined })\n`,
    replace: `    const { token } = this.#store.state\n    const refresh = ${FLIGHT_OR_DOUBT}\n    const refreshed = refresh && (await refresh)\n    this.#store.use({ ...this.#store.state, access: undefined, token })\n`,
    test: REVOKING_TEST,
  },
]
