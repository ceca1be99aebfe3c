import type { Mutant } from './registry.ts'

const STATE_TEST = 'app/streams/shared-state.test.ts'
const HUB_TEST = 'main/gateway/stream-hub.test.ts'
const STATE = 'app/streams/shared-state.ts'
const QUEUE = 'app/streams/reader-queue.ts'
const SHARED = 'main/gateway/shared-stream.ts'
const RELAY = 'main/gateway/answer-relay.ts'
const FAULTS_TEST = 'main/gateway/faults.test.ts'
const HUB = 'main/gateway/stream-hub.ts'
const FORWARDER_TEST = 'main/gateway/forwarder.test.ts'
const OUTAGES_TEST = 'main/gateway/outages.test.ts'
const KEEPER = 'main/streams/stream-keeper.ts'

/** Mutants of streams that several programs read. */
export const SHARED_STREAM_MUTANTS: readonly Mutant[] = [
  {
    promise: 'G6',
    what: 'say of a stream that was requested that it was not sent',
    file: HUB,
    find: 'attempts > 0 || isOpening(shared) ? abandoned(why)',
    replace: 'attempts < 0 && isOpening(shared) ? abandoned(why)',
  },
  {
    promise: 'G6',
    what: 'say to a paused program that the request that opens its stream was not sent',
    file: HUB,
    find: '      if (isOpening(shared)) continue\n      const answer',
    replace: '      const answer',
  },
  {
    promise: 'G9',
    what: 'keep what vanished while the stream was opened anew',
    file: STATE,
    find: 'if (next.has(key) || isError(key)) continue',
    replace: "if (next.has(key) || key !== '') continue",
  },
  {
    promise: 'G9',
    what: 'drop frames whose symbol the service names differently',
    file: STATE,
    find: 'this.#symbols?.has(inCapitals) ? { symbol',
    replace: 'this.#symbols ? { symbol',
  },
  {
    promise: 'G9',
    what: 'send a symbol error to a new reader after the symbol’s next data',
    file: STATE,
    find: 'if (symbol !== undefined) this.#forgetError(symbol)',
    replace: "if (symbol === '') this.#forgetError(symbol)",
  },
  {
    promise: 'G9',
    what: 'send a symbol error of an earlier connection to a new reader',
    file: STATE,
    find: 'if (!isError(key) || !this.#pendingKeys.has(key)) yield',
    replace: "if (key !== '' || !this.#pendingKeys.has(key)) yield",
  },

  {
    promise: 'G9',
    what: 'keep every frame for a reader that reads none',
    file: QUEUE,
    find: 'this.#frames.length - this.#first > this.#max.frames',
    replace: 'this.#frames.length - this.#first > this.#max.frames + this.#bytes',
    test: STATE_TEST,
  },

  {
    promise: 'G9',
    what: 'read chunks as if they were frames',
    file: SHARED,
    find: 'const { lines } = this.#framer.push(bytes)',
    replace: 'const lines = this.#framer.push(bytes).dropped === 0 ? [bytes] : []',
    test: HUB_TEST,
  },
  {
    promise: 'G9',
    what: 'open a stream for each reader',
    file: HUB,
    find: 'open.find((one) => one.address.key === address.key) ??',
    replace: 'open.find((one) => one.address.key === address.key && one.isOver) ??',
  },

  {
    promise: 'G8',
    what: 'leave the streams of a program open that was cut off',
    file: HUB,
    find: 'if (!reader.reply.writableEnded) reader.reply.destroy()',
    replace: 'if (reader.reply.destroyed) reader.reply.destroy()',
  },

  {
    promise: 'G11',
    what: 'let every stream try in an outage',
    file: 'main/streams/stream-outage.ts',
    find: 'if (nextMs > now) return nextMs',
    replace: 'if (nextMs > now + TRY_EVERY_MS) return nextMs',
    test: OUTAGES_TEST,
  },

  {
    promise: 'G9',
    what: 'open streams at a higher pace that open and end at once',
    file: 'main/streams/stream-outage.ts',
    find: "if (how === 'lasting') this",
    replace: 'if (how.length > 0) this',
    test: 'main/gateway/stream-hub.test.ts',
  },
  {
    promise: 'G9',
    what: 'keep a reader waiting whose stream is not authorized',
    file: 'main/gateway/stream-hub.ts',
    find: 'if (observation.status === 401 && asked?.isUnauthorized === false) {',
    replace: 'if (observation.status === 401 && asked) {',
  },

  {
    promise: 'G9',
    what: 'tell readers the length of one connection',
    file: 'main/gateway/shared-stream.ts',
    find: 'OF_ONE_BODY.test(name) || ',
    replace: "(name === '' && OF_ONE_BODY.test(name)) || ",
    test: 'main/gateway/hostile-answers.test.ts',
  },

  {
    promise: 'G11',
    what: 'sleep the Reset of a 429 that met a stream',
    file: KEEPER,
    find: "if (refused !== 'concurrency' && turns?.() !== undefined) return",
    replace: "if (refused !== 'concurrency' && turns?.() === undefined) return",
    test: OUTAGES_TEST,
  },

  {
    promise: 'G9',
    what: 'let the state of a shared stream grow without a bound',
    file: STATE,
    find: '> MAX_STATE_LENGTH\n',
    replace: '> 1_000 * MAX_STATE_LENGTH\n',
    test: HUB_TEST,
  },

  {
    promise: 'G9',
    what: 'copy an object for each of its frames',
    file: STATE,
    find: 'const former = entry.members ?? new Map<string, string>()',
    replace: 'const former = new Map<string, string>(entry.members ?? [])',
  },

  {
    promise: 'G9',
    what: 'end a stream that is not shared without a word',
    file: RELAY,
    find: 'for (const reply of open) endStream(reply, ',
    replace: 'for (const reply of open) if (lineEnd === GO_AWAY) endStream(reply, ',
    test: FAULTS_TEST,
  },

  {
    promise: 'G9',
    what: 'keep the connection of a reader that never reads its GoAway',
    file: 'main/gateway/answer-relay.ts',
    find: 'clock.after(END_STREAM_MS, () => reply.destroy())',
    replace: 'clock.after(60 * END_STREAM_MS, () => reply.destroy())',
    test: HUB_TEST,
  },
  {
    promise: 'G8',
    what: 'hold a reader of a stream against Reset after a 429',
    file: HUB,
    find: '(this.#deps.roomAtMs(path) ?? tapped.retryAtMs ?? 0)',
    replace: '(tapped.retryAtMs ?? 0)',
  },
  {
    promise: 'G8',
    what: 'let a reader of a stream wait for the turn of its first reader',
    file: HUB,
    find: 'if (asked?.turn !== undefined) this.#awaitTurn',
    replace: 'if (asked?.turn !== undefined && reader.isGone) this.#awaitTurn',
    test: FORWARDER_TEST,
  },
  {
    promise: 'G8',
    what: 'decline all readers of a stream when the wait of one ends',
    file: HUB,
    find: '(problem) => this.#answer(shared, reader, problem))',
    replace: '(problem) => this.#answerAll(shared, problem))',
    test: FORWARDER_TEST,
  },
  {
    promise: 'G8',
    what: 'leave readers that are gone in the queue for the turn of their stream',
    file: SHARED,
    find: '    reader.leaveTurn()\n',
    replace: '    if (!reader.isGone) reader.leaveTurn()\n',
    test: FORWARDER_TEST,
  },
  {
    promise: 'G8',
    what: 'queue each reader of a stream, until they fill the queue of their program',
    file: 'main/gateway/permits.ts',
    find: '} else this.#leave(own)',
    replace: '}',
    test: FORWARDER_TEST,
  },
  {
    promise: 'G9',
    what: 'merge the frames of a burst for a reader that takes them all',
    file: 'main/gateway/stream-reader.ts',
    find: 'this.#queue.behind >= MAX_WRITE_FRAMES',
    replace: 'this.#queue.behind < 0',
  },
  {
    promise: 'G9',
    what: 'keep the last frame of a stream from readers if it lacks its line end',
    file: 'main/streams/stream-connection.ts',
    find: 'if (isWhole) this.#listener.heard?.(LINE_END)',
    replace: 'if (!isWhole) this.#listener.heard?.(LINE_END)',
    test: HUB_TEST,
  },
]
