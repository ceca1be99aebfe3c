import type { Decision, OfferedRequest } from '../../app/gateway/decisions.ts'
import { CALLER_WAIT_MS } from '../../app/gateway/request-fields.ts'
import type { Scheduler } from '../../app/gateway/scheduler.ts'
import { categoryOf } from '../../app/service/categories.ts'
import type { NoPermit, OwnOutcome, Permit } from '../api/permit.ts'
import type { Problem } from './problem.ts'
import type { StreamPermitRequest } from './stream-hub.ts'

export interface PermitsDeps {
  readonly scheduler: Pick<Scheduler, 'offer' | 'answered' | 'drop' | 'roomAtMs'>
  /** An id that no other request of the scheduler has. */
  readonly newId: () => number
  readonly bucketOf: (endpoint: string) => string
  /** Time on the timeline, in milliseconds. */
  readonly now: () => number
  /** Carries out the scheduler's decisions. */
  readonly apply: (decisions: readonly Decision[]) => void
}

/** Headroom's own name among the scheduler's programs; a program's id is never empty. */
const OWN_PROGRAM = ''
const OWN_MAX_WAIT_MS = 5_000
/** The class for reopening a stream that programs read: it does not touch the reserve. */
const READ_STREAM_CLASS = 'normal'
/** Retry interval of a stream whose turn the queue cannot predict. */
const UNKNOWN_TURN_SECONDS = 5

const endpointOf = (path: string): string => categoryOf('GET', path.split('?', 1)[0] ?? path) ?? path

/**
 * Permits for requests that queue with those of programs, but are sent by other parts of Headroom: its own
 * checks, and openings of streams.
 */
export class Permits {
  readonly #deps: PermitsDeps
  /** By id of the request. */
  readonly #waiting = new Map<number, (refused?: Problem) => void>()

  constructor(deps: PermitsDeps) {
    this.#deps = deps
  }

  /**
   * Waits for the turn of one of Headroom's own requests: of a check in the class `background`. Resolves to a
   * function that takes its outcome, or to `undefined` if there is no room within `OWN_MAX_WAIT_MS`.
   */
  async forOwn(method: string, path: string, isUrgent = false): Promise<Permit | undefined> {
    const permit = await this.#acquire(categoryOf(method, path) ?? path, {
      program: OWN_PROGRAM,
      class: isUrgent ? 'critical' : 'background',
      weight: 1,
      maxWaitMs: OWN_MAX_WAIT_MS,
    })
    return typeof permit === 'function' ? permit : undefined
  }

  /**
   * Waits for the turn to reopen a shared stream, or one of Headroom's own. The request leaves the reserve to
   * critical ones, even if critical programs read the stream.
   */
  async forReopening(path: string, isRead: boolean): Promise<Permit | NoPermit> {
    const permit = await this.#acquire(endpointOf(path), {
      program: OWN_PROGRAM,
      class: isRead ? READ_STREAM_CLASS : 'background',
      weight: 1,
      maxWaitMs: CALLER_WAIT_MS.max,
    })
    if (typeof permit === 'function') return permit
    const seconds = Number(permit.headers?.['retry-after'] ?? UNKNOWN_TURN_SECONDS)
    return { retryAtMs: this.#deps.now() + seconds * 1000 }
  }

  /** Waits for the turn to open a stream for a program. */
  forStream({ program, path, maxWaitMs }: StreamPermitRequest): Promise<Permit | Problem> {
    const { id, class: urgency, weight } = program
    return this.#acquire(endpointOf(path), { program: id, class: urgency, weight, maxWaitMs })
  }

  /** See `StreamHubDeps.roomAtMs`. */
  roomAtMs(path: string): number | undefined {
    const { scheduler, bucketOf, now } = this.#deps
    return scheduler.roomAtMs(bucketOf(endpointOf(path)), READ_STREAM_CLASS, now())
  }

  /** Grants a permit whose turn came; false if the request has no permit here. */
  grant(id: number): boolean {
    const settle = this.#waiting.get(id)
    settle?.()
    return settle !== undefined
  }

  /** Declines a request, if its permit is here. */
  refuse(id: number, problem: Problem): void {
    this.#waiting.get(id)?.(problem)
  }

  #acquire(
    endpoint: string,
    asked: Pick<OfferedRequest, 'program' | 'class' | 'weight' | 'maxWaitMs'>,
  ): Promise<Permit | Problem> {
    const { scheduler, newId, bucketOf, now, apply } = this.#deps
    const id = newId()
    return new Promise((resolve) => {
      this.#waiting.set(id, (refused) => {
        this.#waiting.delete(id)
        resolve(refused ?? ((outcome) => this.#settled(id, endpoint, outcome)))
      })
      apply(scheduler.offer({ ...asked, id, bucket: bucketOf(endpoint) }, now()))
    })
  }

  #settled(id: number, endpoint: string, outcome: OwnOutcome): void {
    const { scheduler, bucketOf, now, apply } = this.#deps
    const nowMs = now()
    const rate = 'rate' in outcome ? outcome.rate : undefined
    const bucket = rate && { bucket: bucketOf(endpoint) }
    // Checks have their own schedule, so the scheduler must not repeat them.
    apply([...scheduler.answered(id, { ...outcome, ...bucket }, nowMs), ...scheduler.drop(id, nowMs)])
  }
}
