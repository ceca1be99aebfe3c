import type { Mutant } from './registry.ts'

const LIVES_TEST = 'simulation/gateway-lives.test.ts'
const LAWS_TEST = 'app/gateway/scheduler-laws.test.ts'
const DOOR_TEST = 'main/gateway/gateway.test.ts'
const MANY_TEST = 'main/gateway/many-connections.test.ts'
const HOSTILE_TEST = 'main/gateway/hostile-answers.test.ts'
const REMOVAL_TEST = 'main/gateway/token-removal.test.ts'
const FORWARD = 'main/network/forward-http.ts'
const SCHEDULER = 'app/gateway/scheduler.ts'
const BOUND = 'app/gateway/bucket-bound.ts'
const QUEUE = 'app/gateway/bucket-queue.ts'
const FAIR_QUEUE = 'app/gateway/fair-queue.ts'

/** Mutants of the code that decides when each program's requests are sent upstream. */
export const GATEWAY_MUTANTS: readonly Mutant[] = [
  {
    promise: 'T14',
    what: 'compare each place of a secret that repeats itself',
    file: 'main/ports/redactor.ts',
    find: 'if (places.at(-2)?.[0] === spelling) places.pop()',
    replace: 'if (places.at(-2)?.[0] === spelling.slice(1)) places.pop()',
  },
  {
    promise: 'G1',
    what: 'never serve on a port that was taken at the start',
    file: 'main/gateway/gateway.ts',
    find: 'if (!isEnded) await this.#serveOnceFree',
    replace: 'if (isEnded) await this.#serveOnceFree',
    test: 'main/gateway/gateway-changes.test.ts',
  },
  {
    promise: 'G6',
    what: 'add a program whose key nobody got',
    file: 'main/hosts/terminal/gateway-commands.ts',
    find: 'if (end !== undefined) return withoutKey(name, end, flags, deps)',
    replace: 'if (end !== undefined) return EXIT_FAILURE',
    test: 'main/hosts/terminal/gateway.process.test.ts',
  },
  {
    promise: 'G6',
    what: 'hand programs the token in base64',
    file: 'main/gateway/token-removal.ts',
    find: '[...inHex, ...inBase64]',
    replace: '[...inHex]',
  },
  {
    promise: 'G6',
    what: 'hand programs the token in hexadecimal',
    file: 'main/gateway/token-removal.ts',
    find: '[...inHex, ...inBase64]',
    replace: '[...inBase64]',
  },
  {
    promise: 'G6',
    what: 'hand programs the token in the body of a redirect',
    file: 'main/gateway/sending.ts',
    find: 'if (answer.status < 300) {',
    replace: 'if (answer.status < 400) {',
    test: REMOVAL_TEST,
  },
  {
    promise: 'G9',
    what: 'count a stream that opens again and says nothing as served',
    file: 'main/gateway/shared-stream.ts',
    find: 'if (this.#state.isCatchingUp) this.#awaitService()\n',
    replace: 'if (this.#state.isCatchingUp) this.#awaitService()\n    else this.#isServed()\n',
    test: 'main/gateway/stream-hub.test.ts',
  },
  {
    promise: 'G9',
    what: 'take line ends alone for a stream that is served',
    file: 'main/gateway/shared-stream.ts',
    find: 'if (lines.length > 0 && !this.#state.isCatchingUp) this.#isServed()',
    replace: 'if (lines.length >= 0 && !this.#state.isCatchingUp) this.#isServed()',
    test: 'main/gateway/stream-hub.test.ts',
  },
  {
    promise: 'G6',
    what: 'hand programs the token in an error on their stream',
    file: 'main/gateway/shared-stream.ts',
    find: `frame.includes('"Error"')`,
    replace: `frame.includes('"Error "')`,
    test: 'main/gateway/stream-hub.test.ts',
  },
  {
    promise: 'T14',
    what: 'lose a rotated token to a byte order mark',
    file: 'app/service/json.ts',
    find: "marked.startsWith('\\uFEFF') ? marked.slice(1) : marked",
    replace: 'marked',
    test: 'app/tokens/refresh-grant.test.ts',
  },
  {
    promise: 'G8',
    what: 'replace the programs of a file that could not be read',
    file: 'main/storage/json-file.ts',
    find: 'this.#unreadAtMs = nowMs',
    replace: 'this.#unreadAtMs = undefined',
  },
  {
    promise: 'G9',
    what: 'close the connection of a program that is silent for six seconds',
    file: 'main/gateway/door.ts',
    find: 'idleMs: 75_000',
    replace: 'idleMs: 5_000',
    test: MANY_TEST,
  },
  {
    promise: 'G9',
    what: 'keep any number of idle connections for as long as a few',
    file: 'main/network/loopback-servers.ts',
    find: 'open > MANY_CONNECTIONS',
    replace: 'open < 0',
    test: MANY_TEST,
  },
  {
    promise: 'G10',
    what: 'wait for a refresh longer than the program that got a 401',
    file: 'main/gateway/forwarder.ts',
    find: 'Math.max(MIN_TOKEN_WAIT_MS, ...waitsMs)',
    replace: '600_000',
    test: 'main/gateway/faults.test.ts',
  },
  {
    promise: 'G6',
    what: 'leave the socket file deleted',
    file: 'main/control/control-server.ts',
    find: "path.kind === 'pipe' || lstatSync",
    replace: "path.path !== '' || lstatSync",
  },
  {
    promise: 'G6',
    what: 'reset commands beyond 16 in one instant',
    file: 'main/control/control-server.ts',
    find: 'MAX_CONNECTIONS = 256',
    replace: 'MAX_CONNECTIONS = 16',
  },
  {
    promise: 'G1',
    what: 'write that a request cannot be read into the answer to another one',
    file: 'main/gateway/door.ts',
    find: "else before.once('finish', () => endWith(socket, problem))",
    replace: 'else endWith(socket, problem)',
  },
  {
    promise: 'G1',
    what: 'leave a request open for ever whose body is broken or unfinished',
    file: 'main/gateway/door.ts',
    find: 'if (before?.req.complete === false && !before.headersSent) sendProblem(before, problem)',
    replace: 'if (before?.req.complete === false && !before.headersSent) return',
    test: 'main/gateway/request-bodies.test.ts',
  },
  {
    promise: 'G7',
    what: 'read a form of any length from a caller without a key',
    file: 'main/gateway/door.ts',
    find: 'const MAX_FORM_BYTES = 16 << 10',
    replace: 'const MAX_FORM_BYTES = MAX_BODY_BYTES',
    test: 'main/gateway/request-bodies.test.ts',
  },
  {
    promise: 'G1',
    what: 'pass an answer on as plain that is compressed in transfer',
    file: 'main/network/node-wire.ts',
    find: '!isFramedPlainly(answer.headers)',
    replace: '!isFramedPlainly({})',
    test: HOSTILE_TEST,
  },
  {
    promise: 'G7',
    what: 'take a body in a transfer coding for the body',
    file: 'main/gateway/door.ts',
    find: 'if (!isFramedPlainly(request.headers))',
    replace: 'if (!isFramedPlainly({}))',
  },
  {
    promise: 'G1',
    what: 'let the 33rd process of a program end the token of the first',
    file: 'main/gateway/programs.ts',
    find: 'const MAX_TOKENS_PER_PROGRAM = 1_000',
    replace: 'const MAX_TOKENS_PER_PROGRAM = 32',
  },
  {
    promise: 'G1',
    what: 'wait for a token longer than the caller waits',
    file: 'main/gateway/forwarder.ts',
    find: 'Math.max(MIN_TOKEN_WAIT_MS, maxWaitMs), access())',
    replace: '60_000 + Math.max(MIN_TOKEN_WAIT_MS, maxWaitMs), access())',
  },
  {
    promise: 'G1',
    what: 'resend a request after each cut',
    file: 'app/gateway/upstream.ts',
    find: 'if (this.#resent?.has(reason)) return false',
    replace: "if (this.#resent?.has(reason) && reason !== 'cut') return false",
    test: LAWS_TEST,
  },
  {
    promise: 'G1',
    what: 'forget a request when its patience ends, without an answer',
    file: SCHEDULER,
    find: 'decisions.push(...this.#expire(now, now))',
    replace: 'this.#expire(now, now)',
    test: LAWS_TEST,
  },
  {
    promise: 'G1',
    what: 'send what is over after a sleep when a program asks first',
    file: SCHEDULER,
    find: 'const overslept = this.#overslept(now)\n    const order',
    replace: 'const overslept: Decision[] = []\n    const order',
  },

  {
    promise: 'G1',
    what: 'resend a request whose answer was cut within its head',
    file: 'main/network/node-wire.ts',
    find: "if (hasAnswerBegun()) failed('broken', why)",
    replace: "if (hasAnswerBegun() && why === '') failed('broken', why)",
    test: HOSTILE_TEST,
  },

  {
    promise: 'G12',
    what: 'pass on an answer of any status',
    file: FORWARD,
    find: 'if (isFinalStatus(status)) {',
    replace: 'if (isFinalStatus(status) || status > 599) {',
    test: HOSTILE_TEST,
  },

  {
    promise: 'G10',
    what: 'repeat a request after each 401',
    file: 'app/gateway/upstream.ts',
    find: 'this.#resent.add(reason)',
    replace: "if (reason !== 'unauthorized') this.#resent.add(reason)",
    test: LIVES_TEST,
  },

  {
    promise: 'G2',
    what: 'keep nothing back',
    file: 'app/contract/programs.ts',
    find: 'Math.max(1, Math.ceil(DEFAULT_RESERVE_SHARE * limit))',
    replace: 'Math.min(0, Math.ceil(DEFAULT_RESERVE_SHARE * limit))',
    test: LAWS_TEST,
  },

  {
    promise: 'G7',
    what: 'let in a connection whose user is not found',
    file: 'main/gateway/peer-user.ts',
    find: "if (peer === 'gone') return 'gone'",
    replace: "if (peer === 'gone') return 'own'",
  },

  {
    promise: 'G2',
    what: 'take a burst that has stopped for a rate',
    file: 'app/gateway/served-rates.ts',
    find: 'counted(rate, nowMs, steady.of(1, nowMs))',
    replace: 'counted(rate, nowMs, Math.max(1, steady.of(1, nowMs)))',
    test: DOOR_TEST,
  },

  {
    promise: 'G2',
    what: 'try as ever while others use the whole refill',
    file: BOUND,
    find: "if (refused === 'rate' && remaining === 0) this.othersTakeAll",
    replace: "if (refused === 'rate' && remaining === -1) this.othersTakeAll",
    test: 'main/gateway/others-take-all.test.ts',
  },
  {
    promise: 'G2',
    what: 'trust a clock that is fast',
    file: BOUND,
    find: 'this.#meanGainPerMs * (1 - MAX_CLOCK_ERROR)',
    replace: 'this.#meanGainPerMs * (1 - 0 * MAX_CLOCK_ERROR)',
  },

  {
    promise: 'G3',
    what: 'reckon with no use but its own, whatever headers show',
    file: BOUND,
    find: 'Math.min(former, shown.least + inFlight)',
    replace: 'Math.max(former, shown.least + inFlight)',
    test: LAWS_TEST,
  },

  {
    promise: 'G4',
    what: 'first come, first served',
    file: FAIR_QUEUE,
    find: 'const bySooner = one.start - other.start',
    replace: 'const bySooner = one.order - other.order',
    test: LAWS_TEST,
  },

  {
    promise: 'G5',
    what: 'treat all classes alike',
    file: QUEUE,
    find: '{ critical: 0, normal: 1, background: 2 }',
    replace: '{ critical: 0, normal: 0, background: 0 }',
    test: LAWS_TEST,
  },

  {
    promise: 'G1',
    what: 'keep all of an answer for a reader that reads none of it',
    file: 'main/gateway/answer-relay.ts',
    find: 'if (reply.writableLength > MAX_BEHIND_BYTES) reply.destroy()',
    replace: 'if (reply.writableLength > 99 * MAX_BEHIND_BYTES) reply.destroy()',
  },
  {
    promise: 'G6',
    what: 'hand programs the access token in the body of an error',
    file: 'main/gateway/sending.ts',
    find: 'if (answer.status < 300) {',
    replace: 'if (answer.status !== 429) {',
    test: REMOVAL_TEST,
  },

  {
    promise: 'G6',
    what: 'hand programs the access token in the name of a field',
    file: 'main/gateway/answer-relay.ts',
    find: 'if (removal?.isIn(lower)) continue',
    replace: "if (removal?.isIn(lower) && value === '') continue",
    test: REMOVAL_TEST,
  },

  {
    promise: 'G6',
    what: 'hand readers the beginning of a long refusal of their stream',
    file: 'main/streams/stream-connection.ts',
    find: 'const MAX_REFUSAL_BYTES = 1 << 20',
    replace: 'const MAX_REFUSAL_BYTES = 4 << 10',
    test: REMOVAL_TEST,
  },

  {
    promise: 'G1',
    what: 'open a shared stream again whose answer had begun',
    file: 'main/gateway/stream-hub.ts',
    find: "if (state.code === 'broken-answer') this.#answerAll",
    replace: "if (state.code === 'broken-answer' && asked.attempts > 0) this.#answerAll",
    test: 'main/gateway/hostile-answers.test.ts',
  },

  {
    promise: 'G1',
    what: 'end an error that was cut as if it were whole',
    file: 'main/gateway/answer-relay.ts',
    find: "if (begun?.rest === 'cut' || body.destroyed) return void setImmediate(contained(cut))",
    replace: "if (begun?.rest === 'cut' || body.destroyed) return whole()",
    test: REMOVAL_TEST,
  },
  {
    promise: 'G12',
    what: 'let the service speak as Headroom',
    file: 'main/gateway/answer-relay.ts',
    find: 'isNaming(lower) ? withoutOwnMembers(lower, came) : came',
    replace: "isNaming(lower) && came === '' ? withoutOwnMembers(lower, came) : came",
    test: HOSTILE_TEST,
  },

  {
    promise: 'G6',
    what: 'refuse without saying who does',
    file: 'main/gateway/problem.ts',
    find: "'proxy-status': `",
    replace: "'x-status': `",
    test: DOOR_TEST,
  },
  {
    promise: 'G7',
    what: 'reset what a program connects at once beyond 128',
    file: 'main/network/loopback-servers.ts',
    find: 'mostConnections: 1_024',
    replace: 'mostConnections: 128',
    test: MANY_TEST,
  },

  {
    promise: 'G7',
    what: 'look up the user of every connection, whatever key it shows',
    file: 'main/gateway/door.ts',
    find: 'if (program === undefined) return sendProblem(reply, UNKNOWN_KEY)',
    replace:
      'if (program === undefined)\n      return void deps.callerOf(request.socket).then(() => sendProblem(reply, UNKNOWN_KEY))',
  },

  {
    promise: 'G6',
    what: 'call headers that are too long a request that cannot be read',
    file: 'main/gateway/door.ts',
    find: 'HPE_HEADER_OVERFLOW: denied(431',
    replace: 'HPE_HEADER_OVERFLOW: denied(400',
  },

  {
    promise: 'G7',
    what: 'decode the path of an order once only',
    file: 'main/gateway/caller-gate.ts',
    find: "namesOf(readingsOf(path) ?? []).includes('orderexecution')",
    replace: "namesOf((readingsOf(path) ?? []).slice(0, 2)).includes('orderexecution')",
    test: 'main/gateway/door.test.ts',
  },

  {
    promise: 'G7',
    what: 'take the first of two Authorization fields',
    file: 'main/gateway/door.ts',
    find: 'if (names.length !== 1) return undefined',
    replace: 'if (names.length < 1) return undefined',
  },
  {
    promise: 'G7',
    what: 'take any Host for our own',
    file: 'main/gateway/caller-gate.ts',
    find: 'if (ownHost(rawHeaders, port) === undefined)',
    replace: "if (ownHost(rawHeaders, port) === 'none')",
    test: 'main/gateway/door.test.ts',
  },
  {
    promise: 'G7',
    what: 'let pages in that a browser sends without an Origin',
    file: 'main/gateway/caller-gate.ts',
    find: "lower.startsWith('sec-fetch-') && lower !== 'sec-fetch-mode'",
    replace: "lower.startsWith('sec-fetch-') && lower === 'sec-fetch-mode' && lower.length > 99",
    test: 'main/gateway/door.test.ts',
  },

  {
    promise: 'G8',
    what: 'honour the local tokens of a program that was cut off',
    file: 'main/gateway/programs.ts',
    find: 'if (token.program === program.id) this.#tokens.delete(digest)',
    replace: "if (token.program === program.id && digest === '') this.#tokens.delete(digest)",
  },

  {
    promise: 'G7',
    what: 'let the programs of other users in',
    file: 'main/gateway/door.ts',
    find: "return caller === 'own' && !reply.destroyed",
    replace: 'return !reply.destroyed',
  },
  {
    promise: 'G5',
    what: 'leave requests with the former session of a key that is connected anew',
    file: 'main/gateway/gateway.ts',
    find: 'changed: (profile) => void this.#attach(profile),',
    replace: 'changed: (profile) => void (this.#attached.has(profile) || this.#attach(profile)),',
  },
  {
    promise: 'G5',
    what: 'count the hour that a clock was set ahead as time that a request waited',
    file: 'app/gateway/scheduler.ts',
    find: 'request.deadlineMs += toMs - fromMs',
    replace: 'request.deadlineMs += 0',
    test: 'main/gateway/faults.test.ts',
  },
  {
    promise: 'G1',
    what: 'end the gateway before its next port is known to be free',
    file: 'main/gateway/gateway.ts',
    find: '    let servers: LoopbackServers\n',
    replace:
      "    let servers: LoopbackServers\n    if (former !== undefined) await this.#end('the gateway is moving')\n",
    test: 'main/gateway/gateway-changes.test.ts',
  },
  {
    promise: 'G8',
    what: 'let a stored key work again once the program of its name in the environment was cut',
    file: 'main/gateway/programs.ts',
    find: 'const isStored = programs.length',
    replace: 'const isStored = !isGiven && programs.length',
  },
]
