import { BROWSER_HOST_SABOTAGES } from './browser-host-breaks.ts'
import { DESKTOP_SABOTAGES } from './desktop-breaks.ts'
import { HARDENING_SABOTAGES } from './hardening-breaks.ts'
import { HOSTILE_SABOTAGES } from './hostile-breaks.ts'
import { REQUEST_SABOTAGES } from './request-breaks.ts'
import { SIGN_IN_SABOTAGES } from './sign-in-breaks.ts'
import { STORAGE_SABOTAGES } from './storage-registry.ts'
import { STREAM_SABOTAGES } from './stream-breaks.ts'
import { WINDOW_SABOTAGES } from './window-breaks.ts'

/** One deliberate break. It type-checks, and the test it names turns red by an assertion; or the promise is only claimed. */
export interface Sabotage {
  /** As in the list of promises. */
  readonly promise: string
  readonly what: string
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** Path under test/ of what notices it: a file of unit tests, or a `.spec.ts` of what only a browser can notice. */
  readonly test: string
  /** Of a spec, only the tests with this in their title. */
  readonly grep?: string
}

/** What must be green before the break, and red after it. */
export type Proof = Pick<Sabotage, 'test' | 'grep'>

const REFRESH = 'main/tokens/key-refresh.ts'
const REVOCATION = 'main/tokens/key-revocation.ts'
const KEEPER_TEST = 'main/tokens/keeper.test.ts'
const TAP = 'main/api/quota-tap.ts'
const TAP_TEST = 'main/api/quota-tap.test.ts'
const STREAM_TEST = 'main/streams/stream-keeper.test.ts'
const STORIES_TEST = 'simulation/stories.test.ts'

const FLIGHT_OR_DOUBT = 'this.#deps.refresh.flight ?? this.#resolveDoubt()'

const ERRORS_ARE_OUTCOMES = `        outgoing.on('error', (error) => finish(lost(wordsOf(error))))
        // Also without an error, as when the other side answers with an upgrade that nobody asked for.
        outgoing.on('close', () => {
          if (!answered) finish(lost('connection lost'))
        })
`
const ASK_AGAIN = `        outgoing.on('error', (error) => {
          if (answered) return
          const again = begin(request)
          again.on('error', () => finish(lost(wordsOf(error))))
          again.on('response', () => finish(lost(wordsOf(error))))
          again.end(request.body)
        })
`

export const SABOTAGES: readonly Sabotage[] = [
  {
    promise: 'T1',
    what: 'do not try a lost answer again at once',
    file: REFRESH,
    find: "if (outcome.kind !== 'unknown' || this.#held.state.lostAnswer) return",
    replace: "if (outcome.kind !== 'unknown' || this.#deps.lifetimes().absoluteMs > 0) return",
    test: KEEPER_TEST,
  },
  {
    promise: 'T2',
    what: 'go on with the refresh after a refusal',
    file: 'app/tokens/after-refresh.ts',
    find: "standing: { kind: 'sign-in-required', ...why },",
    replace: "standing: { kind: 'active' },",
    test: KEEPER_TEST,
  },
  {
    promise: 'T3',
    what: 'take a body that is shorter than its length for an answer',
    file: 'main/ports/node-http.ts',
    find: "response.on('error', (error) => finish({ kind: 'unknown', why: wordsOf(error) }))",
    replace:
      "response.on('error', () => finish({ kind: 'answer', status: response.statusCode ?? 0, headers: headersOf(response), body: Buffer.concat(parts).toString('utf8') }))",
    test: 'main/ports/node-http.test.ts',
  },
  {
    promise: 'T4',
    what: 'ask again when a connection was reset',
    file: 'main/ports/node-http.ts',
    find: ERRORS_ARE_OUTCOMES,
    replace: ASK_AGAIN,
    test: 'main/ports/node-http.test.ts',
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
    find: 'token: adopted(token, given, nowMs, false),',
    replace:
      "token: adopted(token, given, nowMs, false), standing: { kind: 'sign-in-required', reason: outcome.why },",
    test: KEEPER_TEST,
  },
  {
    promise: 'T8',
    what: 'believe an OAuth error on a 503',
    file: 'app/tokens/refresh-grant.ts',
    find: 'if (status === 429 || status >= 500) {',
    replace: 'if (status === 418) {',
    test: KEEPER_TEST,
  },
  {
    promise: 'T9',
    what: 'do not look at sleep: trust the monotonic clock alone',
    file: 'main/timeline.ts',
    find: 'if (gapMs > GAP_MS) this.#offsetMs += gapMs\n',
    replace: 'if (gapMs > Number.MAX_VALUE) this.#offsetMs += gapMs\n',
    test: KEEPER_TEST,
  },
  {
    promise: 'T9',
    what: 'follow the wall clock wherever it goes',
    file: 'main/timeline.ts',
    find: 'this.#latestMs = Math.max(this.#latestMs, monotonicMs + this.#offsetMs)',
    replace: 'this.#latestMs = this.#clock.wallMs()',
    test: 'main/timeline.test.ts',
  },
  {
    promise: 'T12',
    what: 'ignore a new refresh token',
    file: 'app/tokens/after-refresh.ts',
    find: 'generation: token.generation + 1, refreshToken, rotatedAtMs: nowMs',
    replace: 'generation: token.generation + 1, rotatedAtMs: nowMs',
    test: KEEPER_TEST,
  },
  {
    promise: 'R1',
    what: 'take a 503 for a confirmation',
    file: 'app/tokens/revocation.ts',
    find: 'if (status === 200) {',
    replace: 'if (status === 200 || status === 503) {',
    test: KEEPER_TEST,
  },
  {
    promise: 'R2',
    what: 'revoke the token held before the refresh under way',
    file: REVOCATION,
    find: `    const refresh = ${FLIGHT_OR_DOUBT}\n    const refreshed = refresh && (await refresh)\n    this.#held.hold({ ...this.#held.state, access: undefined })\n`,
    replace: `    const { token } = this.#held.state\n    const refresh = ${FLIGHT_OR_DOUBT}\n    const refreshed = refresh && (await refresh)\n    this.#held.hold({ ...this.#held.state, access: undefined, token })\n`,
    test: KEEPER_TEST,
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
  {
    promise: 'R4',
    what: 'keep retrying a revocation after a newer sign-in',
    file: 'main/monitor.ts',
    find: 'if (other.hasKeyOf(profile)) other.standDown()',
    replace: 'if (other.hasKeyOf(profile)) other.wake()',
    test: STORIES_TEST,
  },
  {
    promise: 'Q1',
    what: 'invert the rate of replenishment',
    file: 'app/quota/level-bounds.ts',
    find: "return this.#model === 'rolling' ? this.limit / this.periodMs : 0",
    replace: "return this.#model === 'rolling' ? this.periodMs / this.limit / 1e6 : 0",
    test: 'app/quota/bucket-bounds.test.ts',
  },
  {
    promise: 'Q1',
    what: 'invert the rate of replenishment, seen by the whole monitor',
    file: 'app/quota/level-bounds.ts',
    find: "return this.#model === 'rolling' ? this.limit / this.periodMs : 0",
    replace: "return this.#model === 'rolling' ? this.periodMs / this.limit / 1e6 : 0",
    test: 'simulation/bounds.test.ts',
  },
  {
    promise: 'Q2',
    what: 'compare points instead of bounds',
    file: 'app/quota/bucket.ts',
    find: 'const proved = !isFirst && level.low - inFlight - shownThen > TOLERANCE',
    replace: 'const proved = !isFirst && (level.low + level.high) / 2 - (low + shownThen) / 2 > TOLERANCE',
    test: 'app/quota/bucket-elsewhere.test.ts',
  },
  {
    promise: 'Q3',
    what: 'fix the model at start',
    file: 'app/quota/level-bounds.ts',
    find: "} else this.#change('fixed', shown)",
    replace: "} else this.#change('rolling', shown)",
    test: 'app/quota/bucket.test.ts',
  },
  {
    promise: 'Q4',
    what: 'parse numbers without a check',
    file: 'app/service/headers.ts',
    find: 'if (value >= least && value <= most) return value',
    replace: 'if (!(value < least && value > most)) return Number.parseFloat(text)',
    test: 'app/service/headers.test.ts',
  },
  {
    promise: 'Q5',
    what: 'drop when a number was seen: its age is that of the snapshot',
    file: 'app/quota/view.ts',
    find: 'row.observedAt = Math.round(seen.atMs)',
    replace: 'row.observedAt = Math.round(nowMs)',
    test: 'simulation/ages.test.ts',
  },
  {
    promise: 'Q5',
    what: 'show an old number as a live one',
    file: 'app/quota/stale.ts',
    find: "return quota.verdict !== 'blocked' && nowMs - quota.observedAt > STALE_AFTER_MS",
    replace: "return quota.verdict !== 'blocked' && nowMs - quota.observedAt > 10 * STALE_AFTER_MS",
    test: 'simulation/ages.test.ts',
  },
  {
    promise: 'Q1',
    what: 'read Reset as the wait for each request',
    file: 'app/quota/replenishment.ts',
    find: 'const secondsPerRequest = periodSeconds / limit',
    replace: 'const secondsPerRequest = periodSeconds / limit / Math.max(1, limit - remaining)',
    test: 'app/quota/bucket-bounds.test.ts',
  },
  {
    promise: 'Q6',
    what: 'check now whatever is held',
    file: 'main/api/prober.ts',
    find: 'if (row.blockedUntil !== undefined) return refusals.held(category, row.blockedUntil, now)',
    replace: 'if (row.blockedUntil === 0) return refusals.held(category, row.blockedUntil, now)',
    test: 'main/api/prober.test.ts',
  },
  {
    promise: 'Q6',
    what: 'probe as often with nobody looking',
    file: 'app/quota/probe-plan.ts',
    find: 'if (!attended) return calmMs * SLOWER.unattended',
    replace: 'if (!attended) return calmMs',
    test: 'main/api/prober.test.ts',
  },
  {
    promise: 'Q6',
    what: 'probe into a held bucket',
    file: 'app/quota/probe-plan.ts',
    find: 'if (row.blockedUntil !== undefined) return Math.max(row.blockedUntil, nowMs + 1)',
    replace: 'if (row.blockedUntil === 0) return Math.max(row.blockedUntil, nowMs + 1)',
    test: 'main/api/prober.test.ts',
  },
  {
    promise: 'Q6',
    what: 'open streams into a held bucket',
    file: 'main/streams/succession.ts',
    find: 'if (notBeforeMs !== undefined) {',
    replace: 'if (notBeforeMs === 0) {',
    test: STREAM_TEST,
  },
  {
    promise: 'Q6',
    what: 'forget what probes have cost',
    file: 'app/quota/probe-plan.ts',
    find: 'if (opensAtMs > nowMs) return opensAtMs',
    replace: 'if (opensAtMs > nowMs && row.limit === 0) return opensAtMs',
    test: 'main/api/prober.test.ts',
  },
  {
    promise: 'Q7',
    what: 'hold every category',
    file: TAP,
    find: 'ledger.hold(category, { untilMs, refusals })',
    replace: 'for (const row of ledger.view(now)) ledger.hold(row.category, { untilMs, refusals })',
    test: TAP_TEST,
  },
  {
    promise: 'Q7',
    what: 'a trial request in a bucket that nobody has seen to fill gradually',
    file: TAP,
    find: 'size && ledger.isProvedRolling(category)',
    replace: 'size && ledger.sizeOf(category)',
    test: TAP_TEST,
  },
  {
    promise: 'Q7',
    what: 'no floor under a Reset that was waited for and refused again',
    file: TAP,
    find: ': Math.max(resetMs, again > 0 ? FIRST_FLOOR_MS * 2 ** again : 0)',
    replace: ': Math.max(resetMs, again > 0 ? FIRST_FLOOR_MS : 0)',
    test: TAP_TEST,
  },
  {
    promise: 'Q7',
    what: 'no backoff where a 429 has no headers',
    file: TAP,
    find: '? FALLBACK_SECONDS * 1000 * 2 ** again',
    replace: '? FALLBACK_SECONDS * 1000 * 1 ** again',
    test: TAP_TEST,
  },
  {
    promise: 'S1',
    what: 'frame each chunk by itself',
    file: 'app/streams/framer.ts',
    find: 'this.#keep(chunk.subarray(from))',
    replace: 'if (from > 0) this.#keep(chunk.subarray(from))',
    test: 'app/streams/framer.test.ts',
  },
  {
    promise: 'S1',
    what: 'look at the text instead of parsing the frame',
    file: 'app/streams/frames.ts',
    find: "if (status === 'GoAway' || error === 'GoAway') return { kind: 'going-away' }",
    replace: "if (line.includes('GoAway')) return { kind: 'going-away' }",
    test: 'app/streams/frames.test.ts',
  },
  {
    promise: 'S3',
    what: 'end the stream for one symbol',
    file: 'app/streams/frames.ts',
    find: "if (typeof symbol === 'string' && !FATAL.has(error)) {",
    replace: "if (typeof symbol === 'string' && FATAL.has(error)) {",
    test: STREAM_TEST,
  },
  {
    promise: 'S5',
    what: 'no jitter',
    file: 'app/streams/backoff.ts',
    find: 'return bound * chance',
    replace: 'return bound + 0 * chance',
    test: 'app/streams/backoff.test.ts',
  },
  {
    promise: 'W5',
    what: 'compare the start of a host',
    file: 'main/browser/request-gate.ts',
    find: '!hostsOf(port).includes(host)',
    replace: '!hostsOf(port).some((known) => host.startsWith(known))',
    test: 'main/browser/request-gate.test.ts',
  },
  {
    promise: 'W6',
    what: 'send every change to a window, hidden or not',
    file: 'main/publisher.ts',
    find: '    if (lane.due) return\n    const waitMs = lane.lastMs + PUBLISH_EVERY_MS - this.#clock.monotonicMs()',
    replace: '    const waitMs = lane.lastMs * 0',
    test: 'main/publisher.test.ts',
  },
  ...HARDENING_SABOTAGES,
  ...DESKTOP_SABOTAGES,
  ...STREAM_SABOTAGES,
  ...STORAGE_SABOTAGES,
  ...SIGN_IN_SABOTAGES,
  ...BROWSER_HOST_SABOTAGES,
  ...WINDOW_SABOTAGES,
  ...HOSTILE_SABOTAGES,
  ...REQUEST_SABOTAGES,
]
