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
    promise: 'G1',
    what: 'call a body cut although its TLS connection ended with notice',
    file: 'main/network/tls-ending.ts',
    find: 'received !== undefined && !isSameTurn',
    replace: 'received !== undefined',
  },
  {
    promise: 'T13',
    what: 'send plain http to another computer',
    file: AGENTS,
    find: 'return isLoopback(hostname) ? {',
    replace: "return hostname !== '' ? {",
    test: NETWORK_TEST,
  },

  {
    promise: 'T13',
    what: 'leave the check of certificates to NODE_TLS_REJECT_UNAUTHORIZED',
    file: AGENTS,
    find: 'rejectUnauthorized: true,',
    replace: "rejectUnauthorized: process.env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0',",
    test: NETWORK_TEST,
  },
  {
    promise: 'T13',
    what: 'open the pinned streams of one broker at another',
    file: 'main/streams/pinned-streams.ts',
    find: 'JSON.stringify([authUrl, baseUrl, clientId])',
    replace: 'JSON.stringify([authUrl.slice(0, 0), baseUrl.slice(0, 0), clientId])',
    test: 'main/monitor/stream-commands.test.ts',
  },

  {
    promise: 'T11',
    what: 'show a header that repeats the token',
    file: 'main/network/clean-http.ts',
    find: "[name, secrets.clean(value ?? '')]",
    replace: "[name, name.startsWith('x-ts') ? (value ?? '') : secrets.clean(value ?? '')]",
    test: ECHO_TEST,
  },

  {
    promise: 'T14',
    what: 'parse whatever nests however deep',
    file: 'app/service/json.ts',
    find: 'if (depth > MAX_JSON_DEPTH) return true',
    replace: 'if (depth > 1_000 * MAX_JSON_DEPTH) return true',
  },

  {
    promise: 'T11',
    what: 'hand the secrets of the environment to the build',
    file: 'main/launch.js',
    find: 'env: withoutSecrets(process.env),',
    replace: 'env: process.env,',
    test: 'main/launch.test.ts',
  },
  {
    promise: 'T13',
    what: 'open an inspector on SIGUSR1',
    file: 'main/launch.js',
    find: "if (process.platform !== 'win32') process.on('SIGUSR1'",
    replace: "if (process.platform === 'win32') process.on('SIGUSR1'",
    test: 'main/launch.test.ts',
  },

  {
    promise: 'T14',
    what: 'search a word for a token from each of its characters',
    file: 'main/ports/redactor.ts',
    find: '/((?:token|secret',
    replace: '/([\\w-]*(?:token|secret',
  },

  {
    promise: 'T14',
    what: 'let each connected key fill the room of all snapshots',
    file: 'main/monitor/monitor.ts',
    find: 'MAX_SNAPSHOTS_BYTES / this.#profiles.size',
    replace: 'MAX_SNAPSHOTS_BYTES * this.#profiles.size',
    test: 'main/monitor/bounded-snapshot.test.ts',
  },

  {
    promise: 'T13',
    what: 'trust no certificate that a company installed',
    file: AGENTS,
    find: "...tls.getCACertificates('default'), ...systemRoots()",
    replace: '...tls.rootCertificates, ...systemRoots().slice(0, 0)',
    test: NETWORK_TEST,
  },
  {
    promise: 'T14',
    what: 'count an answer as lost that came while the process did not run',
    file: 'main/network/deadline.ts',
    find: 'if (isLate) timer',
    replace: 'if (isLate && ms < 0) timer',
    test: 'main/network/http-client.test.ts',
  },
]
