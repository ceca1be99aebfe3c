import type { Mutant } from './registry.ts'

const TAP = 'main/api/quota-tap.ts'
const TAP_TEST = 'main/api/quota-tap.test.ts'
const NODE_HTTP = 'main/network/http-client.ts'
const NODE_HTTP_TEST = 'main/network/http-client.test.ts'

const ERRORS_ARE_OUTCOMES = `        outgoing.on('error', (error) => finish(lost(wordsOf(error))))
        // Also fires without an error, as when the other side answers with an unrequested upgrade.
        outgoing.on('close', () => {
          if (!answered) finish(lost('connection lost'))
        })
`
const ASK_AGAIN = `        outgoing.on('error', (error) => {
          if (answered) return
          const again = start(request)
          if (typeof again === 'string') return
          again.on('error', () => finish(lost(wordsOf(error))))
          again.on('response', () => finish(lost(wordsOf(error))))
          again.end(request.body)
        })
`

/** Mutants of what becomes of a request that nobody answers, that is given up, or that is refused without a word. */
export const REQUEST_MUTANTS: readonly Mutant[] = [
  {
    promise: 'T3',
    what: 'take a body that is shorter than its length for an answer',
    file: NODE_HTTP,
    find: "response.on('error', (error) => finish({ kind: 'unknown', why: wordsOf(error) }))",
    replace:
      "response.on('error', () => finish({ kind: 'answer', status: response.statusCode ?? 0, headers: headersOf(response), body: body.text() }))",
    test: NODE_HTTP_TEST,
  },
  {
    promise: 'T4',
    what: 'ask again when a connection was reset',
    file: NODE_HTTP,
    find: ERRORS_ARE_OUTCOMES,
    replace: ASK_AGAIN,
    test: NODE_HTTP_TEST,
  },
  {
    promise: 'Q2',
    what: 'take every 429 for an empty bucket',
    file: 'app/service/errors.ts',
    find: "return rate ? 'rate' : 'unsaid'",
    replace: "return rate || body ? 'rate' : 'rate'",
    test: TAP_TEST,
  },
  {
    promise: 'Q2',
    what: 'forget that a request that was hung up on may count later',
    file: TAP,
    find: 'this.#deps.timeline.now(), ON_ITS_WAY_MS)',
    replace: 'this.#deps.timeline.now(), 0 * ON_ITS_WAY_MS)',
    test: TAP_TEST,
  },
  {
    promise: 'Q5',
    what: 'say nothing of a request that is refused without a number',
    file: TAP,
    find: 'const begun = this.#problems.refused(row, refused, now)',
    replace: 'const begun = status > 999 ? this.#problems.refused(row, refused, now) : undefined',
    test: 'main/api/refused-requests.test.ts',
  },
  {
    promise: 'T9',
    what: 'leave a key alone for ten minutes after a 401 on a token that was just issued',
    file: 'app/retry/schedules.ts',
    find: 'unauthorized: { stepsMs: [10_000, 30_000,',
    replace: 'unauthorized: { stepsMs: [600_000, 600_000,',
    test: 'main/api/refused-requests.test.ts',
  },
  {
    promise: 'T11',
    what: 'show the message of a refusal as it came',
    file: 'app/service/errors.ts',
    find: 'const line = clean(said.slice(0, LONGEST_CLEANED))',
    replace: 'const line = said.slice(0, clean(said).length + LONGEST_CLEANED)',
    test: 'main/api/refused-requests.test.ts',
  },
  {
    promise: 'Q5',
    what: 'call a row whose requests are refused ok',
    file: 'app/status/quota-status.ts',
    find: 'if (problem !== undefined) return { state, ...problemStatus(problem) }',
    replace: 'if (problem === null) return { state, ...problemStatus(problem) }',
    test: 'app/status/problem-status.test.ts',
  },
  {
    promise: 'Q7',
    what: 'go on after a 429 that does not say of what',
    file: TAP,
    find: 'retryAtMs: this.#hold(charged, { reading, before }, now) }',
    replace: 'retryAtMs: this.#hold(charged + charged, { reading, before }, now) }',
    test: TAP_TEST,
  },
  {
    promise: 'R3',
    what: 'send what waited for its token after the key was stopped',
    file: 'main/api/client.ts',
    find: 'const access = this.#isStopped ? undefined',
    replace: "const access = this.#isStopped && this.#deps.usable().kind === 'none' ? undefined",
    test: 'main/api/client.test.ts',
  },
  {
    promise: 'R3',
    what: 'look at a stream with the token that was handed out before a revocation',
    file: 'main/streams/stream-check.ts',
    find: 'await deps.access()\n  const token = deps.usable()',
    replace: 'const token = await deps.access()',
    test: 'main/streams/stream-check.test.ts',
  },
  {
    promise: 'R3',
    what: 'send the token that was handed out before a revocation',
    file: 'main/api/client.ts',
    find: 'await this.#deps.access()\n    const { answer, token } = await this.#inTurn(request)',
    replace:
      'const held = await this.#deps.access()\n    const { answer, token } =\n      held.kind === "token" ? { answer: await this.#send(request, held.value), token: held.value } : await this.#inTurn(request)',
    test: 'main/api/client.test.ts',
  },
  {
    promise: 'D2',
    what: 'leave a damaged settings file where the next write destroys it',
    file: 'main/storage/set-aside.ts',
    find: 'renameSync(path, join(folder, aside))',
    replace: 'join(folder, aside)',
    test: 'main/alerts/alerts.test.ts',
  },
  {
    promise: 'Q7',
    what: 'take a proxy’s refusal for one that the service has told',
    file: 'app/quota/row-problems.ts',
    find: 'if (this.#told.get(category)?.status === status) return undefined',
    replace:
      'if (this.#told.has(category) || this.#rows.get(category)?.since !== Math.round(nowMs)) return undefined',
    test: 'app/quota/row-problems.test.ts',
  },
]
