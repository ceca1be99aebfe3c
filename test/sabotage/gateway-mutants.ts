import type { Mutant } from './registry.ts'

const LIVES_TEST = 'simulation/gateway-lives.test.ts'
const LAWS_TEST = 'app/gateway/scheduler-laws.test.ts'
const DOOR_TEST = 'main/gateway/gateway.test.ts'
const HOSTILE_TEST = 'main/gateway/hostile-answers.test.ts'
const SCHEDULER = 'app/gateway/scheduler.ts'
const BOUND = 'app/gateway/bucket-bound.ts'
const QUEUE = 'app/gateway/bucket-queue.ts'
const FAIR_QUEUE = 'app/gateway/fair-queue.ts'

/** Mutants of the code that decides when, and how often, each program's requests are sent upstream. */
export const GATEWAY_MUTANTS: readonly Mutant[] = [
  {
    promise: 'G6',
    what: 'add a program whose key nobody got',
    file: 'main/hosts/terminal/gateway-commands.ts',
    find: 'if (end !== undefined) return withoutKey(name, end, flags, deps)',
    replace: 'if (end !== undefined) return EXIT_FAILURE',
    test: 'main/hosts/terminal/gateway.process.test.ts',
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
    what: 'forget a reader of a shared response once the fastest one has it',
    file: 'main/gateway/forwarder.ts',
    find: "reply.once('close', () => {\n      this.#replies.delete(reply)",
    replace: 'setImmediate(() => {\n      this.#replies.delete(reply)',
    found: 'A slow reader of a shared response lost the rest at a stop, and still got it after a cut',
    tests: ['a drain waits for a slow reader of a shared response, and a cut ends that reader'],
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
