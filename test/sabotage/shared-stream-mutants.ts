import type { Mutant } from './registry.ts'

const HUB_TEST = 'main/gateway/stream-hub.test.ts'
const STATE = 'app/streams/shared-state.ts'
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
    promise: 'G9',
    what: 'drop frames whose symbol the service names differently',
    file: STATE,
    find: 'this.#symbols?.has(inCapitals) ? { symbol',
    replace: 'this.#symbols ? { symbol',
    found:
      'Quotes and errors of a symbol that the service names differently reached no reader of their stream',
    tests: [
      'a reader of any symbol gets %s of a symbol that was not requested by this name',
      [
        'main/gateway/stream-hub.test.ts',
        'readers get quotes of a symbol that the service names differently',
      ],
    ],
  },
  {
    promise: 'G9',
    what: 'send a symbol error to a new reader after the symbol’s next data',
    file: STATE,
    find: 'if (symbol !== undefined) this.#forgetError(symbol)',
    replace: "if (symbol === '') this.#forgetError(symbol)",
    found: 'A symbol error that was over came last to each later reader, also after a reconnect',
    tests: [
      'a symbol’s error is over with its next data',
      'a new reader of %s gets no error of an earlier connection',
    ],
  },
  {
    promise: 'G9',
    what: 'send a symbol error of an earlier connection to a new reader',
    file: STATE,
    find: 'if (!isError(key) || !this.#pendingKeys.has(key)) yield',
    replace: "if (key !== '' || !this.#pendingKeys.has(key)) yield",
    found: 'A symbol error that was over came last to each later reader, also after a reconnect',
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
    promise: 'G9',
    what: 'open a stream for each order of the same accounts',
    file: 'app/streams/stream-address.ts',
    find: ".split('/').map(inOneOrder)",
    replace: ".split('/')",
    found: 'Programs that named the same accounts in different orders took a slot each',
    tests: ['%s is the same stream as %s'],
  },

  {
    promise: 'G11',
    what: 'let every stream try in an outage',
    file: 'main/streams/stream-outage.ts',
    find: 'if (nextMs > now) return nextMs',
    replace: 'if (nextMs > now + TRY_EVERY_MS) return nextMs',
    test: OUTAGES_TEST,
    found:
      'An outage used up the quota of the streams that it cut, and a 429 then sent every reader away from a service that was back',
    tests: [
      'during an outage (%s) of half a minute one stream tries, the others follow, and the quota stays',
      'a stream that the service cuts reopens within the reserve',
      'a 429 is not waited out: streams reopen as the level allows, and no reader is dropped',
      [
        'main/streams/stream-outage.test.ts',
        'of streams lost together one retries, at most every 5 s, each in turn',
      ],
      ['main/streams/stream-outage.test.ts', 'the others follow the first success within half a second'],
      ['main/streams/stream-outage.test.ts', 'streams that open and end at once do not trigger each other'],
      [
        'main/streams/stream-outage.test.ts',
        'even without a gateway, reopening leaves the reserve to others',
      ],
    ],
  },

  {
    promise: 'G9',
    what: 'open streams at a higher pace that open and end at once',
    file: 'main/streams/stream-outage.ts',
    find: "if (how === 'lasting') this",
    replace: 'if (how.length > 0) this',
    test: 'main/gateway/stream-hub.test.ts',
    found:
      'A stream that opens and ends without a frame was opened every two seconds for as long as it was read',
    tests: ['streams that open and end at once are opened every 5 s'],
  },
  {
    promise: 'G9',
    what: 'keep a reader waiting whose stream is not authorized',
    file: 'main/gateway/stream-hub.ts',
    find: 'if (observation.status === 401 && asked?.isUnauthorized === false) {',
    replace: 'if (observation.status === 401 && asked) {',
    found:
      'A stream that is never authorized kept its reader waiting for 503, and was opened eight times in 20 s',
    tests: ['relays a second 401, %s, unchanged'],
  },

  {
    promise: 'G9',
    what: 'tell readers the length of one connection',
    file: 'main/gateway/shared-stream.ts',
    find: 'OF_ONE_BODY.test(name) || ',
    replace: "(name === '' && OF_ONE_BODY.test(name)) || ",
    test: 'main/gateway/hostile-answers.test.ts',
    found:
      'Readers got the length of one connection of a shared stream, and read later frames as other responses',
    tests: ['a stream of known length continues for its readers as a new one'],
  },

  {
    promise: 'G11',
    what: 'sleep the Reset of a 429 that met a stream',
    file: KEEPER,
    find: "if (refused !== 'concurrency' && turns?.() !== undefined) return",
    replace: "if (refused !== 'concurrency' && turns?.() === undefined) return",
    test: OUTAGES_TEST,
    found:
      'An outage used up the quota of the streams that it cut, and a 429 then sent every reader away from a service that was back',
  },

  {
    promise: 'G9',
    what: 'let the state of a shared stream grow without a bound',
    file: STATE,
    find: '> MAX_STATE_LENGTH\n',
    replace: '> 1_000 * MAX_STATE_LENGTH\n',
    test: HUB_TEST,
    found:
      'The merged state of a shared stream grew without a bound, and a frame cost as much as its whole object',
    tests: [
      ['main/gateway/endless-state.test.ts', 'a stream with ever new symbols ends by GoAway'],
      'a state over 16 MiB ends its readers',
      'looks for each object of a smaller stream once, however many frames the larger one has',
    ],
  },

  {
    promise: 'G9',
    what: 'copy an object for each of its frames',
    file: STATE,
    find: 'const former = entry.members ?? new Map<string, string>()',
    replace: 'const former = new Map<string, string>(entry.members ?? [])',
    found:
      'The merged state of a shared stream grew without a bound, and a frame cost as much as its whole object',
    tests: [
      'stores a state of 16 MiB, and reports a larger one as too large',
      'the snapshot of a later connection is counted as it arrives, and is the state afterwards',
      'many small objects are counted with their overhead',
      'members added to one object are counted',
      'a frame costs what it changes',
      'of a frame only its object’s members are stored',
      'a reader always one frame behind keeps none of its past frames',
    ],
  },

  {
    promise: 'G9',
    what: 'end a stream that is not shared without a word',
    file: RELAY,
    find: 'for (const reply of open) endStream(reply, ',
    replace: 'for (const reply of open) if (lineEnd === GO_AWAY) endStream(reply, ',
    test: FAULTS_TEST,
    found: 'An unshared stream ended within a frame, and a frozen reader kept its socket for ever',
    tests: ['when turned off, an unshared stream gets GoAway after the current frame'],
  },

  {
    promise: 'G9',
    what: 'keep the connection of a reader that never reads its GoAway',
    file: 'main/gateway/answer-relay.ts',
    find: 'clock.after(END_STREAM_MS, () => reply.destroy())',
    replace: 'clock.after(60 * END_STREAM_MS, () => reply.destroy())',
    test: HUB_TEST,
    found: 'An unshared stream ended within a frame, and a frozen reader kept its socket for ever',
    tests: ['a frozen reader that cannot catch up gets GoAway, and is cut if it does not read that'],
  },
  {
    promise: 'G8',
    what: 'hold a reader of a stream against Reset after a 429',
    file: HUB,
    find: '(this.#deps.roomAtMs(path) ?? tapped.retryAtMs ?? 0)',
    replace: '(tapped.retryAtMs ?? 0)',
    found: 'A reader whose stream got 429 was declined although there was room long before Reset',
    tests: ['after a 429 a reader waits for room within its longest wait, however late Reset is'],
  },
  {
    promise: 'G8',
    what: 'let a reader of a stream wait for the turn of its first reader',
    file: HUB,
    find: 'if (asked?.turn !== undefined) this.#awaitTurn',
    replace: 'if (asked?.turn !== undefined && reader.isGone) this.#awaitTurn',
    test: FORWARDER_TEST,
    found:
      'A reader of a stream that waits for its turn waited in the class, and as long, as the first one did',
    tests: [
      'a stream that waits for its turn gets it in the class of its most urgent reader',
      'each reader of a stream that waits for its turn waits as long as it wants',
    ],
  },
  {
    promise: 'G8',
    what: 'leave readers that are gone in the queue for the turn of their stream',
    file: SHARED,
    find: '    reader.leaveTurn()\n',
    replace: '    if (!reader.isGone) reader.leaveTurn()\n',
    test: FORWARDER_TEST,
    found: 'Callers that left before the turn of their stream filled the queue of their program for minutes',
    tests: [
      'readers that leave before the turn of their stream leave the queue',
      'a program’s readers of one stream wait as one request',
    ],
  },
  {
    promise: 'G8',
    what: 'queue each reader of a stream, until they fill the queue of their program',
    file: 'main/gateway/permits.ts',
    find: '} else this.#leave(own)',
    replace: '}',
    test: FORWARDER_TEST,
    found: 'Callers that left before the turn of their stream filled the queue of their program for minutes',
  },
  {
    promise: 'G9',
    what: 'merge the frames of a burst for a reader that takes them all',
    file: 'main/gateway/stream-reader.ts',
    find: 'this.#queue.behind >= MAX_WRITE_FRAMES',
    replace: 'this.#queue.behind < 0',
    found: 'A burst of more than 256 frames in one chunk was merged for readers that take all, or ended them',
    tests: ['a reader that takes everything gets each frame of a burst'],
  },
  {
    promise: 'G9',
    what: 'keep the last frame of a stream from readers if it lacks its line end',
    file: 'main/streams/stream-connection.ts',
    find: 'if (isWhole) this.#listener.heard?.(LINE_END)',
    replace: 'if (!isWhole) this.#listener.heard?.(LINE_END)',
    test: HUB_TEST,
    found: 'The last frame of a stream reached no reader if the service ended the stream without a line end',
    tests: ['the last frame of a stream that the service ends needs no line end'],
  },
]
