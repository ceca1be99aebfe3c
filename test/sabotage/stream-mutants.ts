import type { Mutant } from './registry.ts'

const LIFE_CYCLE = 'app/streams/life-cycle.ts'
const KEY_SEARCH = 'app/streams/key-search.ts'
const HANDOVER = 'main/streams/stream-handover.ts'
const PROFILE = 'main/monitor/profile-session.ts'
const READER_TEST = 'app/streams/frame-reader.test.ts'
const KEEPER_TEST = 'main/streams/stream-keeper.test.ts'
const STREAMS_TEST = 'main/streams/streams.test.ts'
const CHURN_TEST = 'main/streams/churn.test.ts'
const SOCKETS_TEST = 'main/streams/sockets.test.ts'
const STORIES_TEST = 'simulation/stories.test.ts'

const SILENCE_ENDS = "if (silentMs >= SILENCE.deadMs) return failed('silent for 30 s', 'silent')"
const SILENCE_GOES_ON = "if (silentMs >= 100 * SILENCE.deadMs) return failed('silent for 30 s', 'silent')"
const REVOKED = "    this.parts.streams.closeAll('tokens revoked', 'revoked')\n"

/** Mutants of what keeps streams alive and slots exact. */
export const STREAM_MUTANTS: readonly Mutant[] = [
  {
    promise: 'Q6',
    what: 'open streams into a held bucket',
    file: HANDOVER,
    find: 'return retryAtMs === undefined ? undefined : { retryAtMs }',
    replace: 'return retryAtMs === 0 ? { retryAtMs } : undefined',
    test: KEEPER_TEST,
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
    test: KEEPER_TEST,
  },
  {
    promise: 'S5',
    what: 'no jitter',
    file: 'app/retry/schedules.ts',
    find: 'stepMs * (1 - jitter) + stepMs * jitter * chance',
    replace: 'stepMs + 0 * jitter * chance',
    test: 'app/retry/schedules.test.ts',
  },
  {
    promise: 'S1',
    what: 'take a key with an escape in it for none',
    file: KEY_SEARCH,
    find: 'this.#escapeAt = this.#orEnd(this.#chunk.indexOf(BACKSLASH, from))',
    replace: 'this.#escapeAt = this.#orEnd(this.#chunk.indexOf(BACKSLASH, from) * 0 - 1)',
    test: READER_TEST,
  },
  {
    promise: 'S1',
    what: 'look for keys at every third word',
    file: KEY_SEARCH,
    find: 'const STEP_WORDS = 2',
    replace: 'const STEP_WORDS = 3',
    test: READER_TEST,
  },
  {
    promise: 'S2',
    what: 'watch the socket instead of the frames',
    file: LIFE_CYCLE,
    find: SILENCE_ENDS,
    replace: SILENCE_GOES_ON,
    test: KEEPER_TEST,
  },
  {
    promise: 'S2',
    what: 'watch the socket instead of the frames, seen by the whole monitor',
    file: LIFE_CYCLE,
    find: SILENCE_ENDS,
    replace: SILENCE_GOES_ON,
    test: STORIES_TEST,
  },
  {
    promise: 'S2',
    what: 'watch the socket instead of the frames, over real sockets',
    file: LIFE_CYCLE,
    find: SILENCE_ENDS,
    replace: SILENCE_GOES_ON,
    test: SOCKETS_TEST,
  },
  {
    promise: 'S2',
    what: 'start the backoff over with every opening',
    file: LIFE_CYCLE,
    find: 'const healthy = isUp(state) && nowMs - state.openedAtMs >= HEALTHY_AFTER_MS',
    replace: 'const healthy = isUp(state) && nowMs - state.openedAtMs >= 0 * HEALTHY_AFTER_MS',
    test: 'app/streams/life-cycle.test.ts',
  },
  {
    promise: 'S3',
    what: 'treat GoAway as a failure',
    file: LIFE_CYCLE,
    find: 'if (nowMs - state.openedAtMs < SOON_MS) return failed(',
    replace: 'if (nowMs - state.openedAtMs < 1e6 * SOON_MS) return failed(',
    test: 'app/streams/life-cycle.test.ts',
  },
  {
    promise: 'S3',
    what: 'close the stream that was told to go away before the next one stands',
    file: LIFE_CYCLE,
    find: 'if (!canOverlap) return waiting(',
    replace: 'if (!canOverlap || nowMs > 0) return waiting(',
    test: STREAMS_TEST,
  },
  {
    promise: 'S4',
    what: 'forget a close that came before the answer',
    file: 'main/api/exchange.ts',
    find: 'slots.released(category, this.#isOpen ? now() : undefined)',
    replace: 'if (this.#isOpen) slots.released(category, now())',
    test: KEEPER_TEST,
  },
  {
    promise: 'S4',
    what: 'forget a close that came before the answer, in a day of churn',
    file: 'main/api/exchange.ts',
    find: 'slots.released(category, this.#isOpen ? now() : undefined)',
    replace: 'if (this.#isOpen) slots.released(category, now())',
    test: CHURN_TEST,
  },
  {
    promise: 'S4',
    what: 'forget the former connection once the next one stands',
    file: HANDOVER,
    find: '    this.#current?.close()\n    this.#current = connection\n',
    replace: '    this.#current = connection\n',
    test: STREAMS_TEST,
  },
  {
    promise: 'S4',
    what: 'forget to give a slot back',
    file: 'app/streams/slots.ts',
    find: 'row.own = Math.max(0, row.own - 1)',
    replace: 'row.own = Math.max(0, row.own - 0)',
    test: 'app/streams/slots.test.ts',
  },
  {
    promise: 'R3',
    what: 'leave the streams open',
    file: PROFILE,
    find: REVOKED,
    replace: '',
    test: STORIES_TEST,
  },
  {
    promise: 'R3',
    what: 'leave the streams open, over real sockets',
    file: PROFILE,
    find: REVOKED,
    replace: '',
    test: SOCKETS_TEST,
  },
  {
    promise: 'S4',
    what: 'replace another stream than the refusal named',
    file: 'main/streams/streams.ts',
    find: 'holders.find(({ stream }) => stream === replace) ??',
    replace: 'holders.find(({ stream }) => replace !== undefined && stream !== replace) ??',
    test: STREAMS_TEST,
  },
  {
    promise: 'S4',
    what: 'close at once what can still be kept',
    file: 'main/streams/streams.ts',
    find: 'cancel: clock.after(inSeconds * 1000, () => this.close(id)),',
    replace: 'cancel: clock.after(0, () => this.close(id)),',
    test: STREAMS_TEST,
  },
  {
    promise: 'S4',
    what: 'call a full group of slots ok',
    file: 'app/status/stream-status.ts',
    find: "if (free <= 0) return { severity: 'warning', label: 'full' }",
    replace: "if (free <= 0) return { severity: 'ok', label: '' }",
    test: 'app/conditions/surfaces.test.ts',
  },
]
