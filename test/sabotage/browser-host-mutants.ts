import type { Mutant } from './registry.ts'

const GATE = 'main/network/request-gate.ts'
const ROUTES = 'main/hosts/browser/routes.ts'
const PUSH_STREAM = 'main/hosts/browser/push-stream.ts'
const REQUESTS = 'e2e/hostile-requests.spec.ts'
const STILL = 'e2e/still-window.spec.ts'

/** Mutants of the browser host's access checks, and of the cost of a window that reads too slowly. */
export const BROWSER_HOST_MUTANTS: readonly Mutant[] = [
  {
    promise: 'W5',
    what: 'compare the start of a host',
    file: GATE,
    find: 'moreHosts.length === 0 && hostsOf(port).includes(host)',
    replace: 'moreHosts.length === 0 && hostsOf(port).some((known) => host.startsWith(known))',
  },

  {
    promise: 'W4',
    what: 'compare Origin with Host and nothing else',
    file: GATE,
    find: '&& hostsOf(port).includes(host) ? host : undefined',
    replace: '&& hostsOf(port).length > 0 ? host : undefined',
    test: REQUESTS,
    grep: 'a name rebound to this machine reads and does nothing, even on our port',
  },

  {
    promise: 'W4',
    what: 'accept a cookie',
    file: ROUTES,
    find: "BEARER.exec(request.headers.authorization ?? '') ?? []",
    replace:
      "BEARER.exec(request.headers.authorization ?? 'Bearer '.concat(/bearer=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '')) ?? []",
    test: REQUESTS,
    grep: 'no path, method or header that a program can send reaches more than the page',
  },

  {
    promise: 'W6',
    what: 'queue every push, for a window in a browser',
    file: PUSH_STREAM,
    find: '() => this.#isFull,',
    replace: '() => this.#sink.destroyed,',
    test: STILL,
  },

  {
    promise: 'W6',
    what: 'connect every tab of a browser',
    file: 'renderer/api/tab-place.ts',
    find: 'resolve(undefined)\n',
    replace: 'resolve(() => {})\n',
    found:
      'Six tabs of one browser held all of its connections: each command hung, and a seventh did not load',
    tests: ['five tabs of a browser have a place, and a sixth gets the place of one that closes'],
  },
  {
    promise: 'W6',
    what: 'connect a tab that has no place among those of its browser',
    file: 'renderer/api/browser-api.ts',
    find: 'if (!hasPlace) {',
    replace: 'if (!hasPlace && attempt === 0) {',
    found:
      'Six tabs of one browser held all of its connections: each command hung, and a seventh did not load',
    tests: ['opens no connection while too many tabs are open, and connects once one is closed'],
  },
]
