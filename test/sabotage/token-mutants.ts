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
    replace: "if (outcome.kind !== 'unknown' || this.#deps.lifetimes().absoluteMs > 0) return",
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
    test: 'main/tokens/adopted-token.test.ts',
  },
  {
    promise: 'T8',
    what: 'replace the good token by a string of an answer that is no renewal',
    file: 'app/tokens/after-refresh.ts',
    find: 'const waiting = [...before, token.refreshToken].filter(',
    replace: 'const waiting = [...before].filter(',
    test: UNPROVEN_TEST,
  },

  {
    promise: 'T7',
    what: 'take a failed save of the vault for a saved one',
    file: 'main/vault/vault.ts',
    find: 'return { ok: false, why }\n    }\n  }\n\n  #rollBack',
    replace: 'return SAVED\n    }\n  }\n\n  #rollBack',
  },

  {
    promise: 'G10',
    what: 'take a late 401 for one to the token that is held',
    file: 'main/tokens/keeper.ts',
    find: 'if (access?.value !== value || ',
    replace: "if (access === undefined || value === '' || ",
  },

  {
    promise: 'G10',
    what: 'leave a 401 to a token of the last ten seconds without a refresh',
    file: KEEPER,
    find: '!mayRefreshNow)',
    replace: '(!mayRefreshNow || this.#now() - access.issuedAtMs < 10_000))',
    test: GATEWAY_FAULTS_TEST,
  },

  {
    promise: 'G10',
    what: 'leave a rejected or expired token to the retries of a sign-in host that is back',
    file: KEEPER,
    find: 'this.#now() >= (this.#store.state.wantedAtMs ?? 0)',
    replace: 'this.#store.state.wantedAtMs === undefined',
  },

  {
    promise: 'G10',
    what: 'leave the token of a program’s request to the retries of a sign-in host that is back',
    file: 'main/monitor/profile-parts.ts',
    find: 'access: () => current.keeper().accessForProgram()',
    replace: 'access: () => current.keeper().access()',
    test: GATEWAY_FAULTS_TEST,
  },

  {
    promise: 'G10',
    what: 'let programs without a token wait for the retries of a sign-in host that is back',
    file: KEEPER,
    find: 'Math.min(retryAtMs, wantedAtMs)',
    replace: 'Math.max(retryAtMs, wantedAtMs)',
  },

  {
    promise: 'G10',
    what: 'take the end of a token for a missing scope while another path rejects every token',
    file: 'app/tokens/rejections.ts',
    find: 'this.#accepted.get(path) === token &&',
    replace: "this.#accepted.get(path) === '' &&",
    test: KEEPER_TEST,
  },

  {
    promise: 'G10',
    what: 'refresh for a path that accepted an earlier token',
    file: 'app/tokens/rejections.ts',
    find: 'this.#accepted.get(path) === token',
    replace: 'this.#accepted.has(path)',
    test: KEEPER_TEST,
  },

  {
    promise: 'T8',
    what: 'ask a throttling sign-in host again for each 401',
    file: 'app/tokens/after-refresh.ts',
    find: 'isSpaced ? retryAtMs : nowMs',
    replace: 'isMalformed ? retryAtMs : nowMs',
    test: KEEPER_TEST,
  },

  {
    promise: 'G10',
    what: 'make a caller with a 401 wait as long as the sign-in host does not respond',
    file: KEEPER,
    find: 'within(this.#deps.clock, MAX_REPLACEMENT_MS',
    replace: 'within(this.#deps.clock, 10 * MAX_REPLACEMENT_MS',
  },

  {
    promise: 'T10',
    what: 'ask after a malformed answer as soon as after an outage',
    file: 'app/tokens/after-refresh.ts',
    find: 'isMalformed ? RETRY.malformedRefresh : RETRY.refresh',
    replace: 'isMalformed ? RETRY.refresh : RETRY.refresh',
    test: UNPROVEN_TEST,
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
