import type { Observation } from '../../app/service/headers.ts'
import { STREAM_TABLE } from '../../app/service/stream-kinds.ts'
import { Framer } from '../../app/streams/framer.ts'
import { frameOf } from '../../app/streams/frames.ts'
import type { StreamState } from '../../app/streams/life-cycle.ts'
import type { MergeRule } from '../../app/streams/merge-rules.ts'
import { type SharedFrame, SharedState } from '../../app/streams/shared-state.ts'
import type { StreamAddress } from '../../app/streams/stream-address.ts'
import type { Clock } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { StreamKeeper } from '../streams/stream-keeper.ts'
import type { ReadBy, RefusedStream, StreamReaders } from '../streams/stream-readers.ts'
import { GO_AWAY, passedHeaders } from './answer-relay.ts'
import { GATEWAY_NAME } from './problem.ts'
import type { StreamReader } from './stream-reader.ts'

/** Receives the events of a shared stream. Implemented by the hub. */
export interface SharedStreamListener {
  /** A reader's response began. `isFirst`: this reader's request opened the stream. */
  began(reader: StreamReader, isFirst: boolean): void
  ended(reader: StreamReader): void
  /** The service answered without opening the stream. The stream was never open. */
  refused(answer: RefusedStream): void
  /** An attempt to open the stream failed. The stream waits for another attempt, or is closed. */
  notOpened(state: Extract<StreamState, { kind: 'waiting' | 'closed' }>): void
  /** No program will read the stream again: no reader is left, or all readers got GoAway. */
  over(): void
  /** Serving a reader failed with an exception. The reader gets no more data. */
  failed(reader: StreamReader, cause: unknown): void
  /** The stream's state is too large to share. `over` follows. */
  outgrown(): void
  /** Called when frames arrived. */
  heard(): void
}

export interface SharedStreamDeps {
  readonly clock: Clock
  readonly address: StreamAddress
  readonly rule: MergeRule
  readonly secrets: Pick<Secrets, 'clean'>
  readonly listener: SharedStreamListener
}

/** How far `hasAllOf` has checked the keys of another stream. The next call continues with the key `next`. */
interface MissingKeys {
  readonly keys: Iterator<string>
  next?: IteratorResult<string>
}

/** How long a stream without readers stays open. Milliseconds. */
export const KEPT_MS = 10_000
/**
 * Time in milliseconds for which an outage of the service is hidden from programs. After that, their streams
 * end.
 */
export const MAX_OUTAGE_MS = 60_000

const DUAL_LOGON = 'DualLogon'
/** Headers about the request that opened the stream. Only the program that sent this request gets them. */
const OF_ONE_REQUEST = /^(?:x-ratelimit-|x-concurrency-|x-ts-request-id$|date$)/
/**
 * Headers that describe the bytes of the service's response. They are not relayed, because each reader gets
 * other bytes, and a reader's stream may outlast the service's response.
 */
const OF_ONE_BODY = /^(?:content-length|content-range|content-md5|content-digest|repr-digest|digest)$/
const LF = 0x0a
const CR = 0x0d

const encoder = new TextEncoder()
const encode = (text: string): Uint8Array => encoder.encode(text)

/**
 * One stream of the service, and the programs that read it.
 *
 * Programs do not notice when the connection to the service is replaced. If the service sends its state
 * again, programs get only the differences. An outage of the service ends their streams only after
 * `MAX_OUTAGE_MS`.
 */
export class SharedStream implements StreamReaders {
  readonly address: StreamAddress
  keeper: StreamKeeper | undefined
  readonly #clock: Clock
  readonly #secrets: Pick<Secrets, 'clean'>
  readonly #listener: SharedStreamListener
  readonly #decoder = new TextDecoder()
  readonly #readers = new Set<StreamReader>()
  /** Readers whose response has not begun, in order of arrival. */
  readonly #pending = new Set<StreamReader>()
  readonly state: SharedState
  readonly #missingOf = new WeakMap<SharedStream, MissingKeys>()
  #framer = new Framer()
  /** The head of the response that opened the stream. `undefined` until then. */
  #observation: Observation | undefined
  #lastByte = 0
  #hasLineEnd = false
  #lastWords: string | undefined
  #cancelOutage: (() => void) | undefined
  #cancelKept: (() => void) | undefined
  #isOver = false

  constructor({ clock, address, rule, secrets, listener }: SharedStreamDeps) {
    this.address = address
    this.#secrets = secrets
    this.#clock = clock
    this.#listener = listener
    this.state = new SharedState(address, rule, encode)
  }

  get category(): string {
    return STREAM_TABLE[this.address.kind].category
  }

  get isOpen(): boolean {
    return this.#observation !== undefined && !this.#isOver
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether the stream has no reader and stays open only in case a program returns. */
  get isKept(): boolean {
    return this.#cancelKept !== undefined && this.keeper?.isOwn !== true
  }

  get pending(): readonly StreamReader[] {
    return [...this.#pending]
  }

  get readers(): readonly StreamReader[] {
    return [...this.#readers]
  }

  get readBy(): ReadBy {
    const counts = new Map<string, number>()
    for (const { program } of this.#readers) counts.set(program.name, (counts.get(program.name) ?? 0) + 1)
    return Array.from(counts, ([program, readers]) => ({ program, readers }))
  }

  /** Adds a reader. Its response begins now, or when the stream opens. */
  add(reader: StreamReader): void {
    this.#cancelKept?.()
    this.#cancelKept = undefined
    reader.onGone = () => this.#gone(reader)
    this.#pending.add(reader)
    if (this.isOpen) this.#begin(reader, false)
  }

  /** Removes a reader that got another response, such as an error. */
  remove(reader: StreamReader): void {
    reader.onGone = () => {}
    this.#gone(reader)
  }

  /**
   * Whether this stream has sent all objects of the `other` stream. Objects that an earlier call found are
   * not checked again.
   */
  hasAllOf(other: SharedStream): boolean {
    const missing = this.#missingOf.get(other) ?? { keys: other.state.keys[Symbol.iterator]() }
    this.#missingOf.set(other, missing)
    missing.next ??= missing.keys.next()
    const isFound = (key: string) => this.state.has(key) || !other.state.has(key)
    while (missing.next.done !== true && isFound(missing.next.value)) missing.next = missing.keys.next()
    return missing.next.done === true
  }

  /** Takes over the readers of another stream. This stream must have all objects of the other one. */
  takeOver(other: SharedStream): void {
    for (const reader of other.#readers) {
      reader.onGone = () => this.#gone(reader)
      this.#readers.add(reader)
      reader.moveTo(this.state)
    }
    other.#readers.clear()
    other.close()
  }

  /** Ends the streams of all readers, as a service shutdown would. */
  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelOutage?.()
    this.#cancelKept?.()
    this.#cancelKept = undefined
    for (const reader of [...this.#readers]) this.#sendAway(reader)
    this.#listener.over()
  }

  opened(observation: Observation): void {
    this.#observation ??= observation
    this.#framer = new Framer()
    this.#lastByte = 0
    this.state.opened()
    // A response head does not prove that the service is back. Only data does.
    if (this.state.isCatchingUp) this.#awaitService()
    let isFirst = true
    for (const reader of this.pending) {
      this.#begin(reader, isFirst)
      isFirst = false
    }
  }

  heard(bytes: Uint8Array): void {
    if (this.#observation === undefined || this.#isOver) return
    this.#findLineEnd(bytes)
    const frames: SharedFrame[] = []
    const { lines } = this.#framer.push(bytes)
    for (const line of lines) {
      const text = this.#cleaned(this.#decoder.decode(line))
      frames.push(...this.state.heard(text))
      if (text.includes(DUAL_LOGON)) this.#noteDualLogon(text)
      if (this.state.isTooLarge) {
        this.#listener.outgrown()
        this.close()
        return
      }
    }
    if (lines.length > 0 && !this.state.isCatchingUp) this.#isServed()
    if (frames.length === 0) return
    for (const reader of this.#readers) {
      this.#contain(reader, () => reader.hear(frames))
      if (reader.isLost) this.#sendAway(reader)
    }
    this.#listener.heard()
  }

  refused(answer: RefusedStream): void {
    if (this.#observation === undefined) this.#listener.refused(answer)
  }

  became(state: StreamState): void {
    if (this.#isOver) return
    // The old connection ended before the new one was open, so an outage begins.
    if (state.kind === 'opening' && this.#observation !== undefined) this.#awaitService()
    if (state.kind !== 'waiting' && state.kind !== 'closed') return
    if (this.#observation === undefined) this.#listener.notOpened(state)
    else if (state.kind === 'closed') this.close()
    else this.#awaitService()
  }

  #awaitService(): void {
    this.#cancelOutage ??= this.#clock.after(MAX_OUTAGE_MS, () => this.close())
  }

  #isServed(): void {
    this.#cancelOutage?.()
    this.#cancelOutage = undefined
  }

  /** Removes the access token, which an error may repeat in a frame. */
  #cleaned(frame: string): string {
    return frame.includes('"Error"') ? this.#secrets.clean(frame) : frame
  }

  #noteDualLogon(text: string): void {
    const frame = frameOf(text)
    if (frame.kind === 'fatal' && frame.error === DUAL_LOGON) this.#lastWords = text
  }

  #begin(reader: StreamReader, isFirst: boolean): void {
    if (!this.#pending.delete(reader) || this.#observation === undefined) return
    if (reader.isGone) return
    this.#readers.add(reader)
    this.#listener.began(reader, isFirst)
    this.#contain(reader, () => reader.begin(this.#headers(isFirst), this.state))
  }

  #contain(reader: StreamReader, run: () => void): void {
    try {
      run()
    } catch (cause) {
      this.#listener.failed(reader, cause)
      this.#gone(reader)
    }
  }

  #headers(isFirst: boolean): string[] {
    const { status = 200, headers = {} } = this.#observation ?? {}
    const rawHeaders = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || OF_ONE_BODY.test(name) || (!isFirst && OF_ONE_REQUEST.test(name))
        ? []
        : [name, value],
    )
    const passed = passedHeaders({ status, rawHeaders })
    return isFirst ? passed : [...passed, 'Cache-Status', `${GATEWAY_NAME}; hit; detail=coalesced`]
  }

  /** Removes a reader whose connection ended, or that got another response. */
  #gone(reader: StreamReader): void {
    this.#pending.delete(reader)
    reader.leaveTurn()
    const wasReading = this.#readers.delete(reader)
    if (this.#readers.size === 0 && this.#pending.size === 0) this.#leftAlone()
    if (wasReading) this.#listener.ended(reader)
  }

  #leftAlone(): void {
    if (this.#isOver || this.#cancelKept !== undefined) return
    if (!this.isOpen) this.close()
    else this.#cancelKept = this.#clock.after(KEPT_MS, () => this.close())
  }

  #sendAway(reader: StreamReader): void {
    reader.onGone = () => {}
    reader.end(this.state.line(this.#lastWords ?? GO_AWAY), this.#clock)
    this.#gone(reader)
  }

  /** Finds the service's line end. The gateway's own lines end in the same way. */
  #findLineEnd(bytes: Uint8Array): void {
    if (this.#hasLineEnd || bytes.length === 0) return
    const at = bytes.indexOf(LF)
    if (at >= 0) {
      this.#hasLineEnd = true
      this.state.lineEnd = (at === 0 ? this.#lastByte : bytes[at - 1]) === CR ? '\r\n' : '\n'
    }
    this.#lastByte = bytes[bytes.length - 1] ?? 0
  }
}
