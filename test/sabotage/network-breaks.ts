import type { Sabotage } from './registry.ts'

const AGENTS = 'main/ports/http-agents.ts'
const NETWORK_TEST = 'main/ports/network-way.process.test.ts'

/** Breaks of how a request leaves this computer, and of what is read of an answer. */
export const NETWORK_SABOTAGES: readonly Sabotage[] = [
  {
    promise: 'T13',
    what: 'ask loopback through the proxy of HTTP_PROXY',
    file: AGENTS,
    find: 'const plain = new http.Agent({ keepAlive: false })',
    replace: 'const plain = new http.Agent({ keepAlive: false, proxyEnv: environment })',
    test: NETWORK_TEST,
  },
  {
    promise: 'T13',
    what: 'ask loopback over TLS through the proxy of HTTPS_PROXY',
    file: AGENTS,
    find: 'agent: secureAgents().direct }',
    replace: 'agent: secureAgents().proxied }',
    test: NETWORK_TEST,
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
    what: 'go around a proxy that cannot be used',
    file: AGENTS,
    find: "if (proxy.kind === 'unusable') return",
    replace: "if (proxy.kind === 'unusable' && hostname === '') return",
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
    test: 'main/stream-commands.test.ts',
  },
  {
    promise: 'T13',
    what: 'keep the pins of a key that is in memory only',
    file: 'main/streams/pinned-streams.ts',
    find: 'if (!owner.isKept() && pins.length > 0) {',
    replace: 'if (!owner.isKept() && pins.length > 9) {',
    test: 'main/streams/pinned-streams.test.ts',
  },
  {
    promise: 'T14',
    what: 'read an answer that is nearly all framing',
    file: 'main/ports/node-http.ts',
    find: 'response.socket.bytesRead > mayBeRead',
    replace: 'response.socket.bytesRead > 1_000 * mayBeRead',
    test: 'main/ports/answer-bounds.process.test.ts',
  },
]
