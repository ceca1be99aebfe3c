import { Readable } from 'node:stream'
import { keepNewest } from '../../app/contract/newest.ts'
import { PROGRAM_CLASSES } from '../../app/contract/programs.ts'
import { STREAM_TABLE, type StreamRequest } from '../../app/service/stream-kinds.ts'
import type { StreamState } from '../../app/streams/life-cycle.ts'
import { mergeRuleOf } from '../../app/streams/merge-rules.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'
import { covers, type StreamAddress, streamAddressOf } from '../../app/streams/stream-address.ts'
import type { Permit } from '../api/permit.ts'
import { isFinalStatus } from '../network/forward-http.ts'
import type { Clock } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { Timeline } from '../ports/timeline.ts'
import type { RefusedStream } from '../streams/stream-readers.ts'
import type { Streams } from '../streams/streams.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { relay } from './answer-relay.ts'
import type { WaitingNow } from './forwarder.ts'
import { type Problem, sendProblem, tooMany } from './problem.ts'
import type { ProgramUse } from './program-use.ts'
import type { Program } from './programs.ts'
import { abandoned, CUT_OFF, FAILURES, unavailable } from './refusals.ts'
import { SharedStream } from './shared-stream.ts'
import { StreamReader } from './stream-reader.ts'
import { TokenRemoval } from './token-removal.ts'

/**
 * A queued request that opens a stream. All readers of the stream wait together, in the most urgent class
 * among them. Each reader has its own maximum wait.
 */
export interface StreamTurn {
  /**
   * Resolves when the stream may be opened. The result is a function that must be called with the outcome of
   * the request.
   */
  readonly granted: Promise<Permit>
  /**
   * Adds a waiting reader. `declined` is called if the reader's wait ends before the stream may be opened.
   * Call the returned function when the reader leaves.
   */
  readonly wait: (
    reader: { readonly program: Program; readonly maxWaitMs: number },
    declined: (problem: Problem) => void,
  ) => () => void
  /** The response to a reader whose maximum wait ends before the stream may be opened. */
  readonly tooLate: () => Problem
}

/** The hub's inputs for sharing the streams of one connected key. */
export interface SharingDeps {
  readonly streams: Streams
  readonly slots: Pick<SlotLedger, 'free' | 'view'>
}

export interface StreamHubDeps extends SharingDeps {
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'clean'>
  readonly timeline: Timeline
  readonly turn: (path: string) => StreamTurn
  /** Earliest time to reopen a stream with readers, epoch ms. `undefined` if unknown. */
  readonly roomAtMs: (path: string) => number | undefined
  readonly countsOf: (program: Program) => ProgramUse
  /** The response to send if there is no access token. */
  readonly noToken: () => Problem
  /** Counts a request as declined, and answers it. */
  readonly refuse: (request: AdmittedRequest, problem: Problem) => void
  /** Counts a program's request that the service answered. */
  readonly forwarded: (program: Program, category: string) => void
  readonly changed: () => void
  /** Called with an exception that serving a reader threw. Only that reader's stream ends. */
  readonly defect: (cause: unknown) => void
}

interface Asked {
  readonly shared: SharedStream
  /** The request for which the stream is opened, as received. */
  readonly request: AdmittedRequest
  /** The queued request that opens the stream. */
  turn?: StreamTurn | undefined
  attempts: number
  /** Whether an attempt got a 401. The next attempt then uses another token, if available. */
  isUnauthorized: boolean
}

/** Interval of attempts to open a stream while others occupy the slots. Milliseconds. */
const TRY_MS = 5_000
/** Interval of checks for free slots and expired waits. Milliseconds. */
const LOOK_MS = 1_000
const MAX_ATTEMPTS = 2
/** How long a stream stays unshared after its state was too large. Milliseconds. */
export const UNSHARED_MS = 600_000
const MAX_UNSHARED = 256
/**
 * Maximum length of a shared stream's target. Targets are displayed, so they must be short. A stream with a
 * longer target is relayed but not shared.
 */
const MAX_TARGET_LENGTH = 512

/**
 * The streams that programs read on one connected key. Identical streams share one stream of the service, and
 * its slot. Programs can also share a stream that Headroom opened for itself.
 */
export class StreamHub {
  readonly #deps: StreamHubDeps
  readonly #shared = new Set<SharedStream>()
  /** Streams that have no connection to the service yet. */
  readonly #asked = new Map<SharedStream, Asked>()
  readonly #requests = new Map<StreamReader, AdmittedRequest>()
  /** Streams whose state was too large: when each may be shared again, by stream key. */
  readonly #unsharedUntilMs = new Map<string, number>()
  readonly #triedAtMs = new Map<string, number>()
  #cancelLook: (() => void) | undefined

  constructor(deps: StreamHubDeps) {
    this.#deps = deps
    deps.streams.onSlotFreed = () => this.#advance()
    deps.streams.onSlotWanted = (category) => this.#giveUpKept(category)
  }

  /** Number of readers, including those whose stream is not open yet. */
  get size(): number {
    return this.#requests.size
  }

  /** A program's requests that wait for a stream to open. */
  waitingOf(program: Program): readonly WaitingNow[] {
    return [...this.#asked.values()]
      .filter(({ turn }) => turn === undefined)
      .flatMap(({ shared }) =>
        shared.pending
          .filter((reader) => reader.program.id === program.id)
          .map(({ sinceMs, waitsUntilMs }) => ({
            category: shared.category,
            sinceMs,
            untilMs: waitsUntilMs,
          })),
      )
  }

  markClockUncertain(fromMs: number, toMs: number): void {
    for (const { shared } of this.#asked.values()) {
      for (const reader of shared.pending) {
        reader.sinceMs += toMs - fromMs
        reader.waitsUntilMs += toMs - fromMs
      }
    }
  }

  /** Serves a request for a shareable stream. Returns `false` for any other request. */
  serve(request: AdmittedRequest): boolean {
    if (request.method !== 'GET') return false
    const address = streamAddressOf(request.pathAndQuery, request.accept)
    const rule = address && mergeRuleOf(address)
    if (address === undefined || rule === undefined || address.target.length > MAX_TARGET_LENGTH) return false
    if (this.#isUnshared(address)) return false
    const shared = this.#sharedAs(address)
    const sinceMs = this.#deps.timeline.now()
    const waitsUntilMs = sinceMs + request.maxWaitMs
    const reader = new StreamReader(request, address, { sinceMs, waitsUntilMs })
    this.#requests.set(reader, request)
    request.reply.on('close', () => this.#requests.delete(reader))
    if (shared !== undefined) {
      shared.add(reader)
      const asked = this.#asked.get(shared)
      if (asked?.turn !== undefined) this.#awaitTurn(asked, asked.turn, reader)
      this.#deps.changed()
      return true
    }
    const added = new SharedStream({
      clock: this.#deps.clock,
      address,
      rule,
      secrets: this.#deps.secrets,
      listener: {
        began: (begun, isFirst) => this.#began(begun, isFirst),
        ended: (left) => this.#ended(left),
        refused: (answer) => this.#refused(added, answer),
        notOpened: (state) => this.#notOpened(added, state),
        over: () => this.#over(added),
        failed: (reader, cause) => this.#failed(reader, cause),
        outgrown: () => this.#unshare(address),
        heard: () => this.#enlarge(added),
      },
    })
    this.#shared.add(added)
    this.#asked.set(added, { shared: added, request, attempts: 0, isUnauthorized: false })
    added.add(reader)
    if (!this.#joinsOwn(added)) this.#advance()
    // Deferred, because a stream that can be opened at once is opened only after this call.
    if (waitsUntilMs <= sinceMs) this.#deps.clock.after(0, () => this.#expire())
    this.#deps.changed()
    return true
  }

  /** Ends all streams that a program reads, immediately. */
  cut(program: Program): void {
    for (const [reader] of [...this.#requests]) {
      if (reader.program.id !== program.id) continue
      sendProblem(reader.reply, CUT_OFF)
      if (!reader.reply.writableEnded) reader.reply.destroy()
      this.#leave(reader)
    }
  }

  /**
   * Ends requests whose stream is not open yet. They get 503, or 502 if a request to open the stream was
   * sent.
   */
  refuseWaiting(why: string): void {
    for (const asked of [...this.#asked.values()]) this.#answerAll(asked.shared, withoutResponse(asked, why))
  }

  /** Answers a paused program's requests that wait for a stream. A stream that is being opened continues. */
  refuseWaitingOf({ id }: Program, problem: Problem): void {
    for (const { shared, attempts } of [...this.#asked.values()]) {
      if (isOpening(shared)) continue
      const answer = attempts > 0 ? abandoned('this program is paused in Headroom') : problem
      for (const reader of shared.pending) if (reader.program.id === id) this.#answer(shared, reader, answer)
    }
  }

  /**
   * Ends all streams with GoAway. Resolves once each reader has received everything that was written to it.
   */
  async end(why: string): Promise<void> {
    const replies = [...this.#shared].flatMap(({ readers }) => readers.map(({ reply }) => reply))
    const taken = replies.map((reply) => new Promise((resolve) => reply.on('close', resolve)))
    this.refuseWaiting(why)
    for (const shared of [...this.#shared]) shared.close()
    this.#cancelLook?.()
    this.#cancelLook = undefined
    this.#deps.streams.onSlotFreed = () => {}
    this.#deps.streams.onSlotWanted = () => {}
    await Promise.all(taken)
  }

  /** Stops sharing a stream that grew too large. Each program that retries gets its own stream. */
  #unshare({ key }: StreamAddress): void {
    this.#unsharedUntilMs.set(key, this.#deps.timeline.now() + UNSHARED_MS)
    keepNewest(this.#unsharedUntilMs, MAX_UNSHARED)
  }

  #isUnshared({ key }: StreamAddress): boolean {
    const untilMs = this.#unsharedUntilMs.get(key)
    if (untilMs === undefined || untilMs > this.#deps.timeline.now()) return untilMs !== undefined
    this.#unsharedUntilMs.delete(key)
    return false
  }

  #sharedAs(address: StreamAddress): SharedStream | undefined {
    const open = [...this.#shared].filter((one) => !one.isOver)
    return (
      open.find((one) => one.address.key === address.key) ??
      open.find((one) => one.isOpen && covers(one.address, address))
    )
  }

  /**
   * Connects a shared stream to an identical stream that Headroom opened for itself. That stream is reopened,
   * so that programs get it from the beginning. Returns false if there is none.
   */
  #joinsOwn(shared: SharedStream): boolean {
    const keeper = this.#deps.streams.keepers.find(
      (one) => one.audience === undefined && streamAddressOf(one.path)?.key === shared.address.key,
    )
    if (keeper === undefined) return false
    shared.keeper = keeper
    keeper.audience = shared
    keeper.renew()
    this.#look()
    return true
  }

  /** Opens the streams for which there is a slot, most urgent first. */
  #advance(): void {
    const urgency = ({ shared }: Asked) => Math.min(...shared.pending.map(urgencyOf))
    const waiting = [...this.#asked.values()].filter(
      ({ shared, turn }) => shared.keeper === undefined && turn === undefined,
    )
    for (const asked of waiting.toSorted((a, b) => urgency(a) - urgency(b))) this.#open(asked)
    this.#look()
  }

  #open(asked: Asked): void {
    const { shared, request } = asked
    const turn = this.#deps.turn(request.pathAndQuery)
    // `#hasRoom` may close a stream to free its slot, which calls `#advance` again. `#advance` skips a stream
    // whose `turn` is set, so it does not open this stream twice.
    asked.turn = turn
    if (shared.pending.length === 0 || !this.#hasRoom(shared)) {
      asked.turn = undefined
      return
    }
    void turn.granted.then((taken) => this.#taken(asked, taken))
    for (const reader of shared.pending) this.#awaitTurn(asked, turn, reader)
  }

  #awaitTurn({ shared }: Asked, turn: StreamTurn, reader: StreamReader): void {
    const { program, waitsUntilMs } = reader
    const maxWaitMs = Math.max(0, waitsUntilMs - this.#deps.timeline.now())
    reader.leaveTurn = turn.wait({ program, maxWaitMs }, (problem) => this.#answer(shared, reader, problem))
  }

  #taken(asked: Asked, taken: Permit): void {
    const { shared, request } = asked
    const { streams, timeline } = this.#deps
    asked.turn = undefined
    const isWanted = this.#asked.has(shared) && shared.pending.length > 0
    const opened =
      isWanted &&
      streams.openForProgram({
        request: requestOf(shared.address),
        path: request.pathAndQuery,
        accept: shared.address.accept,
        audience: shared,
        turn: taken,
        mayBeRefused: this.#mayTry(shared.category),
      })
    if (opened === false || !opened.ok) {
      taken({ kind: 'not-sent' })
      if (opened !== false && opened.code !== 'no-slot')
        this.#answerAll(shared, { ...unavailable(''), detail: opened.message })
      return
    }
    this.#triedAtMs.set(shared.category, timeline.now())
    shared.keeper = opened.keeper
  }

  /** Whether a slot is free, or others might have freed one. If needed, closes a stream without readers. */
  #hasRoom({ category }: SharedStream): boolean {
    if (this.#hasFreeSlot(category)) return true
    this.#giveUpKept(category)
    return this.#hasFreeSlot(category) || this.#mayTry(category)
  }

  #giveUpKept(category: string): void {
    const kept = [...this.#shared].find((one) => one.category === category && one.isKept)
    kept?.close()
  }

  /** Whether enough slots are free for all streams of the category that are about to be opened. */
  #hasFreeSlot(category: string): boolean {
    const free = this.#deps.slots.free(category)
    const promised = [...this.#asked.values()].filter(
      ({ shared, turn }) => turn !== undefined && shared.category === category,
    )
    return free === undefined || free >= promised.length
  }

  #mayTry(category: string): boolean {
    const { slots, timeline } = this.#deps
    const row = slots.view().find((one) => one.category === category)
    if (row === undefined || row.elsewhere === 0) return false
    const sinceMs = Math.max(this.#triedAtMs.get(category) ?? 0, row.observedAt ?? 0)
    return timeline.now() - sinceMs >= TRY_MS
  }

  /** Schedules another check while a request waits for its stream. */
  #look(): void {
    if (this.#cancelLook !== undefined || this.#asked.size === 0) return
    this.#cancelLook = this.#deps.clock.after(LOOK_MS, () => {
      this.#cancelLook = undefined
      this.#expire()
      this.#advance()
    })
  }

  /** Answers requests whose maximum wait has ended, unless an attempt is in progress. */
  #expire(): void {
    const nowMs = this.#deps.timeline.now()
    for (const asked of [...this.#asked.values()]) {
      const { shared, turn } = asked
      if (isOpening(shared)) continue
      for (const reader of shared.pending)
        if (reader.waitsUntilMs <= nowMs)
          this.#answer(shared, reader, turn === undefined ? this.#tooLate(asked) : turn.tooLate())
    }
  }

  #tooLate(asked: Asked): Problem {
    const { shared } = asked
    if (shared.keeper !== undefined && !shared.keeper.waitsForSlot)
      return withoutResponse(asked, 'the service did not open this stream in time')
    const { streams, slots } = this.#deps
    const row = slots.view().find((one) => one.category === shared.category)
    return tooMany(streams.noSlot(shared.category).message, 'Stream quota exceeded', {
      ...(row && { 'x-concurrency-limit': String(row.limit) }),
      'x-concurrency-remaining': '0',
      'x-concurrency-resource': row?.resource ?? shared.category,
    })
  }

  #began(reader: StreamReader, isFirst: boolean): void {
    const use = this.#deps.countsOf(reader.program)
    use.streams += 1
    if (isFirst) this.#deps.forwarded(reader.program, STREAM_TABLE[reader.address.kind].category)
    else use.coalesced += 1
    for (const shared of [...this.#asked.keys()]) if (shared.isOpen) this.#asked.delete(shared)
    this.#deps.changed()
  }

  #ended(reader: StreamReader): void {
    this.#requests.delete(reader)
    this.#deps.countsOf(reader.program).streams -= 1
    if (this.#asked.size > 0) this.#advance()
    for (const { waitsForSlot, category } of this.#deps.streams.keepers)
      if (waitsForSlot) this.#giveUpKept(category)
    this.#deps.changed()
  }

  #refused(shared: SharedStream, answer: RefusedStream): void {
    const { tapped, observation } = answer
    if (!isFinalStatus(observation.status)) {
      this.#answerAll(shared, FAILURES.broken)
      return
    }
    const asked = this.#asked.get(shared)
    if (observation.status === 401 && asked?.isUnauthorized === false) {
      asked.isUnauthorized = true
      return
    }
    if (tapped.refused === 'concurrency') {
      // All slots are taken, so the request waits for a free slot. If Headroom itself uses the stream, its
      // keeper retries. If only programs use it, the keeper is no longer needed.
      const { keeper } = shared
      if (keeper === undefined || keeper.isOwn) return
      shared.keeper = undefined
      this.#deps.streams.leftByPrograms(keeper)
      this.#look()
      return
    }
    const [first] = shared.pending
    if (observation.status === 429 && first !== undefined) this.#deps.countsOf(first.program).rejected += 1
    // All readers get the response, unless it is a 429 for a quota. Only readers whose wait ends before
    // `untilMs` get such a 429. At `untilMs`, the quota has room for one request. Reset would be too late,
    // because the quota is full then.
    const path = shared.keeper?.path
    const untilMs =
      tapped.refused === undefined || path === undefined
        ? Number.POSITIVE_INFINITY
        : (this.#deps.roomAtMs(path) ?? tapped.retryAtMs ?? 0)
    const readers = shared.pending.filter(({ waitsUntilMs }) => waitsUntilMs < untilMs)
    for (const reader of readers) {
      if (reader !== readers[0]) this.#deps.countsOf(reader.program).coalesced += 1
      else if (observation.status !== 429) this.#deps.forwarded(reader.program, shared.category)
      this.#leave(reader)
    }
    sendAnswer(readers, answer, this.#deps)
  }

  #failed({ reply }: StreamReader, cause: unknown): void {
    this.#deps.defect(cause)
    if (reply.headersSent) reply.destroy()
    else sendProblem(reply, FAILURES.broken)
  }

  #notOpened(shared: SharedStream, state: Extract<StreamState, { kind: 'waiting' | 'closed' }>): void {
    const asked = this.#asked.get(shared)
    if (asked === undefined) return
    if (state.kind === 'closed') this.#answerAll(shared, abandoned(state.reason))
    else if (state.code === 'no-token') this.#answerAll(shared, this.#deps.noToken())
    else if (state.code === 'broken-answer') this.#answerAll(shared, FAILURES.broken)
    else if (state.code === 'not-the-service') this.#answerAll(shared, noAnswer(state.reason))
    else if (state.code === 'connection-lost') {
      asked.attempts += 1
      if (asked.attempts >= MAX_ATTEMPTS) this.#answerAll(shared, noAnswer(state.reason))
    }
    this.#look()
  }

  /** Merges smaller quote streams into a larger quote stream that has sent all their objects. */
  #enlarge(larger: SharedStream): void {
    if (larger.address.symbols === undefined || !larger.isOpen) return
    for (const smaller of [...this.#shared]) {
      if (smaller === larger || !smaller.isOpen || !covers(larger.address, smaller.address)) continue
      if (larger.hasAllOf(smaller)) larger.takeOver(smaller)
    }
  }

  #over(shared: SharedStream): void {
    const asked = this.#asked.get(shared)
    const why = 'the stream was closed'
    const problem = asked === undefined ? unavailable(why) : withoutResponse(asked, why)
    this.#shared.delete(shared)
    this.#asked.delete(shared)
    const { keeper } = shared
    shared.keeper = undefined
    if (keeper !== undefined) this.#deps.streams.leftByPrograms(keeper)
    for (const reader of shared.pending) sendProblem(reader.reply, problem)
    this.#deps.changed()
  }

  #answerAll(shared: SharedStream, problem: Problem): void {
    for (const reader of shared.pending) this.#answer(shared, reader, problem)
  }

  #answer(shared: SharedStream, reader: StreamReader, problem: Problem): void {
    const request = this.#requests.get(reader)
    this.#requests.delete(reader)
    if (request !== undefined) this.#deps.refuse(request, problem)
    shared.remove(reader)
  }

  /** Removes a reader that has its response, or no longer needs one. */
  #leave(reader: StreamReader): void {
    this.#requests.delete(reader)
    for (const shared of [...this.#shared])
      if (shared.pending.includes(reader) || shared.readers.includes(reader)) shared.remove(reader)
  }
}

/** Rank of the class of the reader's program. 0 is the most urgent. */
const urgencyOf = ({ program }: StreamReader): number => PROGRAM_CLASSES.indexOf(program.class)

/** The stream as a person could enter it. A stream in this form can be pinned. */
function requestOf({ kind, target, options }: StreamAddress): StreamRequest {
  const names = Object.keys(STREAM_TABLE[kind].pathOptions ?? {})
  const named = Object.entries(options).map(([lower, value]) => [
    names.find((name) => name.toLowerCase() === lower) ?? lower,
    value,
  ])
  return { kind, target, options: Object.fromEntries(named) }
}

/** Relays a response that did not open a stream, after removing the token from its body. */
function sendAnswer(
  readers: readonly StreamReader[],
  { observation: { status, headers }, body: { bytes, isWhole, token } }: RefusedStream,
  { clock, defect }: Pick<StreamHubDeps, 'clock' | 'defect'>,
): void {
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  )
  const body = Object.assign(Readable.from([]), { complete: isWhole })
  const removal = new TokenRemoval(token)
  relay({
    ...removal.fromError({
      answer: { status, headers, rawHeaders, body },
      begun: { bytes, rest: isWhole ? 'none' : 'cut' },
    }),
    removal,
    readers: readers.map(({ reply }, i) => ({ reply, isCoalesced: i > 0 })),
    abort: () => {},
    ended: () => {},
    isEndless: false,
    clock,
    defect,
  })
}

/**
 * The response to a reader whose stream is not open. Depends on whether a request to open the stream may have
 * been sent.
 */
const withoutResponse = ({ shared, attempts }: Asked, why: string): Problem =>
  attempts > 0 || isOpening(shared) ? abandoned(why) : unavailable(why)

/** Whether an attempt to open the stream is in progress. */
const isOpening = ({ keeper }: SharedStream): boolean => (keeper?.opening ?? 0) > 0

const noAnswer = (why: string): Problem => ({
  status: 502,
  detail: `The service did not open this stream: ${why}. The request may count against the quota.`,
  proxyError: 'connection_terminated',
})
