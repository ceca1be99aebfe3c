import type { Decision, OfferedRequest } from '../../app/gateway/decisions.ts'
import { CALLER_WAIT_MS } from '../../app/gateway/request-fields.ts'
import type { Scheduler } from '../../app/gateway/scheduler.ts'
import { categoryOf } from '../../app/service/categories.ts'
import type { NoPermit, OwnOutcome, Permit } from '../api/permit.ts'
import type { Problem } from './problem.ts'
import type { StreamTurn } from './stream-hub.ts'

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

type Turn = Extract<Decision, { kind: 'send' }>

/** Headroom's own name among the scheduler's programs; real programs never have an empty id. */
const OWN_PROGRAM = ''
const OWN_MAX_WAIT_MS = 5_000
/** The class for reopening a stream that programs read: it leaves the reserve untouched. */
const READ_STREAM_CLASS = 'normal'
/** Retry interval for a stream whose turn can't be predicted. */
const UNKNOWN_TURN_SECONDS = 5

const endpointOf = (path: string): string => categoryOf('GET', path.split('?', 1)[0] ?? path) ?? path

/**
 * Permits for requests that queue with those of programs, but are sent by other parts of Headroom: its own
 * checks, and openings of streams.
 */
export class Permits {
  readonly #deps: PermitsDeps
  /** By id of the request. */
  readonly #waiting = new Map<number, (end: Turn | Problem) => void>()

  constructor(deps: PermitsDeps) {
    this.#deps = deps
  }

  /**
   * Waits for the turn of one of Headroom's own requests. A check belongs to the class `background`. Resolves
   * to a function that takes its outcome, or to `undefined` if there is no room within `OWN_MAX_WAIT_MS`.
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

  /** The turn to open a stream for programs, which wait for it together like equal requests. */
  forStream(path: string): StreamTurn {
    const { newId, scheduler, now, apply } = this.#deps
    const endpoint = endpointOf(path)
    const sameAs = `stream ${newId()}`
    const { promise: granted, resolve: grant } = Promise.withResolvers<Permit>()
    return {
      granted,
      wait: ({ program, maxWaitMs }, declined) => {
        const { id: name, class: urgency, weight } = program
        const asked = { program: name, class: urgency, weight, maxWaitMs, sameAs }
        const id = this.#offer(endpoint, asked, (end) => {
          if ('status' in end) declined(end)
          else grant((outcome) => this.#settled(end, endpoint, outcome))
        })
        return () => {
          if (this.#waiting.delete(id)) apply(scheduler.drop(id, now()))
        }
      },
    }
  }

  /** See `StreamHubDeps.roomAtMs`. */
  roomAtMs(path: string): number | undefined {
    const { scheduler, bucketOf, now } = this.#deps
    return scheduler.roomAtMs(bucketOf(endpointOf(path)), READ_STREAM_CLASS, now())
  }

  /** Grants the permits whose turn came; false if none of its requests has one here. */
  grant(turn: Turn): boolean {
    const ends = turn.requests.flatMap((id) => this.#waiting.get(id) ?? [])
    for (const end of ends) end(turn)
    return ends.length > 0
  }

  /** Declines a request if it waits for a permit here. */
  refuse(id: number, problem: Problem): void {
    this.#waiting.get(id)?.(problem)
  }

  #acquire(
    endpoint: string,
    asked: Pick<OfferedRequest, 'program' | 'class' | 'weight' | 'maxWaitMs'>,
  ): Promise<Permit | Problem> {
    return new Promise((resolve) => {
      this.#offer(endpoint, asked, (end) => {
        resolve('status' in end ? end : (outcome) => this.#settled(end, endpoint, outcome))
      })
    })
  }

  /** `ended` is called once, with the turn or with the reason for none. */
  #offer(
    endpoint: string,
    asked: Omit<OfferedRequest, 'id' | 'bucket'>,
    ended: (end: Turn | Problem) => void,
  ): number {
    const { scheduler, newId, bucketOf, now, apply } = this.#deps
    const id = newId()
    this.#waiting.set(id, (end) => {
      this.#waiting.delete(id)
      ended(end)
    })
    apply(scheduler.offer({ ...asked, id, bucket: bucketOf(endpoint) }, now()))
    return id
  }

  #settled({ upstream, requests }: Turn, endpoint: string, outcome: OwnOutcome): void {
    const { scheduler, bucketOf, now, apply } = this.#deps
    const nowMs = now()
    const rate = 'rate' in outcome ? outcome.rate : undefined
    const bucket = rate && { bucket: bucketOf(endpoint) }
    // Checks have their own schedule, so the scheduler must not repeat them.
    apply([
      ...scheduler.answered(upstream, { ...outcome, ...bucket }, nowMs),
      ...requests.flatMap((id) => scheduler.drop(id, nowMs)),
    ])
  }
}
