import type { Mutant } from './registry.ts'

const GATE = 'main/network/request-gate.ts'
const ROUTES = 'main/hosts/browser/routes.ts'
const PUSH_STREAM = 'main/hosts/browser/push-stream.ts'
const WINDOWS = 'main/hosts/window-session.ts'
const HOST = 'e2e/browser-host.spec.ts'
const STILL = 'e2e/still-window.spec.ts'
const LOST = 'e2e/lost-window.spec.ts'
const PUSH_STREAM_TEST = 'main/hosts/browser/push-stream.test.ts'

/** Mutants of who may use the browser host, and of what a window that does not keep up costs it. */
export const BROWSER_HOST_MUTANTS: readonly Mutant[] = [
  {
    promise: 'W5',
    what: 'compare the start of a host',
    file: GATE,
    find: 'moreHosts.length === 0 && hostsOf(port).includes(host)',
    replace: 'moreHosts.length === 0 && hostsOf(port).some((known) => host.startsWith(known))',
    test: 'main/network/request-gate.test.ts',
  },
  {
    promise: 'W6',
    what: 'send every change to a window, hidden or not',
    file: 'main/hosts/snapshot-publisher.ts',
    find: '    if (lane.due) return\n    const waitMs = this.#earliestMs(lane) - this.#clock.monotonicMs()',
    replace: '    const waitMs = this.#earliestMs(lane) * 0',
    test: 'main/hosts/snapshot-publisher.test.ts',
  },
  {
    promise: 'W6',
    what: 'let what is sent because time passed hold up a change',
    file: 'main/hosts/snapshot-publisher.ts',
    find: 'return Math.max(changeSentMs + PUBLISH_EVERY_MS,',
    replace: 'return Math.max(changeSentMs, (sentMs.at(-1) ?? -1_000) + PUBLISH_EVERY_MS,',
    test: 'main/hosts/snapshot-publisher.test.ts',
  },
  {
    promise: 'W4',
    what: 'compare Origin with Host and nothing else',
    file: GATE,
    find: '&& hostsOf(port).includes(host) ? host : undefined',
    replace: '&& hostsOf(port).length > 0 ? host : undefined',
    test: HOST,
    grep: 'a name that is rebound to this machine',
  },
  {
    promise: 'W4',
    what: 'look at Host and nothing else',
    file: GATE,
    find: 'if (!METHODS.has(method)) return refuse(405)',
    replace: 'if (METHODS.has(method)) return PASS',
    test: HOST,
    grep: 'a page of another port that knows the code cannot use it',
  },
  {
    promise: 'W4',
    what: 'let any page load a part of the window',
    file: GATE,
    find: "if (sites[0] === 'none' || isTopNavigation(rawHeaders)) return PASS",
    replace: "if (sites[0] !== '' || isTopNavigation(rawHeaders)) return PASS",
    test: 'main/network/request-gate.test.ts',
  },
  {
    promise: 'W4',
    what: 'accept a cookie',
    file: ROUTES,
    find: "BEARER.exec(request.headers.authorization ?? '') ?? []",
    replace:
      "BEARER.exec(request.headers.authorization ?? 'Bearer '.concat(/bearer=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '')) ?? []",
    test: HOST,
    grep: 'the own page does nothing without its bearer',
  },
  {
    promise: 'W4',
    what: 'hand the bearer out as a cookie as well',
    file: ROUTES,
    find: ': reply.send({ bearer })',
    replace: ": reply.header('set-cookie', 'bearer='.concat(bearer)).send({ bearer })",
    test: HOST,
    grep: 'the own page exchanges its code',
  },
  {
    promise: 'W4',
    what: 'take a request without a bearer for one of a new window',
    file: ROUTES,
    find: 'return bearer === undefined ? undefined : windows.find(bearer)',
    replace: "return windows.find(bearer ?? windows.admit() ?? '')",
    test: HOST,
    grep: 'the own page does nothing without its bearer',
  },
  {
    promise: 'W6',
    what: 'queue every push',
    file: PUSH_STREAM,
    find: 'if (this.#isFull) this.#waiting.set(snapshot.profile.id, snapshot)',
    replace: 'if (this.#sink.destroyed) this.#waiting.set(snapshot.profile.id, snapshot)',
    test: PUSH_STREAM_TEST,
  },
  {
    promise: 'W6',
    what: 'queue every push, for a window in a browser',
    file: PUSH_STREAM,
    find: 'if (this.#isFull) this.#waiting.set(snapshot.profile.id, snapshot)',
    replace: 'if (this.#sink.destroyed) this.#waiting.set(snapshot.profile.id, snapshot)',
    test: STILL,
  },
  {
    promise: 'W6',
    what: 'forget what waited for a window that stood still',
    file: PUSH_STREAM,
    find: '    this.#isFull = false\n    for (',
    replace: '    this.#isFull = false\n    this.#waiting.clear()\n    for (',
    test: STILL,
  },
  {
    promise: 'W6',
    what: 'drop events that a window has no room for',
    file: PUSH_STREAM,
    find: '(channel, value) => this.#say(channel, value)',
    replace: '(channel, value) => (this.#isFull ? undefined : this.#say(channel, value))',
    test: STILL,
  },
  {
    promise: 'W6',
    what: 'keep everything for a window that never reads again',
    file: PUSH_STREAM,
    find: 'if (this.#sink.writableLength + line.length > MAX_BUFFERED_BYTES) {',
    replace: 'if (this.#sink.writableLength + line.length > 3 * MAX_BUFFERED_BYTES) {',
    test: PUSH_STREAM_TEST,
  },
  {
    promise: 'W6',
    what: 'tell every window what the first one was told',
    file: WINDOWS,
    find: '  const snapshots = () =>\n    monitor\n',
    replace: '  let told: Snapshot[] | undefined\n  const snapshots = () =>\n    told ??= monitor\n',
    test: LOST,
    grep: 'a window that crashed costs no stream',
  },
]
