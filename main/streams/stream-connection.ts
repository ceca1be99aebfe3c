import type { HttpHeaders } from '../../app/service/answer.ts'
import { type Observation, observe } from '../../app/service/headers.ts'
import { isPage, SOMETHING_ELSE, senderOf } from '../../app/service/sender.ts'
import { FrameReader, type FramesRead } from '../../app/streams/frame-reader.ts'
import type { StreamReasonCode } from '../../app/streams/reasons.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'
import { type OwnOutcome, type OwnTurn, outcomeOf } from '../api/own-turn.ts'
import type { QuotaTap, Tapped } from '../api/quota-tap.ts'
import { codingsNamed, textIn } from '../network/content-codings.ts'
import { ENDED_BY_SERVICE } from '../network/http-client.ts'
import type { Clock, Http } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { Timeline } from '../ports/timeline.ts'
import type { RefusalBody } from './stream-audience.ts'

export interface ConnectionDeps {
  readonly baseUrl: string
  readonly http: Http
  readonly secrets: Pick<Secrets, 'clean'>
  readonly clock: Clock
  readonly timeline: Timeline
  readonly tap: QuotaTap
  readonly slots: SlotLedger
  readonly reached: (ok: boolean, why: string) => void
  /** The number of own connections of the category without an answer yet. */
  readonly opening: (category: string) => number
  /** Called when a connection has released a slot of the service. */
  readonly slotFreed: (category: string) => void
  /** The form that is asked for, where it is not `application/json`. */
  readonly accept?: string
}

/** What a connection is opened with. */
export interface OpeningPass {
  readonly token: string
  /** The turn that it took among all requests, to be told its outcome; absent while no gateway is on. */
  readonly turn?: OwnTurn | undefined
}

/** Callbacks of a connection. None is called after `close`. */
export interface ConnectionListener {
  opened(observation: Observation): void
  /** Bytes of an open stream, before their frames are told. */
  heard?(bytes: Uint8Array): void
  frames(read: FramesRead): void
  /** The answer was not 200; `tapped` is what its headers and body said about quotas. */
  refused(status: number, tapped: Tapped, answer: { observation: Observation; body: RefusalBody }): void
  ended(why: string, code: StreamReasonCode): void
}

const OPEN_TIMEOUT_MS = 15_000
const REFUSAL_TIMEOUT_MS = 5_000
/** A refusal is small: of a longer one, readers get so much and a cut. */
const MAX_REFUSAL_BYTES = 1 << 20
/** How much of a refusal is read to tell which quota refused. Characters. */
const MAX_READ_LENGTH = 4_096
/**
 * How long an unidentified answer may stay without data, in milliseconds. An idle stream sends a heartbeat after 5 s
 * (service 12).
 */
const FIRST_WORD_MS = 6_000

/** `unsure`: the answer's head does not identify the service; its first bytes will. */
type Phase = 'opening' | 'unsure' | 'open' | 'refusing' | 'over'

/**
 * One HTTP/1.1 connection of a stream and its slot, from the request to the end.
 *
 * The slot counts from the request on and is released exactly once, however the connection ends.
 */
export class StreamConnection {
  readonly category: string
  readonly #deps: ConnectionDeps
  readonly #listener: ConnectionListener
  readonly #ticket: ReturnType<QuotaTap['sent']>
  readonly #decoder = new TextDecoder()
  readonly #reader = new FrameReader(
    (bytes) => this.#decoder.decode(bytes),
    (text) => this.#deps.secrets.clean(text),
  )
  readonly #token: string
  readonly #hangUp: () => void
  #phase: Phase = 'opening'
  /** The status and headers of the answer, once received. */
  #observation = observe(0, {})
  readonly #refusal: Uint8Array[] = []
  #refusalBytes = 0
  /** Told once. */
  #turn: OwnTurn | undefined
  #cancelWait = () => {}

  constructor(
    category: string,
    path: string,
    { token, turn }: OpeningPass,
    deps: ConnectionDeps,
    listener: ConnectionListener,
  ) {
    const { slots, tap, http, baseUrl, timeline } = deps
    this.category = category
    this.#deps = deps
    this.#listener = listener
    this.#turn = turn
    this.#token = token
    slots.taken(category)
    this.#ticket = tap.sent('GET', path)
    this.openedAtMs = timeline.now()
    this.#hangUp = http.open(
      {
        method: 'GET',
        url: `${baseUrl}${path}`,
        headers: {
          authorization: `Bearer ${token}`,
          accept: deps.accept ?? 'application/json',
          // Frames are read as they come. Without this field any coding is acceptable (RFC 9110, section 12.5.3).
          'accept-encoding': 'identity',
        },
        timeoutMs: OPEN_TIMEOUT_MS,
      },
      {
        opened: (status, headers) => this.#answered(status, headers),
        chunk: (bytes) => this.#heard(bytes),
        ended: (why, how) => this.#ended(why, how),
      },
    )
  }

  /** The time of the request until the stream is open, then the time of its opening. Epoch milliseconds. */
  openedAtMs: number

  get isOpening(): boolean {
    return this.#phase === 'opening' || this.#phase === 'unsure'
  }

  get isOver(): boolean {
    return this.#phase === 'over'
  }

  close(): void {
    if (this.#phase === 'over') return
    // The answer will not be read, but the request may have counted.
    if (this.#phase === 'opening') this.#deps.tap.hungUp(this.#ticket)
    else if (this.#phase !== 'open') this.#deps.tap.lost(this.#ticket)
    this.#settle({ kind: 'timeout' })
    this.#finish()
    this.#hangUp()
  }

  #answered(status: number, headers: HttpHeaders): void {
    if (this.#phase !== 'opening') return
    const { clock, baseUrl, reached } = this.#deps
    this.#observation = observe(status, headers)
    const sender = senderOf(this.#observation, baseUrl)
    if (sender.kind === 'other') this.#notTheService(sender.why)
    else if (status !== 200) {
      this.#phase = 'refusing'
      reached(true, '')
      // The body says which quota refused. A body without end is not waited for.
      this.#cancelWait = clock.after(REFUSAL_TIMEOUT_MS, () => this.#refused('cut'))
    } else if (sender.kind === 'unsure') {
      this.#phase = 'unsure'
      this.#cancelWait = clock.after(FIRST_WORD_MS, () => this.#opened())
    } else this.#opened()
  }

  #opened(): void {
    const { tap, timeline, reached } = this.#deps
    this.#cancelWait()
    reached(true, '')
    this.#phase = 'open'
    this.openedAtMs = timeline.now()
    const tapped = tap.answered(this.#ticket, this.#observation, '')
    this.#settle(outcomeOf(tapped))
    const { concurrency } = tapped.reading
    if (concurrency) this.#observed(concurrency)
    this.#listener.opened(this.#observation)
  }

  #notTheService(why: string): void {
    this.#deps.tap.notTheService(this.#ticket, this.#observation.status, why)
    this.#deps.reached(false, why)
    this.#settle({ kind: 'timeout' })
    this.#finish()
    this.#hangUp()
    this.#listener.ended(why, 'not-the-service')
  }

  #heard(bytes: Uint8Array): void {
    if (this.#phase === 'unsure') this.#heardFirst(bytes)
    if (this.#phase === 'open') this.#listener.heard?.(bytes)
    if (this.#phase === 'open') this.#listener.frames(this.#reader.push(bytes))
    else if (this.#phase === 'refusing') {
      this.#refusal.push(bytes)
      this.#refusalBytes += bytes.length
      if (this.#refusalBytes > MAX_REFUSAL_BYTES) this.#refused('cut')
    }
  }

  #heardFirst(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes)
    if (isPage(text)) this.#notTheService(SOMETHING_ELSE)
    // Line ends alone identify no sender.
    else if (text.trim() !== '') this.#opened()
  }

  #ended(why: string, how?: 'broken-head'): void {
    const isWhole = why === ENDED_BY_SERVICE
    if (this.#phase === 'refusing') this.#refused(isWhole ? 'whole' : 'cut')
    if (this.isOver) return
    if (this.isOpening) {
      this.#deps.tap.lost(this.#ticket)
      this.#settle({ kind: 'timeout' })
      if (this.#phase === 'opening') this.#deps.reached(false, why)
    } else {
      // The last line of older streams may lack its line end.
      const last = this.#reader.end()
      if (last.notable.some(({ kind }) => kind === 'ended')) this.#listener.frames(last)
      if (this.isOver) return
    }
    this.#finish()
    if (how === 'broken-head') this.#listener.ended(why, 'broken-answer')
    else this.#listener.ended(why, isWhole ? 'ended-by-service' : 'connection-lost')
  }

  #refused(end: 'whole' | 'cut'): void {
    if (this.#phase !== 'refusing') return
    const bytes = Buffer.concat(this.#refusal)
    const codings = codingsNamed(this.#observation.headers['content-encoding'] ?? '')
    const text = textIn(bytes, codings).slice(0, MAX_READ_LENGTH)
    const tapped = this.#deps.tap.answered(this.#ticket, this.#observation, text)
    this.#settle(outcomeOf(tapped))
    this.#finish()
    this.#hangUp()
    // A refusal for lack of a slot means that none is left, even without headers that say so.
    if (tapped.refused === 'concurrency') this.#observed(tapped.reading.concurrency ?? { remaining: 0 })
    const body = { bytes, isWhole: end === 'whole', token: this.#token }
    this.#listener.refused(this.#observation.status, tapped, { observation: this.#observation, body })
  }

  #observed(reading: Parameters<SlotLedger['observed']>[1]): void {
    const { slots, opening, timeline } = this.#deps
    slots.observed(this.category, reading, opening(this.category), timeline.now())
  }

  #settle(outcome: OwnOutcome): void {
    this.#turn?.(outcome)
    this.#turn = undefined
  }

  #finish(): void {
    const { slots, timeline, slotFreed } = this.#deps
    const wasOpen = this.#phase === 'open'
    this.#phase = 'over'
    this.#cancelWait()
    slots.released(this.category, wasOpen ? timeline.now() : undefined)
    if (wasOpen) slotFreed(this.category)
  }
}
