import type { StreamReasonCode } from '../../app/contract/stream-reasons.ts'
import type { HttpHeaders, Observation } from '../../app/service/headers.ts'
import { isPage, SOMETHING_ELSE } from '../../app/service/sender.ts'
import { FrameReader, type FramesRead } from '../../app/streams/frame-reader.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'
import { Exchange, type ExchangeDeps } from '../api/exchange.ts'
import type { Permit } from '../api/permit.ts'
import type { QuotaTap, Tapped } from '../api/quota-tap.ts'
import { ENDED_BY_SERVICE } from '../network/http-client.ts'
import type { Clock, Http } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { Timeline } from '../ports/timeline.ts'
import type { RefusalBody } from './stream-readers.ts'

export interface ConnectionDeps extends ExchangeDeps {
  readonly http: Http
  readonly secrets: Pick<Secrets, 'clean'>
  readonly clock: Clock
  readonly timeline: Timeline
  readonly tap: QuotaTap
  readonly slots: SlotLedger
  /** Number of own connections in the category that have no response yet. */
  readonly opening: (category: string) => number
  /** Called when a connection has released its slot at the service. */
  readonly slotFreed: (category: string) => void
  /** The requested media type, if not `application/json`. */
  readonly accept?: string
}

/** Inputs for opening a connection. */
export interface OpeningPass {
  readonly token: string
  /** The permit of this request. Must be called with the outcome. Absent while the gateway is off. */
  readonly turn?: Permit | undefined
}

/** Callbacks of a connection. None is called after `close`. */
export interface ConnectionListener {
  opened(observation: Observation): void
  /** Called with the bytes of an open stream, before their frames are reported. */
  heard?(bytes: Uint8Array): void
  frames(read: FramesRead): void
  /** The response was not 200. `tapped` has the quota information from its headers and body. */
  refused(status: number, tapped: Tapped, answer: { observation: Observation; body: RefusalBody }): void
  ended(why: string, code: StreamReasonCode): void
}

const OPEN_TIMEOUT_MS = 15_000
const REFUSAL_TIMEOUT_MS = 5_000
/** Maximum number of bytes of an error response that are passed to readers. */
const MAX_REFUSAL_BYTES = 1 << 20
/**
 * Maximum wait in milliseconds for the first data of a response whose sender is unknown. The service sends a
 * heartbeat after 5 s without data (service 12).
 */
const FIRST_WORD_MS = 6_000

const LINE_END = Uint8Array.of(0x0a)

/** `unsure`: the head does not show whether the service responded, so the first bytes of the body decide. */
type Phase = 'opening' | 'unsure' | 'open' | 'refusing' | 'over'

/** One exchange that opens a stream. Reads the stream's bytes until its connection ends. */
export class StreamConnection {
  readonly category: string
  readonly #deps: ConnectionDeps
  readonly #listener: ConnectionListener
  readonly #exchange: Exchange
  readonly #decoder = new TextDecoder()
  readonly #reader = new FrameReader(
    (bytes) => this.#decoder.decode(bytes),
    (text) => this.#deps.secrets.clean(text),
  )
  readonly #hangUp: () => void
  #phase: Phase = 'opening'
  readonly #refusal: Uint8Array[] = []
  #refusalBytes = 0
  #cancelWait = () => {}

  constructor(
    category: string,
    path: string,
    { token, turn }: OpeningPass,
    deps: ConnectionDeps,
    listener: ConnectionListener,
  ) {
    const { slots, http, baseUrl, timeline, opening } = deps
    this.category = category
    this.#deps = deps
    this.#listener = listener
    const slot = { category, slots, now: () => timeline.now(), opening }
    this.#exchange = new Exchange({ method: 'GET', path, token, slot, turn }, deps)
    this.openedAtMs = timeline.now()
    this.#hangUp = http.open(
      {
        method: 'GET',
        url: `${baseUrl}${path}`,
        headers: {
          authorization: `Bearer ${token}`,
          accept: deps.accept ?? 'application/json',
          // Frames are read as they arrive, so they must not be encoded. Without this header, any coding
          // would be allowed (RFC 9110, section 12.5.3).
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

  /** When the stream opened or, before it has opened, when its request was sent. Epoch ms. */
  openedAtMs: number

  get isOpening(): boolean {
    return this.#phase === 'opening' || this.#phase === 'unsure'
  }

  get isOver(): boolean {
    return this.#phase === 'over'
  }

  close(): void {
    if (this.#phase === 'over') return
    // The response is not read, but the service may have counted the request.
    if (this.#phase !== 'open') this.#exchange.failed(this.#phase === 'opening' ? 'hung-up' : 'lost')
    this.#finish()
    this.#hangUp()
  }

  #answered(status: number, headers: HttpHeaders): void {
    if (this.#phase !== 'opening') return
    const { clock } = this.#deps
    const sender = this.#exchange.judge(status, headers)
    if (sender.kind === 'other') this.#notTheService(sender.why)
    else if (status !== 200) {
      this.#phase = 'refusing'
      // The body may show which quota is exceeded, so the connection waits for it for a limited time.
      this.#cancelWait = clock.after(REFUSAL_TIMEOUT_MS, () => this.#refused('cut'))
    } else if (sender.kind === 'unsure') {
      this.#phase = 'unsure'
      this.#cancelWait = clock.after(FIRST_WORD_MS, () => this.#opened())
    } else this.#opened()
  }

  #opened(): void {
    this.#cancelWait()
    this.#phase = 'open'
    this.openedAtMs = this.#deps.timeline.now()
    this.#exchange.answered()
    this.#listener.opened(this.#exchange.observation)
  }

  #notTheService(why: string): void {
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
    if (isPage(text)) {
      this.#exchange.notTheService(SOMETHING_ELSE)
      this.#notTheService(SOMETHING_ELSE)
    }
    // Any server may send empty lines, so they do not show that the service responded.
    else if (text.trim() !== '') this.#opened()
  }

  #ended(why: string, how?: 'broken-head'): void {
    const isWhole = why === ENDED_BY_SERVICE
    if (this.#phase === 'refusing') this.#refused(isWhole ? 'whole' : 'cut')
    if (this.isOver) return
    if (this.isOpening) {
      this.#exchange.failed('lost', this.#phase === 'opening' ? why : undefined)
    } else {
      // Streams of an older format may end without a line end after the last line.
      if (isWhole) this.#listener.heard?.(LINE_END)
      if (this.isOver) return
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
    const tapped = this.#exchange.answered(bytes)
    this.#finish()
    this.#hangUp()
    const { observation, token } = this.#exchange
    const body = { bytes, isWhole: end === 'whole', token }
    this.#listener.refused(observation.status, tapped, { observation, body })
  }

  #finish(): void {
    const wasOpen = this.#phase === 'open'
    this.#phase = 'over'
    this.#cancelWait()
    this.#exchange.freeSlot()
    if (wasOpen) this.#deps.slotFreed(this.category)
  }
}
