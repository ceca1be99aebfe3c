import type { KV, KvEntry } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import {
  LEASE_ANSWER_MS,
  LEASE_TTL_MS,
  type LeaseAnswer,
  type LeaseStore,
} from '../../app/desk/queue-ports.ts'
import { within } from '../network/deadline.ts'
import type { Clock, RandomBytes } from '../ports/ports.ts'

export interface NatsLeaseParts {
  readonly clock: Pick<Clock, 'after'>
  readonly randomBytes: RandomBytes
  /** The current connection. `undefined` while the server is unreachable. */
  readonly connection: () => NatsConnection | undefined
  /** Opens or creates the bucket of the lease. */
  readonly open: (nats: NatsConnection) => Promise<KV>
}

const KEY = 'l'
const HOLDER_BYTES = 16

/**
 * The lease of a desk, as a key in a bucket whose values expire. It is written by compare-and-set: each write
 * names the revision that it replaces.
 *
 * The value names this run. A run therefore recognises a lease that it wrote, even if the answer was lost. It
 * never replaces another run's value, even if the store was lost in the meantime and counts revisions from 1
 * again.
 */
export class NatsLease implements LeaseStore {
  readonly #parts: NatsLeaseParts
  readonly #holder: Uint8Array
  /** The bucket, and the connection through which it was opened. */
  #opened: { readonly nats: NatsConnection; readonly bucket: Promise<KV> } | undefined

  constructor(parts: NatsLeaseParts) {
    this.#parts = parts
    this.#holder = parts.randomBytes(HOLDER_BYTES)
  }

  create(): Promise<LeaseAnswer> {
    return this.#asked(async (bucket) => {
      const entry = await bucket.get(KEY)
      const isFree = entry === null || entry.operation !== 'PUT'
      return isFree || this.#isOwn(entry) ? this.#put(bucket, entry?.revision ?? 0) : 'taken'
    })
  }

  renew(): Promise<LeaseAnswer> {
    return this.#asked(async (bucket) => {
      const entry = await bucket.get(KEY)
      return entry !== null && this.#isOwn(entry) ? this.#put(bucket, entry.revision) : 'taken'
    })
  }

  async release(): Promise<void> {
    await this.#asked(async (bucket) => {
      const entry = await bucket.get(KEY)
      if (entry !== null && this.#isOwn(entry)) await bucket.delete(KEY, { previousSeq: entry.revision })
      return 'taken'
    })
  }

  #isOwn({ operation, value }: KvEntry): boolean {
    return operation === 'PUT' && Buffer.compare(value, this.#holder) === 0
  }

  /** `previousSeq`: the revision of the value to replace. With 0, the write fails if there is a value. */
  async #put(bucket: KV, previousSeq: number): Promise<LeaseAnswer> {
    try {
      await bucket.put(KEY, this.#holder, { previousSeq, timeout: LEASE_ANSWER_MS })
      return 'held'
    } catch (error) {
      if (isOutdated(error)) return 'taken'
      throw error
    }
  }

  async #asked(ask: (bucket: KV) => Promise<LeaseAnswer>): Promise<LeaseAnswer> {
    const nats = this.#parts.connection()
    if (nats === undefined) return 'unknown'
    const asked = this.#bucket(nats)
      .then(ask)
      .catch(() => undefined)
    const answer = (await within(this.#parts.clock, LEASE_ANSWER_MS, asked)) ?? 'unknown'
    // The bucket might be gone, so it is opened again next time.
    if (answer === 'unknown') this.#opened = undefined
    return answer
  }

  #bucket(nats: NatsConnection): Promise<KV> {
    if (this.#opened?.nats !== nats) this.#opened = { nats, bucket: this.#open(nats) }
    return this.#opened.bucket
  }

  /** Opens the bucket. Rejects a bucket that another client created with another lifetime of its values. */
  async #open(nats: NatsConnection): Promise<KV> {
    const bucket = await this.#parts.open(nats)
    const { ttl } = await bucket.status()
    if (ttl !== LEASE_TTL_MS) throw new Error('the bucket of the lease has another lifetime')
    return bucket
  }
}

/** Codes of the server for a write that names an outdated revision. */
const OUTDATED: ReadonlySet<unknown> = new Set([10_071, 10_164])

const isOutdated = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && OUTDATED.has(error.code)
