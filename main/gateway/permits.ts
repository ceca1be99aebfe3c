import { wholeSeconds } from '../../app/contract/units.ts'
import type { Decision, OfferedRequest } from '../../app/gateway/decisions.ts'
import { CALLER_WAIT_MS } from '../../app/gateway/request-fields.ts'
import type { Scheduler } from '../../app/gateway/scheduler.ts'
import type { Turns } from '../../app/gateway/turns.ts'
import { endpointOf } from '../../app/service/categories.ts'
import type { Declined, NoPermit, OwnOutcome, Permit } from '../api/permit.ts'
import type { Problem } from './problem.ts'
import { problemOf, type QueueRefusal, whyRefused } from './refusals.ts'
import type { StreamTurn } from './stream-hub.ts'

export interface PermitsDeps {
  /** Called at each use, because a desk can take over the queue. */
  readonly turns: () => Pick<Turns, 'offer' | 'answered' | 'drop' | 'turnAtMs'>
  readonly scheduler: Pick<Scheduler, 'roomAtMs' | 'rateOf'>
  /** Returns an id that no other request of the gateway has. */
  readonly newId: () => number
  readonly bucketOf: (endpoint: string) => string
  /** Time on the timeline, in milliseconds. */
  readonly now: () => number
  /** Carries out decisions. */
  readonly apply: (decisions: readonly Decision[]) => void
}

type Turn = Extract<Decision, { kind: 'send' }>

/** The queue declined a request. `unavailableWhy`: see `problemOf`. */
interface Refused {
  readonly refusal: QueueRefusal
  readonly unavailableWhy: string | undefined
}

/** One program's readers that wait for a stream. They form one request in the queue. */
interface ReadersInQueue {
  readonly readers: Set<(problem: Problem) => void>
  longest: { readonly id: number; readonly untilMs: number } | undefined
}

/** Program id of Headroom's own requests in the scheduler. A program's own id is never empty. */
const OWN_PROGRAM = ''
const OWN_MAX_WAIT_MS = 5_000
/** Class of the request that reopens a stream with readers. A request of this class can't use the reserve. */
const READ_STREAM_CLASS = 'normal'
/** Retry interval for a stream, in seconds, if the queue can't predict when the stream can be opened. */
const UNKNOWN_TURN_SECONDS = 5

/**
 * Permits for Headroom's own checks and for opening streams. These requests wait in the queue of programs'
 * requests, but the forwarder does not send them.
 */
export class Permits {
  readonly #deps: PermitsDeps
  /**
   * Callbacks of the queued requests, by id. A callback gets the turn in which its request may be sent, or
   * the refusal if the request is declined.
   */
  readonly #waiting = new Map<number, (end: Turn | Refused) => void>()

  constructor(deps: PermitsDeps) {
    this.#deps = deps
  }

  /**
   * Queues one of Headroom's own requests. Its class is `critical` if urgent, otherwise `background`.
   *
   * Resolves when the request may be sent. The result is a function that must be called with the outcome of
   * the request. Resolves to the reason if the request is declined, such as no room within `OWN_MAX_WAIT_MS`.
   */
  async forOwn(method: string, path: string, isUrgent = false): Promise<Permit | Declined> {
    const permit = await this.#acquire(endpointOf(method, path), {
      program: OWN_PROGRAM,
      class: isUrgent ? 'critical' : 'background',
      weight: 1,
      maxWaitMs: OWN_MAX_WAIT_MS,
    })
    if (typeof permit === 'function') return permit
    return { why: whyRefused(permit.refusal, permit.unavailableWhy, `${OWN_MAX_WAIT_MS / 1000} s`) }
  }

  /**
   * Queues a request that reopens a stream. `isRead` means that programs read the stream. The request can't
   * use the reserve of critical requests, even if critical programs read the stream.
   */
  async forReopening(path: string, isRead: boolean): Promise<Permit | NoPermit> {
    const permit = await this.#acquire(endpointOf('GET', path), {
      program: OWN_PROGRAM,
      class: isRead ? READ_STREAM_CLASS : 'background',
      weight: 1,
      maxWaitMs: CALLER_WAIT_MS.max,
    })
    if (typeof permit === 'function') return permit
    const { retryAfterSeconds: seconds = UNKNOWN_TURN_SECONDS } = permit.refusal
    return { retryAtMs: this.#deps.now() + seconds * 1000 }
  }

  /**
   * A queued request that opens a stream. All programs that want the stream wait together, like identical
   * requests. The readers of one program form one request, with the longest maximum wait of these readers.
   */
  forStream(path: string): StreamTurn {
    const { newId, turns, scheduler, bucketOf, now } = this.#deps
    const endpoint = endpointOf('GET', path)
    const sameAs = `stream ${newId()}`
    const { promise: granted, resolve: grant } = Promise.withResolvers<Permit>()
    const groups = new Map<string, ReadersInQueue>()
    let isGranted = false
    return {
      granted,
      wait: ({ program: { id: program, class: urgency, weight }, maxWaitMs }, declined) => {
        if (isGranted) return () => {}
        const group: ReadersInQueue = groups.get(program) ?? { readers: new Set(), longest: undefined }
        groups.set(program, group)
        const own = { id: newId(), untilMs: now() + maxWaitMs }
        const { longest } = group
        this.#offer({ ...own, program, class: urgency, weight, maxWaitMs, sameAs }, endpoint, (end) => {
          if (!('refusal' in end)) {
            isGranted = true
            return grant((outcome) => this.#settled(end, endpoint, outcome))
          }
          const problem = problemOf(end.refusal, end.unavailableWhy)
          for (const decline of group.longest === own ? [...group.readers] : [declined]) decline(problem)
        })
        if (!this.#waiting.has(own.id)) return () => {}
        group.readers.add(declined)
        if (longest === undefined || longest.untilMs < own.untilMs) {
          group.longest = own
          this.#leave(longest)
        } else this.#leave(own)
        return () => {
          group.readers.delete(declined)
          if (group.readers.size > 0) return
          this.#leave(group.longest)
          group.longest = undefined
        }
      },
      tooLate: () => {
        const [waiting] = [...groups.values()].flatMap(({ longest }) => longest ?? [])
        const turnAtMs = waiting && turns().turnAtMs(waiting.id)
        const rate = scheduler.rateOf(bucketOf(endpoint), now())
        return problemOf(
          {
            ...{ kind: 'refuse', request: 0, why: 'too-late' },
            ...(turnAtMs !== undefined && { retryAfterSeconds: wholeSeconds(turnAtMs - now()) }),
            ...(rate && { rate }),
          },
          undefined,
        )
      },
    }
  }

  /** Ends the wait of a request. */
  #leave(request: { readonly id: number } | undefined): void {
    const { turns, now, apply } = this.#deps
    if (request !== undefined && this.#waiting.delete(request.id)) apply(turns().drop(request.id, now()))
  }

  /** See `StreamHubDeps.roomAtMs`. */
  roomAtMs(path: string): number | undefined {
    const { scheduler, bucketOf, now } = this.#deps
    return scheduler.roomAtMs(bucketOf(endpointOf('GET', path)), READ_STREAM_CLASS, now())
  }

  /** Grants a permit to each of the turn's requests that waits here. Returns false if no request waits. */
  grant(turn: Turn): boolean {
    const ends = turn.requests.flatMap((id) => this.#waiting.get(id) ?? [])
    for (const end of ends) end(turn)
    return ends.length > 0
  }

  /** Declines a request if it waits for a permit here. `unavailableWhy`: see `problemOf`. */
  refuse(refusal: QueueRefusal, unavailableWhy: string | undefined): void {
    this.#waiting.get(refusal.request)?.({ refusal, unavailableWhy })
  }

  #acquire(
    endpoint: string,
    asked: Pick<OfferedRequest, 'program' | 'class' | 'weight' | 'maxWaitMs'>,
  ): Promise<Permit | Refused> {
    return new Promise((resolve) => {
      this.#offer({ ...asked, id: this.#deps.newId() }, endpoint, (end) => {
        resolve('refusal' in end ? end : (outcome) => this.#settled(end, endpoint, outcome))
      })
    })
  }

  /**
   * Queues a request. Calls `ended` once: when the request may be sent, or with the reason why it is
   * declined. After `#leave`, `ended` is not called.
   */
  #offer(
    asked: Omit<OfferedRequest, 'bucket'>,
    endpoint: string,
    ended: (end: Turn | Refused) => void,
  ): void {
    const { turns, bucketOf, now, apply } = this.#deps
    this.#waiting.set(asked.id, (end) => {
      this.#waiting.delete(asked.id)
      ended(end)
    })
    apply(turns().offer({ ...asked, bucket: bucketOf(endpoint) }, now()))
  }

  #settled({ upstream, requests }: Turn, endpoint: string, outcome: OwnOutcome): void {
    const { turns, bucketOf, now, apply } = this.#deps
    const nowMs = now()
    const rate = 'rate' in outcome ? outcome.rate : undefined
    const bucket = rate && { bucket: bucketOf(endpoint) }
    // Checks and streams are retried on schedules of their own, so the scheduler must not repeat these
    // requests.
    apply([
      ...turns().answered(upstream, { ...outcome, ...bucket }, nowMs),
      ...requests.flatMap((id) => turns().drop(id, nowMs)),
    ])
  }
}
