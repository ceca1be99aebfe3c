import type { Mutant } from './registry.ts'

const STATE_TEST = 'app/streams/shared-state.test.ts'
const HUB_TEST = 'main/gateway/stream-hub.test.ts'
const STATE = 'app/streams/shared-state.ts'
const QUEUE = 'app/streams/reader-queue.ts'
const SHARED = 'main/gateway/shared-stream.ts'
const RELAY = 'main/gateway/answer-relay.ts'
const FAULTS_TEST = 'main/gateway/faults.test.ts'
const HUB = 'main/gateway/stream-hub.ts'

/** Mutants of streams that several programs read. */
export const SHARED_STREAM_MUTANTS: readonly Mutant[] = [
  {
    promise: 'G9',
    what: 'keep what vanished while the stream was opened anew',
    file: STATE,
    find: 'if (next.has(key) || key.startsWith(ERROR_KEY)) continue',
    replace: "if (next.has(key) || key !== '') continue",
    test: STATE_TEST,
  },
  {
    promise: 'G9',
    what: 'pass on what the next connection repeats',
    file: STATE,
    find: 'if (isRepeated) return []',
    replace: 'if (isRepeated && key === line) return []',
    test: STATE_TEST,
  },
  {
    promise: 'G9',
    what: 'give a late reader no end of its snapshot',
    file: QUEUE,
    find: 'this.#owesEndSnapshot = this.#source.isComplete',
    replace: 'this.#owesEndSnapshot = this.#source.isComplete && this.#source.size < 0',
    test: STATE_TEST,
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
    what: 'leave frames out that cannot be merged, and say nothing',
    file: QUEUE,
    find: "case 'unmergeable':\n        this.#isLost = true",
    replace: "case 'unmergeable':\n        this.#isLost = this.#owesEndSnapshot",
    test: STATE_TEST,
  },
  {
    promise: 'G9',
    what: 'read chunks as if they were frames',
    file: SHARED,
    find: 'of this.#framer.push(bytes).lines',
    replace: 'of this.#framer.push(bytes).dropped === 0 ? [bytes] : []',
    test: HUB_TEST,
  },
  {
    promise: 'G9',
    what: 'open a stream for each reader',
    file: HUB,
    find: 'open.find((one) => one.address.key === address.key) ??',
    replace: 'open.find((one) => one.address.key === address.key && one.isOver) ??',
    test: HUB_TEST,
  },
  {
    promise: 'G9',
    what: 'keep the slot of a stream that no program reads',
    file: SHARED,
    find: 'this.#clock.after(KEPT_MS, () => this.close())',
    replace: 'this.#clock.after(100 * KEPT_MS, () => this.close())',
    test: HUB_TEST,
  },
  {
    promise: 'G9',
    what: 'tell programs of each cut',
    file: SHARED,
    find: 'this.#clock.after(MAX_OUTAGE_MS, () => this.close())',
    replace: 'this.#clock.after(MAX_OUTAGE_MS / 100, () => this.close())',
    test: HUB_TEST,
  },
  {
    promise: 'G9',
    what: 'ask for a slot that others hold with every look',
    file: HUB,
    find: 'timeline.now() - sinceMs >= TRY_MS',
    replace: 'timeline.now() - sinceMs >= TRY_MS / 50',
    test: HUB_TEST,
  },
  {
    promise: 'G9',
    what: 'drop a smaller stream before the larger one has told all of it',
    file: HUB,
    find: 'every((key) => larger.state.has(key))',
    replace: 'every((key) => larger.state.has(key) || key.length > 0)',
    test: HUB_TEST,
  },
  {
    promise: 'G9',
    what: 'wait without end for a state that the service does not tell again',
    file: SHARED,
    find: 'if (this.#state.isCatchingUp) this.#awaitService()',
    replace: 'if (this.#state.isCatchingUp && this.#isOver) this.#awaitService()',
    test: HUB_TEST,
  },
  {
    promise: 'G9',
    what: 'count an outage on although the service told its whole state',
    file: SHARED,
    find: 'if (!this.#state.isCatchingUp) this.#isServed()\n    if (frames.length === 0) return',
    replace: 'if (frames.length === 0) return\n    if (!this.#state.isCatchingUp) this.#isServed()',
    test: HUB_TEST,
  },
  {
    promise: 'G9',
    what: 'cut readers short at the end that are behind',
    file: 'main/gateway/forwarder.ts',
    find: 'await readersEnded',
    replace: 'void readersEnded',
    test: 'main/hosts/terminal/gateway.process.test.ts',
  },
  {
    promise: 'G8',
    what: 'leave the streams of a program open that was cut off',
    file: HUB,
    find: 'if (!reader.reply.writableEnded) reader.reply.destroy()',
    replace: 'if (reader.reply.destroyed) reader.reply.destroy()',
    test: HUB_TEST,
  },
  {
    promise: 'G9',
    what: 'wait half a minute for a service that is away while programs read its stream',
    file: 'main/streams/stream-keeper.ts',
    find: 'countOf(this.audience) > 0 && SOONER',
    replace: 'countOf(this.audience) < 0 && SOONER',
    test: 'main/gateway/stream-hub.test.ts',
  },
  {
    promise: 'G9',
    what: 'end a stream that is not shared without a word',
    file: RELAY,
    find: 'for (const reply of open) farewell(reply, ',
    replace: 'for (const reply of open) if (lineEnd === GO_AWAY) farewell(reply, ',
    test: FAULTS_TEST,
  },
  {
    promise: 'G9',
    what: 'say GoAway in the middle of a frame',
    file: RELAY,
    find: '} else if (isWithinFrame) body.resume()',
    replace: '} else if (isWithinFrame && isOver) body.resume()',
    test: FAULTS_TEST,
  },
  {
    promise: 'G9',
    what: 'keep the connection of a reader that never reads its GoAway',
    file: 'main/gateway/farewell.ts',
    find: 'clock.after(FAREWELL_MS, () => reply.destroy())',
    replace: 'clock.after(60 * FAREWELL_MS, () => reply.destroy())',
    test: HUB_TEST,
  },
]
