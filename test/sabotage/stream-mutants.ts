import type { Mutant } from './registry.ts'

const LIFE_CYCLE = 'app/streams/life-cycle.ts'
const PROFILE = 'main/monitor/profile-session.ts'
const KEEPER_TEST = 'main/streams/stream-keeper.test.ts'
const CHURN_TEST = 'main/streams/churn.test.ts'
const SOCKETS_TEST = 'main/streams/sockets.test.ts'

const SILENCE_ENDS = "if (silentMs >= SILENCE.deadMs) return failed('silent for 30 s', 'silent')"
const SILENCE_GOES_ON = "if (silentMs >= 100 * SILENCE.deadMs) return failed('silent for 30 s', 'silent')"
const REVOKED = "    this.parts.streams.closeAll('tokens revoked', 'revoked')\n"

/** Mutants of reopening streams and counting slots. */
export const STREAM_MUTANTS: readonly Mutant[] = [
  {
    promise: 'S1',
    what: 'frame each chunk by itself',
    file: 'app/streams/framer.ts',
    find: 'this.#keep(chunk.subarray(from))',
    replace: 'if (from > 0) this.#keep(chunk.subarray(from))',
  },
  {
    promise: 'S1',
    what: 'look at the text instead of parsing the frame',
    file: 'app/streams/frames.ts',
    find: "if (status === 'GoAway' || error === 'GoAway') return { kind: 'going-away' }",
    replace: "if (line.includes('GoAway')) return { kind: 'going-away' }",
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
    promise: 'S3',
    what: 'treat GoAway as a failure',
    file: LIFE_CYCLE,
    find: 'if (nowMs - state.openedAtMs < SOON_MS) return failed(',
    replace: 'if (nowMs - state.openedAtMs < 1e6 * SOON_MS) return failed(',
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
    promise: 'R3',
    what: 'leave the streams open, over real sockets',
    file: PROFILE,
    find: REVOKED,
    replace: '',
    test: SOCKETS_TEST,
  },
]
