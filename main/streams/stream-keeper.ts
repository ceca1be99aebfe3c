import type { MonitorEvent } from '../../app/contract/events.ts'
import type { StreamSummary } from '../../app/contract/snapshot.ts'
import type { HttpHeaders } from '../../app/service/answer.ts'
import { STREAM_SHAPES, type StreamRequest } from '../../app/service/streams.ts'
import { STREAM_BACKOFF } from '../../app/streams/backoff.ts'
import { Framer } from '../../app/streams/framer.ts'
import { frameOf } from '../../app/streams/frames.ts'
import { nextStreamState, type StreamInput, type StreamState } from '../../app/streams/life-cycle.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'
import type { QuotaTap } from '../api/quota-tap.ts'
import type { Clock, Http, Random } from '../ports/ports.ts'
import type { Timeline } from '../timeline.ts'
import type { Access } from '../tokens/keeper.ts'
import { FrameRate } from './frame-rate.ts'

export interface StreamDeps {
  readonly baseUrl: string
  readonly http: Http
  readonly clock: Clock
  readonly random: Random
  readonly timeline: Timeline
  readonly tap: QuotaTap
  readonly slots: SlotLedger
  readonly access: () => Promise<Access>
  readonly rejected: (value: string) => Promise<void>
  readonly reached: (ok: boolean) => void
  /** Own streams of a category whose answer is still to come, this one not included. */
  readonly opening: (category: string, except: string) => number
  readonly event: (event: MonitorEvent) => void
  readonly changed: () => void
}

const OPEN_TIMEOUT_MS = 15_000
const REFUSAL_TIMEOUT_MS = 5_000
const WATCH_MS = 1_000
/** Answers below 500 that are not the service's word on the request: portals, proxies, overload. */
const PASSING = new Set([407, 408, 421, 425])
const LONGEST_REFUSAL_BYTES = 4_096

/** Keeps one stream open: watches frames rather than the socket, and opens it again by the backoff law. */
export class StreamKeeper {
  readonly id: string
  readonly category: string
  readonly #request: StreamRequest
  readonly #path: string
  readonly #deps: StreamDeps
  readonly #decoder = new TextDecoder()
  readonly #rate: FrameRate
  #state: StreamState
  #close: (() => void) | undefined
  #holdsSlot = false
  #restarts = 0
  #opened = 0
  #lastReason: string | undefined
  #cancelTimer: () => void = () => {}
  /** Grows with every connection: what a former one still says is not heard. */
  #generation = 0

  constructor(id: string, request: StreamRequest, path: string, deps: StreamDeps) {
    this.id = id
    this.category = STREAM_SHAPES[request.kind].category
    this.#request = request
    this.#path = path
    this.#deps = deps
    const now = deps.timeline.now()
    this.#rate = new FrameRate(now)
    this.#state = { kind: 'opening', sinceMs: now, attempt: 0 }
  }

  get isOpening(): boolean {
    return this.#holdsSlot && this.#state.kind === 'opening'
  }

  get isClosed(): boolean {
    return this.#state.kind === 'closed'
  }

  start(): void {
    void this.#connect()
    this.#watch()
  }

  close(reason: string): void {
    if (this.isClosed) return
    this.#feed({ kind: 'close', reason })
  }

  /** The service is back, or there is a token again: no need to wait the backoff out. */
  nudge(): void {
    if (this.#state.kind !== 'waiting') return
    // A refusal named its time; everything else may try again now, a little spread.
    if (this.#state.reason.startsWith('429')) return
    const at = this.#deps.timeline.now() + this.#deps.random.next() * 500
    this.#state = { ...this.#state, retryAtMs: Math.min(this.#state.retryAtMs, at) }
    this.#watchIn(this.#nextWatchMs())
  }

  summary(): StreamSummary {
    const state = this.#state
    const now = this.#deps.timeline.now()
    const open = 'openedAtMs' in state ? state : undefined
    const reason =
      state.kind === 'waiting' || state.kind === 'closed' ? state.reason : (this.#lastReason ?? undefined)
    return {
      id: this.id,
      category: this.category,
      target: this.#request.target,
      state: state.kind,
      ...(open && {
        openedAt: Math.round(open.openedAtMs),
        lastFrameAt: Math.round(open.lastFrameAtMs),
      }),
      framesPerSecond: open ? this.#rate.perSecond(now) : 0,
      restarts: this.#restarts,
      ...(reason !== undefined && { reason }),
      ...(state.kind === 'waiting' && { retryAt: Math.round(state.retryAtMs) }),
    }
  }

  async #connect(): Promise<void> {
    const { access, tap, slots, http, clock, baseUrl } = this.#deps
    this.#generation += 1
    const generation = this.#generation
    const current = () => this.#generation === generation && !this.isClosed
    const token = await access()
    if (!current()) return
    if (token.kind === 'none') {
      this.#feed({ kind: 'ended', reason: 'no access token' })
      return
    }
    const notBeforeMs = tap.notBeforeMs('GET', this.#path)
    if (notBeforeMs !== undefined) {
      this.#feed({ kind: 'refused', reason: '429: rate quota', retryAtMs: notBeforeMs })
      return
    }
    slots.taken(this.category)
    this.#holdsSlot = true
    const ticket = tap.sent('GET', this.#path)
    const framer = new Framer()
    let status = 0
    let headers: HttpHeaders = {}
    let refusal = ''
    let refusalTimer = () => {}
    this.#close = http.open(
      {
        method: 'GET',
        url: `${baseUrl}${this.#path}`,
        headers: { authorization: `Bearer ${token.value}`, accept: 'application/json' },
        timeoutMs: OPEN_TIMEOUT_MS,
      },
      {
        opened: (answered, answeredHeaders) => {
          if (!current()) return
          status = answered
          headers = answeredHeaders
          this.#deps.reached(true)
          if (status !== 200) {
            // Its body says which quota refused; one that never ends is not waited for.
            refusalTimer = clock.after(REFUSAL_TIMEOUT_MS, () => {
              if (current())
                this.#refused(status, token.value, tap.answered(ticket, status, headers, refusal))
            })
            return
          }
          const { reading } = tap.answered(ticket, status, headers, '')
          const { opening, timeline } = this.#deps
          if (reading.concurrency) {
            slots.observed(
              this.category,
              reading.concurrency,
              opening(this.category, this.id),
              timeline.now(),
            )
          }
          this.#feed({ kind: 'opened', hasSnapshot: STREAM_SHAPES[this.#request.kind].snapshot })
        },
        chunk: (bytes) => {
          if (!current()) return
          if (status === 200) this.#read(framer, bytes, current)
          else if (refusal.length < LONGEST_REFUSAL_BYTES) refusal += this.#decoder.decode(bytes)
        },
        ended: (why) => {
          refusalTimer()
          if (!current()) return
          if (status === 0) {
            tap.lost(ticket)
            this.#deps.reached(false)
            this.#feed({ kind: 'ended', reason: why })
          } else if (status === 200) this.#feed({ kind: 'ended', reason: why })
          else {
            const tapped = tap.answered(ticket, status, headers, refusal)
            this.#refused(status, token.value, tapped)
          }
        },
      },
    )
  }

  #refused(status: number, token: string, tapped: ReturnType<QuotaTap['answered']>): void {
    const { timeline, slots, opening, event } = this.#deps
    const now = timeline.now()
    this.#releaseSlot()
    if (tapped.refused === 'concurrency') {
      if (tapped.reading.concurrency) {
        slots.observed(this.category, tapped.reading.concurrency, opening(this.category, this.id), now)
      }
      const { requestId } = tapped.reading
      event({
        kind: 'slots-exhausted',
        category: this.category,
        ...(requestId !== undefined && { requestId }),
      })
    }
    if (tapped.refused !== undefined) {
      const reason = tapped.refused === 'concurrency' ? '429: no stream slot is free' : '429: rate quota'
      this.#feed({ kind: 'refused', reason, retryAtMs: tapped.retryAtMs ?? now + 60_000 })
    } else if (status === 401) {
      void this.#deps.rejected(token)
      this.#feed({ kind: 'ended', reason: 'the access token was not accepted' })
    } else if (status >= 500 || status < 400 || PASSING.has(status)) {
      this.#feed({ kind: 'ended', reason: `the service answered ${status}` })
    } else {
      this.#feed({ kind: 'failed', reason: `the service answered ${status}` })
    }
  }

  #read(framer: Framer, bytes: Uint8Array, current: () => boolean): void {
    const now = this.#deps.timeline.now()
    for (const line of framer.push(bytes).lines) {
      if (!current()) return
      const frame = frameOf(this.#decoder.decode(line))
      this.#rate.add(now)
      this.#feed({ kind: 'frame', frame })
    }
  }

  #feed(input: StreamInput): void {
    const before = this.#state
    const { timeline, random } = this.#deps
    const now = timeline.now()
    this.#state = nextStreamState(before, input, now, STREAM_BACKOFF, random.next())
    if (this.#state.kind !== before.kind) this.#entered(this.#state, before)
  }

  #entered(state: StreamState, before: StreamState): void {
    if (state.kind === 'waiting' || state.kind === 'closed') this.#hangUp()
    switch (state.kind) {
      case 'opening':
        void this.#connect()
        break
      case 'snapshot':
      case 'live':
        if (before.kind === 'opening') {
          this.#opened += 1
          if (this.#opened === 1) this.#say('stream-opened', this.#slotsLeft())
          else {
            this.#restarts += 1
            this.#say('stream-restarted', this.#lastReason ?? 'connection lost')
          }
        }
        break
      case 'waiting':
        this.#lastReason = state.reason
        this.#watchIn(this.#nextWatchMs())
        break
      case 'closed':
        this.#cancelTimer()
        this.#say('stream-closed', state.reason)
        break
      case 'stale':
        break
    }
    this.#deps.changed()
  }

  #say(kind: 'stream-opened' | 'stream-restarted' | 'stream-closed', reason: string): void {
    const { category, id: stream } = this
    this.#deps.event({ kind, stream, category, target: this.#request.target, reason })
  }

  #slotsLeft(): string {
    const free = this.#deps.slots.free(this.category)
    if (free === undefined) return 'no slots are counted for this kind'
    return `${free} ${free === 1 ? 'slot' : 'slots'} left`
  }

  #hangUp(): void {
    this.#generation += 1
    this.#close?.()
    this.#close = undefined
    this.#releaseSlot()
  }

  #releaseSlot(): void {
    if (!this.#holdsSlot) return
    this.#holdsSlot = false
    this.#deps.slots.released(this.category)
  }

  /** Frames are what says that a stream lives: looked at every second, whatever the socket thinks. */
  #watch(): void {
    const state = this.#state
    if (state.kind === 'closed') return
    if (state.kind === 'waiting') {
      if (state.retryAtMs <= this.#deps.timeline.now()) this.#feed({ kind: 'retry' })
    } else this.#feed({ kind: 'tick' })
    if (!this.isClosed) this.#watchIn(this.#nextWatchMs())
  }

  #watchIn(ms: number): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#deps.clock.after(ms, () => this.#watch())
  }

  #nextWatchMs(): number {
    const state = this.#state
    if (state.kind !== 'waiting') return WATCH_MS
    return Math.max(10, Math.min(WATCH_MS, state.retryAtMs - this.#deps.timeline.now()))
  }
}
