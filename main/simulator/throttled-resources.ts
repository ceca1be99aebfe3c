import { type Ending, OpenStream } from './open-stream.ts'
import type { SimulatorFlags } from './options.ts'
import { quotaHeaders } from './quota-headers.ts'
import { RESOURCES, type Resource, type ResourceRequest, UNCOUNTED_RESOURCES } from './resources.ts'
import type { Faults } from './rules/faults.ts'
import type { OrderBook } from './rules/order-book.ts'
import { type QuotaReading, RequestQuotas } from './rules/request-quotas.ts'
import { Slots } from './rules/slots.ts'
import type { Frames } from './rules/stream-frames.ts'
import { STREAM_RESOURCES } from './stream-resources.ts'
import { HIDDEN_CAP, traitsOf } from './stream-traits.ts'
import {
  type Answer,
  errorAnswer,
  NOT_FOUND,
  type ServiceReply,
  type ServiceRequest,
  type WireHeaders,
} from './wire.ts'

/**
 * X-RateLimit values of streams for which the table of service 8.2 lists only slots. The limit of 251 was
 * observed on the real service.
 *
 * Answers of such streams have headers for requests and for slots (service 2.2, 7). No request quota is
 * documented for these streams, so nothing is counted or rejected.
 */
const UNTABLED: QuotaReading = { limit: 251, periodSeconds: 300, remaining: 251, resetSeconds: 0 }

interface ResourceParts {
  readonly faults: Faults
  readonly book: OrderBook
  readonly random: () => number
}

/** The resources behind their throttling layer (service 1), for one key and user. */
export class ThrottledResources {
  readonly quotas: RequestQuotas
  readonly slots: Slots
  readonly #habits: SimulatorFlags
  readonly #parts: ResourceParts
  readonly #streams = new Set<OpenStream>()
  #streamsOpened = 0

  constructor(habits: SimulatorFlags, parts: ResourceParts, startMs: number) {
    this.#habits = habits
    this.#parts = parts
    parts.book.whenChanged(() => {
      for (const stream of this.#streams) stream.wake()
    })
    this.quotas = new RequestQuotas(habits, startMs)
    this.slots = new Slots(habits.slotLimits, habits.slotsElsewhere)
  }

  streams(): readonly OpenStream[] {
    return [...this.#streams]
  }

  /** Ends the open streams of a category, or all open streams, as if the service had ended them. */
  cutStreams(ending: Ending, category: string | undefined): number {
    const cut = this.streams().filter((stream) => category === undefined || stream.category === category)
    for (const stream of cut) stream.cut(ending)
    return cut.length
  }

  /** Answers a request with a valid access token. A 429 uses none of the quota. */
  answer(request: ServiceRequest, category: string, atMs: number): ServiceReply {
    const streamed = STREAM_RESOURCES.find(({ path }) => path.test(request.path))
    const rate = this.quotas.reading(category, atMs)
    if (rate !== undefined && rate.remaining < 1) return this.#tooMany('Rate quota exceeded', category, atMs)
    const overHiddenCap = streamed !== undefined && this.#isOverHiddenCap(category)
    const slots = this.slots.reading(category)
    if (streamed !== undefined && !overHiddenCap && slots !== undefined && slots.remaining < 1) {
      return this.#tooMany('Stream quota exceeded', category, atMs)
    }
    this.quotas.spend(category, atMs)
    const asked = this.#asked(request, atMs)
    if (asked === undefined)
      return this.#withQuota(errorAnswer(400, 'BadRequest', 'Bad escape.'), category, atMs)
    if (streamed === undefined) {
      return this.#withQuota(resourceAnswer(RESOURCES, request, asked) ?? NOT_FOUND, category, atMs)
    }
    const opening = streamed.open(matched(streamed.path, request.path, asked))
    if (opening.kind === 'answer') return this.#withQuota(opening, category, atMs)
    return this.#open(opening.frames, request.path, category, overHiddenCap, atMs)
  }

  /** The answer of a resource without a quota. `undefined` for any other path. */
  uncounted(request: ServiceRequest, atMs: number): Answer | undefined {
    const asked = this.#asked(request, atMs)
    return asked && resourceAnswer(UNCOUNTED_RESOURCES, request, asked)
  }

  /**
   * Answers a request in a category without streams. Returns a 429, which uses none of the quota, if no
   * request is left.
   */
  counted(category: string, atMs: number, answer: () => Answer): Answer {
    const rate = this.quotas.reading(category, atMs)
    if (rate !== undefined && rate.remaining < 1) return this.#tooMany('Rate quota exceeded', category, atMs)
    this.quotas.spend(category, atMs)
    return this.#withQuota(answer(), category, atMs)
  }

  /** A 429 for a request quota. Its headers show that nothing is left, even if requests are left. */
  rateLimited(category: string, atMs: number): Answer {
    const answer = this.#tooMany('Rate quota exceeded', category, atMs)
    if (answer.headers['X-RateLimit-Remaining'] === undefined) return answer
    const headers = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '5' }
    return { ...answer, headers: { ...answer.headers, ...headers } }
  }

  /** The request for a resource. `undefined` if its path has an invalid escape. */
  #asked(request: ServiceRequest, atMs: number): ResourceRequest | undefined {
    try {
      decodeURIComponent(request.path)
    } catch {
      return undefined
    }
    const query = new URLSearchParams(request.query)
    return { seed: this.#habits.seed, atMs, book: this.#parts.book, parts: [], query, body: request.body }
  }

  #open(frames: Frames, path: string, category: string, overHiddenCap: boolean, atMs: number): ServiceReply {
    this.slots.take(category)
    this.#streamsOpened += 1
    const habits = { ...this.#habits, chance: this.#parts.random }
    const stream: OpenStream = new OpenStream(
      {
        id: `stream-${this.#streamsOpened}`,
        category,
        closed: () => {
          this.slots.free(category)
          this.#streams.delete(stream)
        },
      },
      frames,
      traitsOf(habits, this.#parts.faults, path, overHiddenCap, atMs),
      atMs,
    )
    this.#streams.add(stream)
    const headers = { 'Content-Type': frames.contentType, ...this.#quotaHeaders(category, atMs) }
    return { kind: 'stream', status: 200, headers, stream }
  }

  #isOverHiddenCap(category: string): boolean {
    return this.slots.own(category) >= HIDDEN_CAP && this.#parts.faults.strike('hidden-cap')
  }

  #tooMany(message: string, category: string, atMs: number): Answer {
    const answer = this.#withQuota(errorAnswer(429, 'TooManyRequests', message), category, atMs)
    return this.#habits.errors === 'legacy' ? { ...answer, headers: {}, bare: true } : answer
  }

  #withQuota(answer: Answer, category: string, atMs: number): Answer {
    const slow = this.#parts.faults.strike('slow-answers')
      ? { delayMs: Math.floor(this.#parts.random() * 2000) }
      : {}
    return { ...answer, ...slow, headers: { ...answer.headers, ...this.#quotaHeaders(category, atMs) } }
  }

  #quotaHeaders(category: string, atMs: number): WireHeaders {
    if (this.#parts.faults.strike('no-quota-headers')) return {}
    const slots = this.slots.reading(category)
    const rate = this.quotas.reading(category, atMs) ?? (slots && UNTABLED)
    return quotaHeaders(category, rate, slots)
  }
}

function resourceAnswer(
  resources: readonly Resource[],
  request: ServiceRequest,
  asked: ResourceRequest,
): Answer | undefined {
  const resource = resources.find(({ method, path }) => method === request.method && path.test(request.path))
  return resource?.answer(matched(resource.path, request.path, asked))
}

const matched = (pattern: RegExp, path: string, asked: ResourceRequest): ResourceRequest => ({
  ...asked,
  parts: (pattern.exec(path) ?? []).slice(1).map((part) => decodeURIComponent(part)),
})
