import type { Mutant } from './registry.ts'

const REFRESH = 'main/tokens/key-refresh.ts'
const REVOCATION = 'main/tokens/key-revocation.ts'
const KEEPER = 'main/tokens/keeper.ts'
const REJECTIONS = 'app/tokens/rejections.ts'
const GATEWAY_FAULTS_TEST = 'main/gateway/faults.test.ts'
const KEEPER_TEST = 'main/tokens/keeper.test.ts'
const SESSION_END_TEST = 'main/tokens/session-end.test.ts'
const REVOKING_TEST = 'main/tokens/revoking.test.ts'
const UNPROVEN_TEST = 'main/tokens/unproven-token.test.ts'
const STORIES_TEST = 'simulation/stories.test.ts'

const FLIGHT_OR_DOUBT = 'this.#deps.refresh.flight ?? this.#resolveDoubt()'

/** Mutants of the life of a key: its refreshes, the clock they go by, and its revocation. */
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
    promise: 'T8',
    what: 'believe an OAuth error on a 503',
    file: 'app/tokens/refresh-grant.ts',
    find: 'if (status === 429 || status >= 500) {',
    replace: 'if (status === 418) {',
    test: SESSION_END_TEST,
  },
  {
    promise: 'T9',
    what: 'do not look at sleep: trust the monotonic clock alone',
    file: 'main/monitor/timeline.ts',
    find: 'if (gapMs > GAP_MS) this.#offsetMs += gapMs\n',
    replace: 'if (gapMs > Number.MAX_VALUE) this.#offsetMs += gapMs\n',
    test: 'main/tokens/sleep.test.ts',
  },
  {
    promise: 'T9',
    what: 'follow the wall clock wherever it goes',
    file: 'main/monitor/timeline.ts',
    find: 'this.#latestMs = Math.max(this.#latestMs, monotonicMs + this.#offsetMs)\n    if (gapMs',
    replace: 'this.#latestMs = this.#clock.wallMs()\n    if (gapMs',
    test: 'main/monitor/timeline.test.ts',
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
    promise: 'T8',
    what: 'take a string of a client error for a new token',
    file: 'app/tokens/refresh-grant.ts',
    find: "const refreshToken = status >= 500 ? textOf(body, 'refresh_token') : undefined",
    replace: "const refreshToken = textOf(body, 'refresh_token')",
    test: 'app/tokens/refresh-grant.test.ts',
  },
  {
    promise: 'T8',
    what: 'let the tokens in doubt push out the one that was honoured',
    file: 'app/tokens/after-refresh.ts',
    find: 'waiting.findIndex((other) => other !== honoured)',
    replace: "waiting.findIndex((other) => other !== '')",
    test: UNPROVEN_TEST,
  },
  {
    promise: 'T8',
    what: 'forget across a restart which tokens are in doubt',
    file: 'main/vault/token-records.ts',
    find: '  if (doubt !== undefined) {\n',
    replace: '  if (doubt !== undefined && doubt.waiting.length > 9) {\n',
    test: UNPROVEN_TEST,
  },
  {
    promise: 'R2',
    what: 'revoke a token that may be the text of an error',
    file: 'app/tokens/after-revocation.ts',
    find: 'return token.doubt !== undefined || (lostAnswer && !token.keepsToken)',
    replace: 'return lostAnswer && !token.keepsToken',
    test: UNPROVEN_TEST,
  },
  {
    promise: 'T9',
    what: 'take a late 401 for one to the token that is held',
    file: 'main/tokens/keeper.ts',
    find: 'if (access?.value !== value || ',
    replace: "if (access === undefined || value === '' || ",
    test: KEEPER_TEST,
  },
  {
    promise: 'T9',
    what: 'discard a token at its first 401',
    file: KEEPER,
    find: 'const isDue =',
    replace:
      'this.#store.use({ ...this.#store.state, access: { ...access, expiresAtMs: 0 } })\n    const isDue =',
    test: GATEWAY_FAULTS_TEST,
  },
  {
    promise: 'T9',
    what: 'leave a 401 to a token of the last ten seconds without a refresh',
    file: KEEPER,
    find: '(!isDue || failures > 0)',
    replace: '(!isDue || failures > 0 || this.#now() - access.issuedAtMs < 10_000)',
    test: GATEWAY_FAULTS_TEST,
  },
  {
    promise: 'T9',
    what: 'refresh for a 401 although a refresh that failed has its own time to retry',
    file: KEEPER,
    find: '(!isDue || failures > 0)',
    replace: '!isDue',
    test: KEEPER_TEST,
  },
  {
    promise: 'T9',
    what: 'make whoever got a 401 wait as long as the sign-in host does not answer',
    file: KEEPER,
    find: 'this.#deps.clock.after(MAX_REPLACEMENT_MS, resolve)',
    replace: 'this.#deps.clock.after(10 * MAX_REPLACEMENT_MS, resolve)',
    test: KEEPER_TEST,
  },
  {
    promise: 'T9',
    what: 'refresh at each 401 of a path that rejects every token',
    file: REJECTIONS,
    find: 'if (before !== undefined && before.token !== token) {',
    replace: "if (before !== undefined && before.token === '') {",
    test: KEEPER_TEST,
  },
  {
    promise: 'T9',
    what: 'let every path wait for one that rejects every token',
    file: REJECTIONS,
    find: 'this.#notBeforeMs = nowMs + waitMs(1)',
    replace: 'this.#notBeforeMs = nowMs + waitMs(failures)',
    test: KEEPER_TEST,
  },
  {
    promise: 'T9',
    what: 'forget what a path rejected only at its next refresh',
    file: REJECTIONS,
    find: 'this.#paths.delete(path)\n  }\n\n  #note',
    replace: 'this.#paths.get(path)\n  }\n\n  #note',
    test: GATEWAY_FAULTS_TEST,
  },
  {
    promise: 'T9',
    what: 'ask again and again for another token where the service gives the same one',
    file: REJECTIONS,
    find: 'if (this.#asked?.token === token && nowMs < this.#asked.untilMs) return false',
    replace: 'if (this.#asked?.token === token && nowMs < 0) return false',
    test: KEEPER_TEST,
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
    promise: 'T10',
    what: 'sign in with the string of an answer that is no whole grant',
    file: 'main/sign-in/code-exchange.ts',
    find: "if (whole?.kind !== 'renewed' || whole.refreshToken === undefined) return undefined",
    replace:
      "if (whole === undefined || !('refreshToken' in whole) || whole.refreshToken === undefined) return undefined",
    test: 'main/sign-in/code-exchange.test.ts',
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
  {
    promise: 'R2',
    what: 'do not wait for the refresh under way',
    file: REVOCATION,
    find: FLIGHT_OR_DOUBT,
    replace: 'this.#resolveDoubt()',
    test: STORIES_TEST,
  },
  {
    promise: 'R2',
    what: 'take a 200 for a token that may be dead as the end of the live one',
    file: 'app/tokens/after-revocation.ts',
    find: '  if (!isInDoubt(state)) return undefined\n',
    replace: '  if (!isInDoubt(state) || state.failures > 0) return undefined\n',
    test: 'main/tokens/revoke-in-doubt.test.ts',
  },
]
