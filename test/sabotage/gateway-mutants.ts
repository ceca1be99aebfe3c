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
    found: 'A line of 1 MB took 31 s to clean of secrets that repeat themselves',
    tests: ['a text of one repeated period is cleaned in time with as many secrets of that period'],
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
    found:
      'An error that repeats the token with escapes of JSON or HTML, in base64 or hexadecimal, or a redirect, exposed it',
    tests: ['replaces a token echoed %s', 'the token in the body of a redirect'],
  },
  {
    promise: 'G6',
    what: 'hand programs the token in hexadecimal',
    file: 'main/gateway/token-removal.ts',
    find: '[...inHex, ...inBase64]',
    replace: '[...inBase64]',
    found:
      'An error that repeats the token with escapes of JSON or HTML, in base64 or hexadecimal, or a redirect, exposed it',
  },
  {
    promise: 'G6',
    what: 'hand programs the token in the body of a redirect',
    file: 'main/gateway/sending.ts',
    find: 'if (answer.status < 300) {',
    replace: 'if (answer.status < 400) {',
    test: REMOVAL_TEST,
    found:
      'An error that repeats the token with escapes of JSON or HTML, in base64 or hexadecimal, or a redirect, exposed it',
  },
  {
    promise: 'G9',
    what: 'count a stream that opens again and says nothing as served',
    file: 'main/gateway/shared-stream.ts',
    find: 'if (this.state.isCatchingUp) this.#awaitService()\n',
    replace: 'if (this.state.isCatchingUp) this.#awaitService()\n    else this.#isServed()\n',
    test: 'main/gateway/stream-hub.test.ts',
    found: 'A shared stream that the service opened repeatedly without data was never reported as silent',
    tests: ['a service that opens a stream repeatedly, and sends %s on it, ends its readers too'],
  },
  {
    promise: 'G9',
    what: 'take line ends alone for a stream that is served',
    file: 'main/gateway/shared-stream.ts',
    find: 'if (lines.length > 0 && !this.state.isCatchingUp) this.#isServed()',
    replace: 'if (lines.length >= 0 && !this.state.isCatchingUp) this.#isServed()',
    test: 'main/gateway/stream-hub.test.ts',
    found: 'A shared stream that the service opened repeatedly without data was never reported as silent',
  },
  {
    promise: 'G6',
    what: 'hand programs the token in an error on their stream',
    file: 'main/gateway/shared-stream.ts',
    find: `frame.includes('"Error"')`,
    replace: `frame.includes('"Error "')`,
    test: 'main/gateway/stream-hub.test.ts',
    found: 'An error on an open stream that repeats the access token exposed it to each reader',
    tests: ['removes an access token echoed in a stream’s error, also for later readers'],
  },
  {
    promise: 'T14',
    what: 'lose a rotated token to a byte order mark',
    file: 'app/service/json.ts',
    find: "marked.startsWith('\\uFEFF') ? marked.slice(1) : marked",
    replace: 'marked',
    test: 'app/tokens/refresh-grant.test.ts',
    found: 'A byte order mark before the answer to a refresh cost a rotating key its token',
    tests: [
      'a byte order mark before a token response costs no token',
      ['app/service/json.test.ts', 'one leading byte order mark is ignored'],
    ],
  },
  {
    promise: 'G8',
    what: 'replace the programs of a file that could not be read',
    file: 'main/storage/json-file.ts',
    find: 'this.#unreadAtMs = nowMs',
    replace: 'this.#unreadAtMs = undefined',
    found: 'Programs, thresholds and preferences that could not be read were replaced by the next change',
    tests: ['an unreadable file is renamed before a new one replaces it'],
  },
  {
    promise: 'G9',
    what: 'close the connection of a program that is silent for six seconds',
    file: 'main/gateway/door.ts',
    find: 'idleMs: 75_000',
    replace: 'idleMs: 5_000',
    test: MANY_TEST,
    found: 'A program that sent a request every six seconds got a reset as its idle connection closed',
    tests: ['a program’s connection stays open for 75 s between two requests, whatever the response'],
  },
  {
    promise: 'G9',
    what: 'keep any number of idle connections for as long as a few',
    file: 'main/network/loopback-servers.ts',
    find: 'open > MANY_CONNECTIONS',
    replace: 'open < 0',
    test: MANY_TEST,
    found: 'Idle connections of one program could hold every file descriptor for more than a minute',
    tests: ['above 64 connections an idle one stays open for 5 s, until there are fewer'],
  },
  {
    promise: 'G10',
    what: 'wait for a refresh longer than the program that got a 401',
    file: 'main/gateway/forwarder.ts',
    find: 'Math.max(MIN_TOKEN_WAIT_MS, ...waitsMs)',
    replace: '600_000',
    test: 'main/gateway/faults.test.ts',
    found: 'A 401 took ten seconds whatever its Prefer while the sign-in host accepted and said nothing',
    tests: [
      'a 401 is passed on after the wait that its program chose',
      'a caller that joins a request waiting for a refresh',
    ],
  },
  {
    promise: 'G6',
    what: 'leave the socket file deleted',
    file: 'main/control/control-server.ts',
    find: "path.kind === 'pipe' || lstatSync",
    replace: "path.path !== '' || lstatSync",
    found: 'Once its socket file was deleted, no command reached a running Headroom',
    tests: ['a socket file that is deleted is there again after ten seconds, private, and answers'],
  },
  {
    promise: 'G6',
    what: 'reset commands beyond 16 in one instant',
    file: 'main/control/control-server.ts',
    find: 'MAX_CONNECTIONS = 256',
    replace: 'MAX_CONNECTIONS = 16',
    found: 'Of 40 commands in one instant 24 were reset, and of 300 scrapes 123',
    tests: [
      '200 commands in one instant',
      ['main/metrics/metrics.test.ts', '300 scrapes at once all get a response'],
    ],
  },
  {
    promise: 'G1',
    what: 'write that a request cannot be read into the answer to another one',
    file: 'main/gateway/door.ts',
    find: "else before.once('finish', () => endWith(socket, problem))",
    replace: 'else endWith(socket, problem)',
    found: 'Unreadable bytes after a request got their error in the middle of that request’s response',
    tests: ['writes %s after the response in progress, not within it'],
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
    found:
      'Bodies compressed in transfer (`Transfer-Encoding: gzip, chunked`) were passed on as if they were not',
    tests: ['a response in an unknown transfer coding is 502, and the next one is served'],
  },
  {
    promise: 'G7',
    what: 'take a body in a transfer coding for the body',
    file: 'main/gateway/door.ts',
    find: 'if (!isFramedPlainly(request.headers))',
    replace: 'if (!isFramedPlainly({}))',
    found:
      'Bodies compressed in transfer (`Transfer-Encoding: gzip, chunked`) were passed on as if they were not',
    tests: ['rejects a body in an unsupported transfer coding, and sends none of it'],
  },
  {
    promise: 'G1',
    what: 'let the 33rd process of a program end the token of the first',
    file: 'main/gateway/programs.ts',
    find: 'const MAX_TOKENS_PER_PROGRAM = 1_000',
    replace: 'const MAX_TOKENS_PER_PROGRAM = 32',
    found: 'Of a program of 40 processes, each with a local token of its own, eight got 401',
    tests: ['new local tokens replace a program’s oldest ones, never others’'],
  },
  {
    promise: 'G1',
    what: 'wait for a token longer than the caller waits',
    file: 'main/gateway/forwarder.ts',
    find: 'Math.max(MIN_TOKEN_WAIT_MS, maxWaitMs), access())',
    replace: '60_000 + Math.max(MIN_TOKEN_WAIT_MS, maxWaitMs), access())',
    found:
      'A sign-in host that accepts and never responds made programs wait for 38 s, whatever their `Prefer`',
    tests: [
      'waits for a token as long as the caller waits',
      'time spent on a token is no longer available for the turn',
    ],
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
    found:
      'After a suspension a request whose longest wait had ended was sent, if another one was read first',
    tests: [
      [
        'main/gateway/sleep.process.test.ts',
        'after a suspension, late requests are declined, new ones answered, and the queue is empty',
      ],
      'after sleep, requests whose wait has ended are not sent if %s first',
    ],
  },

  {
    promise: 'G1',
    what: 'resend a request whose answer was cut within its head',
    file: 'main/network/node-wire.ts',
    find: "if (hasAnswerBegun()) failed('broken', why)",
    replace: "if (hasAnswerBegun() && why === '') failed('broken', why)",
    test: HOSTILE_TEST,
    found: 'A request whose answer was cut within its head was sent again',
    tests: [
      'a request cut after %s is 502 at once, also on a reused connection',
      'a reused connection that closes counts as cut before a byte: the request is resent',
      [
        'main/gateway/faults.test.ts',
        'cut at any byte: resent only before the first one, and never a response that looks whole',
      ],
    ],
  },

  {
    promise: 'G12',
    what: 'pass on an answer of any status',
    file: FORWARD,
    find: 'if (isFinalStatus(status)) {',
    replace: 'if (isFinalStatus(status) || status > 599) {',
    test: HOSTILE_TEST,
    found: 'An answer whose status no answer may have ended the whole process',
    tests: [
      '%s: %s %s with the response %s gets 502, and the next one is served',
      'an exception while handling a response fails that request with 502, and nothing else',
      'an exception before forwarding fails that request with 500, and nothing else',
      'own checks and streams learn no quota from a status %s',
      [
        'main/gateway/stream-hub.test.ts',
        'a reader whose response cannot be written gets 502, and the others their stream',
      ],
    ],
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
    found:
      'The gateway let in another user by 127.0.0.2, by IPv6 to 127.0.0.1, and by a socket closed at once',
    tests: [
      [
        'main/gateway/door.test.ts',
        'by any address of this machine, a process of this user is admitted and one of another user is not',
      ],
      'the user of %s is found too',
      'a socket closed by its program has no user, although the table says root',
      'without a table everyone is admitted; with an unreadable one, or without a row, nobody is',
    ],
  },

  {
    promise: 'G2',
    what: 'take a burst that has stopped for a rate',
    file: 'app/gateway/served-rates.ts',
    find: 'counted(rate, nowMs, steady.of(1, nowMs))',
    replace: 'counted(rate, nowMs, Math.max(1, steady.of(1, nowMs)))',
    test: DOOR_TEST,
    found: 'After a burst of a critical program others got 429 with a Retry-After ten times too long',
    tests: [
      'after a critical burst others get the time until enough is left, not ten times it',
      ['app/gateway/scheduler.test.ts', 'a burst of a more urgent class does not count as a lasting rate'],
      [
        'app/gateway/served-rates.test.ts',
        'outside programs that stopped after a burst do not count as fast',
      ],
    ],
  },

  {
    promise: 'G2',
    what: 'try as ever while others use the whole refill',
    file: BOUND,
    find: "if (refused === 'rate' && remaining === 0) this.othersTakeAll",
    replace: "if (refused === 'rate' && remaining === -1) this.othersTakeAll",
    test: 'main/gateway/others-take-all.test.ts',
    found: 'Where others used the whole refill, every try of every program met 429 as soon as its turn came',
    tests: [
      'while others use the whole refill, non-critical programs get at most four 429s a minute, then one',
      'critical programs continue while others use the whole refill, and their header with room frees the rest',
      ['app/quota/others-take-all.test.ts', 'tries are then 20 s, 40 s, and a minute apart'],
    ],
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
    found: 'No test noticed that a reader far behind the others of its answer filled the memory',
    tests: [
      'a coalesced reader 8 MiB behind is ended, and the other one gets the whole response',
      'a reader less far behind delays no other, and gets the whole response when it continues',
    ],
  },
  {
    promise: 'G6',
    what: 'hand programs the access token in the body of an error',
    file: 'main/gateway/sending.ts',
    find: 'if (answer.status < 300) {',
    replace: 'if (answer.status !== 429) {',
    test: REMOVAL_TEST,
    found: 'The access token of the key reached programs in the body of an error, or in the name of a field',
    tests: [
      'replaces the token in a %s body of a %s, with the right length',
      'relays a %s error without the token byte for byte',
      'removes the token everywhere from a %s error longer than one read',
      'any chunking of a body gives the same result',
      'replaces the token everywhere in a value, and drops a field with it in its name',
      'a rejected shared stream shows no reader the token',
    ],
  },

  {
    promise: 'G6',
    what: 'hand programs the access token in the name of a field',
    file: 'main/gateway/answer-relay.ts',
    find: 'if (removal?.isIn(lower)) continue',
    replace: "if (removal?.isIn(lower) && value === '') continue",
    test: REMOVAL_TEST,
    found: 'The access token of the key reached programs in the body of an error, or in the name of a field',
  },

  {
    promise: 'G6',
    what: 'hand readers the beginning of a long refusal of their stream',
    file: 'main/streams/stream-connection.ts',
    find: 'const MAX_REFUSAL_BYTES = 1 << 20',
    replace: 'const MAX_REFUSAL_BYTES = 4 << 10',
    test: REMOVAL_TEST,
    found: 'A rejected stream gave its readers 4 kB of a longer body, and a compressed one as broken text',
    tests: [
      'a rejected stream gives its readers a long %s body byte for byte',
      'replaces the token in a rejected stream’s compressed body, and reads which quota rejected it',
      'a rejected stream with a body that is %s does not look whole to its reader',
    ],
  },

  {
    promise: 'G1',
    what: 'open a shared stream again whose answer had begun',
    file: 'main/gateway/stream-hub.ts',
    find: "if (state.code === 'broken-answer') this.#answerAll",
    replace: "if (state.code === 'broken-answer' && asked.attempts > 0) this.#answerAll",
    test: 'main/gateway/hostile-answers.test.ts',
    found: 'A shared stream whose first answer broke within its head was opened a second time',
    tests: [
      'a shared stream with the response %s is 502 at once, and opened once',
      'a shared stream cut before its first byte is opened once more',
    ],
  },

  {
    promise: 'G1',
    what: 'end an error that was cut as if it were whole',
    file: 'main/gateway/answer-relay.ts',
    find: "if (begun?.rest === 'cut' || body.destroyed) return void setImmediate(contained(cut))",
    replace: "if (begun?.rest === 'cut' || body.destroyed) return whole()",
    test: REMOVAL_TEST,
    found: 'The error of a service that was cut short ended as if it were whole',
    tests: [
      'an error of %s that is cut is cut for its caller too',
      'relays an error without an end after 5 s, cleaned as it arrives',
    ],
  },
  {
    promise: 'G12',
    what: 'let the service speak as Headroom',
    file: 'main/gateway/answer-relay.ts',
    find: 'isNaming(lower) ? withoutOwnMembers(lower, came) : came',
    replace: "isNaming(lower) && came === '' ? withoutOwnMembers(lower, came) : came",
    test: HOSTILE_TEST,
    found: 'The service could speak as Headroom in Proxy-Status, Cache-Status and Via',
    tests: [
      'the service cannot impersonate Headroom, to a request or a stream',
      ['main/gateway/named-members.test.ts', 'relays %s: %s as %s'],
      ['main/gateway/named-members.test.ts', 'relays %s: %s unchanged'],
    ],
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
    found: 'Of 500 connections that a program opened in one instant the gateway reset 372 without an answer',
    tests: [
      '%d simultaneous connections of a program all get a response',
      'unauthenticated connections never displace one that has shown a key, for a response or a token',
      '1,100 unauthenticated connections that %s block none of a program’s 200',
      [
        'main/network/connection-limit.test.ts',
        'a connection that does not authenticate in time is closed; an authenticated one is not',
      ],
      [
        'main/hosts/browser/slow-sockets.test.ts',
        'one that keeps sending requests without a key is closed in time',
      ],
    ],
  },

  {
    promise: 'G7',
    what: 'look up the user of every connection, whatever key it shows',
    file: 'main/gateway/door.ts',
    find: 'if (program === undefined) return sendProblem(reply, UNKNOWN_KEY)',
    replace:
      'if (program === undefined)\n      return void deps.callerOf(request.socket).then(() => sendProblem(reply, UNKNOWN_KEY))',
    found:
      'Any connection made the gateway read the table of all sockets, 11 ms for a program to wait each time',
    tests: [
      'looks up whose a connection is once, and only for a valid key',
      'rejects another user’s program with a key, and for a token',
      'sends nothing for a program that left during the lookup',
      ['main/gateway/peer-user.test.ts', 'simultaneous connections share a read, and later ones the next'],
      ['main/gateway/peer-user.test.ts', 'a connection that arrives during a read waits for the next one'],
    ],
  },

  {
    promise: 'G6',
    what: 'call headers that are too long a request that cannot be read',
    file: 'main/gateway/door.ts',
    find: 'HPE_HEADER_OVERFLOW: denied(431',
    replace: 'HPE_HEADER_OVERFLOW: denied(400',
    found: 'Headers over 16 KiB got 400, and a body was requested before its request was rejected',
    tests: [
      'rejects headers over 16 KiB %s with 431, in the gateway’s words',
      'requests a body only if the request is not rejected',
    ],
  },

  {
    promise: 'G7',
    what: 'decode the path of an order once only',
    file: 'main/gateway/caller-gate.ts',
    find: "namesOf(readingsOf(path) ?? []).includes('orderexecution')",
    replace: "namesOf((readingsOf(path) ?? []).slice(0, 2)).includes('orderexecution')",
    test: 'main/gateway/door.test.ts',
    found: 'Orders were forwarded whose path had parameters, dots or spaces at its end, or was encoded twice',
    tests: [
      'rejects an order in any spelling with 403, and sends none of it',
      'rejects the path %j, which servers read differently, with 400',
      'forwards no path that leads to orders, in any spelling',
      'forwards ordinary paths, whatever their symbols and names',
    ],
  },

  {
    promise: 'G7',
    what: 'take the first of two Authorization fields',
    file: 'main/gateway/door.ts',
    find: 'if (names.length !== 1) return undefined',
    replace: 'if (names.length < 1) return undefined',
    found: 'No test noticed a gateway that took the first of two Authorization fields',
    tests: ['rejects two Authorization fields, in any order and case'],
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
    found: 'Requests that waited hung after the clock was set back by days, or the key was connected anew',
    tests: ['reconnecting a key declines its waiting requests at once, and serves the next'],
  },
  {
    promise: 'G5',
    what: 'count the hour that a clock was set ahead as time that a request waited',
    file: 'app/gateway/scheduler.ts',
    find: 'request.deadlineMs += toMs - fromMs',
    replace: 'request.deadlineMs += 0',
    test: 'main/gateway/faults.test.ts',
    found: 'A wall clock set an hour ahead declined every waiting request',
    tests: [
      'a wall clock set an hour ahead declines no waiting request',
      ['main/gateway/forwarder.test.ts', 'a token that expired while a request waited'],
    ],
  },
  {
    promise: 'G1',
    what: 'end the gateway before its next port is known to be free',
    file: 'main/gateway/gateway.ts',
    find: '    let servers: LoopbackServers\n',
    replace:
      "    let servers: LoopbackServers\n    if (former !== undefined) await this.#end('the gateway is moving')\n",
    test: 'main/gateway/gateway-changes.test.ts',
    found: 'The gateway ended when it was turned on at another port that is taken',
    tests: ['a gateway that can’t move to a port that is taken continues on its own one'],
  },
  {
    promise: 'G8',
    what: 'let a stored key work again once the program of its name in the environment was cut',
    file: 'main/gateway/programs.ts',
    find: 'const isStored = programs.length',
    replace: 'const isStored = !isGiven && programs.length',
    found: 'A program that was cut got its stored key back, if its key came from the environment meanwhile',
    tests: ['revoking a program from the environment revokes the stored one of its name too'],
  },
]
