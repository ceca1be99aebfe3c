import type { Mutant } from './registry.ts'

const AGENTS = 'main/network/http-agents.ts'
const ECHO_TEST = 'main/echoing-service.test.ts'
const NETWORK_TEST = 'main/ports/network-way.process.test.ts'

/** Mutants of how a request leaves this computer, and of how much of a response is read. */
export const NETWORK_MUTANTS: readonly Mutant[] = [
  {
    promise: 'G1',
    what: 'call a body whole although its TLS connection was cut',
    file: 'main/network/tls-ending.ts',
    find: 'if (excess === 0 || excess > MAX_ALERT_BYTES)',
    replace: 'if (excess > MAX_ALERT_BYTES)',
  },
  {
    promise: 'T13',
    what: 'send plain http to another computer',
    file: AGENTS,
    find: 'return isLoopback(hostname) ? {',
    replace: "return hostname !== '' ? {",
    test: NETWORK_TEST,
    found: 'HTTP_PROXY was sent refresh token and secret in clear text, and the simulator was dead behind it',
    tests: [
      'loopback uses no proxy, whatever variables are set',
      'an unencrypted request to another computer is not sent, with or without a proxy',
      'https uses a proxy as a tunnel, which sees the host and no secret',
      'an unusable proxy (%s) is reported in one line, and nothing bypasses it',
    ],
  },

  {
    promise: 'T13',
    what: 'leave the check of certificates to NODE_TLS_REJECT_UNAUTHORIZED',
    file: AGENTS,
    find: 'rejectUnauthorized: true,',
    replace: "rejectUnauthorized: process.env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0',",
    test: NETWORK_TEST,
    found:
      'NODE_TLS_REJECT_UNAUTHORIZED=0 exposed tokens to anyone; a company’s certificate was not accepted',
    tests: [
      'an untrusted certificate receives nothing, %s',
      "a company's certificate is taken from NODE_EXTRA_CA_CERTS",
      "a company's certificate is taken from the system's store",
    ],
  },
  {
    promise: 'T13',
    what: 'open the pinned streams of one broker at another',
    file: 'main/streams/pinned-streams.ts',
    find: 'JSON.stringify([authUrl, baseUrl, clientId])',
    replace: 'JSON.stringify([authUrl.slice(0, 0), baseUrl.slice(0, 0), clientId])',
    test: 'main/monitor/stream-commands.test.ts',
    found:
      'A key in memory only got the pinned streams of another one, and its account ids went to another broker',
    tests: [
      'of another broker',
      [
        'main/streams/pinned-streams.test.ts',
        'pins of a key in memory only end with it, and are written once the key is stored',
      ],
    ],
  },

  {
    promise: 'T11',
    what: 'show a header that repeats the token',
    file: 'main/network/clean-http.ts',
    find: "[name, secrets.clean(value ?? '')]",
    replace: "[name, name.startsWith('x-ts') ? (value ?? '') : secrets.clean(value ?? '')]",
    test: ECHO_TEST,
    found: 'A token that the service repeats reached snapshots, events, the history and the report',
    tests: [
      'a service that echoes requests, %s, exposes no secret anywhere',
      ['main/api/refused-requests.test.ts', 'the message of a rejection is one short line without a secret'],
    ],
  },

  {
    promise: 'T14',
    what: 'parse whatever nests however deep',
    file: 'app/service/json.ts',
    find: 'if (depth > MAX_JSON_DEPTH) return true',
    replace: 'if (depth > 1_000 * MAX_JSON_DEPTH) return true',
    found:
      'Answers in one-byte chunks, deeply nested ones and endless scopes took gigabytes, and windows their pushes',
    tests: [
      [
        'main/ports/answer-bounds.process.test.ts',
        'an endless response in %s is abandoned within 64 MB of heap',
      ],
      'one level too many',
      ['app/tokens/refresh-grant.test.ts', 'of endless scopes 64 are shown, of at most 128 characters each'],
      ['main/snapshot-size.test.ts', 'a service that fills every shown text makes no snapshot of 256 kB'],
    ],
  },

  {
    promise: 'T11',
    what: 'hand the secrets of the environment to the build',
    file: 'main/launch.js',
    find: 'env: withoutSecrets(process.env),',
    replace: 'env: process.env,',
    test: 'main/launch.test.ts',
    found: 'SIGUSR1 opened an inspector, and the first build got the secrets of the environment',
  },
  {
    promise: 'T13',
    what: 'open an inspector on SIGUSR1',
    file: 'main/launch.js',
    find: "if (process.platform !== 'win32') process.on('SIGUSR1'",
    replace: "if (process.platform === 'win32') process.on('SIGUSR1'",
    test: 'main/launch.test.ts',
    found: 'SIGUSR1 opened an inspector, and the first build got the secrets of the environment',
    tests: ['SIGUSR1 opens no inspector', 'a build gets none of Headroom’s secrets'],
  },

  {
    promise: 'T14',
    what: 'search a word for a token from each of its characters',
    file: 'main/ports/redactor.ts',
    find: '/((?:token|secret',
    replace: '/([\\w-]*(?:token|secret',
    found: 'A line of 64 kB without a space took nine seconds to clean',
    tests: ['takes time proportional to its length'],
  },

  {
    promise: 'T14',
    what: 'let each connected key fill the room of all snapshots',
    file: 'main/monitor/monitor.ts',
    find: 'MAX_SNAPSHOTS_BYTES / this.#profiles.size',
    replace: 'MAX_SNAPSHOTS_BYTES * this.#profiles.size',
    test: 'main/monitor/bounded-snapshot.test.ts',
    found:
      '64 programs with 128 quotas each made a snapshot of 1.8 MB, which closed the pushes of every window',
    tests: [
      'a window on a real host gets all keys’ snapshots, however many programs and quotas they name',
      '64 programs with 141 long-named quotas each fit the bound, and are counted',
      'programs with problems are listed first, then the busiest, each group in its order',
      'whatever names programs and the service use, the bound holds and everything dropped is counted',
      [
        'main/hosts/terminal/table.test.ts',
        'items dropped from a snapshot are counted in one line below their list',
      ],
      [
        'renderer/programs/program-rows.test.ts',
        'categories dropped from a snapshot are counted with those that the table does not name',
      ],
    ],
  },

  {
    promise: 'T13',
    what: 'trust no certificate that a company installed',
    file: AGENTS,
    find: "...tls.getCACertificates('default'), ...systemRoots()",
    replace: '...tls.rootCertificates, ...systemRoots().slice(0, 0)',
    test: NETWORK_TEST,
    found:
      'NODE_TLS_REJECT_UNAUTHORIZED=0 exposed tokens to anyone; a company’s certificate was not accepted',
  },
  {
    promise: 'T14',
    what: 'count an answer as lost that came while the process did not run',
    file: 'main/network/deadline.ts',
    find: 'if (isLate) timer',
    replace: 'if (isLate && ms < 0) timer',
    test: 'main/network/http-client.test.ts',
    found:
      'A process that was stopped for 30 s during a refresh counted its answer as lost, and a rotated token with it',
    tests: [
      'a response that arrived while the process was suspended is read, although its time is over',
      'a stream that opened while the process was suspended is open',
    ],
  },
]
