import { NO_ORDERS, type OrdersSummary, type UnknownOrder } from '../../app/contract/orders.ts'
import { MINUTE_MS } from '../../app/contract/units.ts'
import type { OrderFacts } from '../../app/orders/order-facts.ts'
import { orderPathOf } from '../../app/orders/order-paths.ts'
import type { JournalEntry, OrderSwitch, OrdersListener, OrdersSurface } from '../../app/orders/ports.ts'
import { startOfToday } from '../../app/status/moments.ts'
import type { AdmittedOrder, OpenOrder, OrderLane, OrderLine, OrderVerdict } from '../gateway/order-lane.ts'
import type { Problem } from '../gateway/problem.ts'
import type { Program } from '../gateway/programs.ts'
import type { Clock, Log, RandomBytes } from '../ports/ports.ts'
import { hasEnded, Journal } from './journal.ts'
import { type HashedEntry, hasJournalFile, type Settlement } from './journal-file.ts'
import { Lookups, type Resolved } from './lookups.ts'
import { type Inserted, OrderCall, type PlainEntry } from './order-call.ts'
import { OrderHashes } from './order-hashes.ts'
import type { ReadResource } from './order-list.ts'
import { NO_ORDER_PATH, NOT_GRANTED, overLimit, STOPPED } from './order-refusals.ts'

export interface OrdersDeps {
  readonly switch: OrderSwitch
  /** The connected keys. */
  readonly profiles: () => readonly string[]
  /** See `MonitorSurface.keyMark`. */
  readonly keyMark: (profile: string) => string | undefined
  /** Absent if there is no journal. Without a journal, no order is sent. */
  readonly dataFolder: string | undefined
  /** The vault's keys for the hashes of orders, the current one first. Empty without a vault key. */
  readonly hashKeys: () => readonly Uint8Array[]
  readonly read: ReadResource
  readonly clock: Clock
  readonly log: Log
  readonly randomBytes: RandomBytes
  readonly listener: OrdersListener
  /** Called with one sentence if the journal was damaged. */
  readonly problem: (sentence: string) => void
}

/** Length in bytes of this run's own hash key, which is used while the vault has no key. */
const OWN_KEY_BYTES = 32
/** 32 letters, so that a random byte selects each with equal probability. */
const ID_LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'
const ID_LENGTH = 8
/**
 * Number of ids for which random bytes are read together, so that only one order of many waits for the read.
 */
const IDS_DRAWN = 256

/**
 * Interval in milliseconds at which the number of orders in the last minute is reported. The number decreases
 * with time, even if no order is sent.
 */
const AGEING_MS = 5_000

/** Counts orders in a sliding minute, by program name. Times are milliseconds on one clock. */
export class OrderLimit {
  readonly #sent = new Map<string, number[]>()

  /**
   * The earliest time at which the program may send its next order. `nowMs` or earlier if it may send one
   * now.
   */
  nextAtMs(program: string, max: number, nowMs: number): number {
    const oldest = this.#recent(program, nowMs).at(-max)
    return oldest === undefined ? nowMs : oldest + MINUTE_MS
  }

  /** Counts an order. A cancel request is counted too, but the limit never rejects it. */
  sent(program: string, nowMs: number): void {
    this.#recent(program, nowMs).push(nowMs)
  }

  count(program: string, nowMs: number): number {
    return this.#recent(program, nowMs).length
  }

  isIdle(nowMs: number): boolean {
    return [...this.#sent.keys()].every((program) => this.count(program, nowMs) === 0)
  }

  #recent(program: string, nowMs: number): number[] {
    // Times after `nowMs` are dropped. They were recorded before the clock was set back.
    const recent = (this.#sent.get(program) ?? []).filter((atMs) => atMs > nowMs - MINUTE_MS && atMs <= nowMs)
    this.#sent.set(program, recent)
    return recent
  }
}

interface Today {
  readonly dayMs: number
  readonly keyMark: string | undefined
  count: number
}

/**
 * Decides which orders of the connected keys may be sent, writes them to the journal, and finds out their
 * outcomes.
 *
 * Until a person allows orders on a key, nothing runs and no file exists. If a journal exists, unknown
 * outcomes are looked up and shown, even while orders are off.
 */
export class Orders implements OrderLane, OrdersSurface {
  readonly #deps: OrdersDeps
  readonly #limit = new OrderLimit()
  readonly #hashes: OrderHashes
  #begun: { readonly journal: Journal; readonly lookups: Lookups } | undefined
  /** Whether the orders from earlier runs of the app were read. */
  #hasFormer = false
  /** Orders with an unknown outcome that no person has dismissed, oldest first. */
  readonly #unknown = new Map<string, HashedEntry>()
  /** Number of orders sent today, by key. */
  readonly #today = new Map<string, Today>()
  /** Cancels the next report. Absent if no program has sent an order within the last minute. */
  #cancelAgeing: (() => void) | undefined
  /** Random bytes for the ids of the next orders. */
  #idBytes: Uint8Array = new Uint8Array()
  #isStopped = false

  constructor(deps: OrdersDeps) {
    this.#deps = deps
    this.#hashes = new OrderHashes(deps.hashKeys, deps.randomBytes(OWN_KEY_BYTES))
    this.switchChanged()
  }

  get isOff(): boolean {
    const { profiles, switch: orderSwitch } = this.#deps
    return profiles().every((profile) => orderSwitch.state(profile) === 'off')
  }

  switchChanged(): void {
    if (this.#isStopped) return
    const { dataFolder } = this.#deps
    if (!this.isOff || (dataFolder !== undefined && hasJournalFile(dataFolder))) this.#begin()
    for (const profile of this.#deps.profiles()) this.#deps.listener.changed(profile)
  }

  judge(method: string, pathAndQuery: string, { id, profile }: Program): OrderVerdict {
    const state = this.#deps.switch.state(profile)
    if (state === 'off') return { kind: 'off' }
    const path = orderPathOf(method, pathAndQuery)
    if (path === undefined) return { kind: 'refused', problem: NO_ORDER_PATH }
    if (this.#deps.switch.maxPerMinute(id) === undefined) return { kind: 'refused', problem: NOT_GRANTED }
    return state === 'stopped' ? { kind: 'refused', problem: STOPPED } : { kind: 'admitted', path }
  }

  serve(order: AdmittedOrder, line: OrderLine): OpenOrder {
    const call = new OrderCall(order, line, {
      reasonAgainst: (asked, profile) => this.#reasonAgainst(asked, profile),
      insert: (entry, facts) => this.#insert(entry, facts),
      sent: ({ program }) => this.#sent(program.name, this.#deps.clock.monotonicMs()),
      settle: (entry, settlement) => this.#settle(entry, settlement),
    })
    call.start()
    return call
  }

  sentLastMinute({ name }: Program): number {
    return this.#limit.count(name, this.#deps.clock.monotonicMs())
  }

  summary(profile: string): OrdersSummary {
    const state = this.#deps.switch.state(profile)
    const unknown = [...this.#unknown.values()].filter((entry) => entry.profile === profile).map(shownOf)
    if (state === 'off') return { ...NO_ORDERS, unknown }
    const why = state === 'on' ? this.#begun?.journal.why : undefined
    return {
      state: why === undefined ? state : 'failed',
      ...(why !== undefined && { why }),
      today: this.#dayOf(profile).count,
      unknown,
    }
  }

  dismiss(id: string): boolean {
    const ids = id === 'all' ? [...this.#unknown.keys()] : [id].filter((one) => this.#unknown.has(one))
    const profiles = new Set(ids.flatMap((one) => this.#unknown.get(one)?.profile ?? []))
    for (const one of ids) this.#unknown.delete(one)
    if (ids.length > 0) this.#begun?.journal.dismiss(...ids)
    for (const profile of profiles) this.#deps.listener.changed(profile)
    return ids.length > 0
  }

  entries(fromMs: number, toMs: number): readonly JournalEntry[] | undefined {
    if (this.#begun === undefined) return []
    return this.#begun.journal
      .between(fromMs, toMs)
      ?.filter((entry) => !this.#isOfFormerKey(entry) || this.#unknown.has(entry.id))
      .map(({ hashes: _, confirmHashes: __, keyMark: ___, ...entry }) => entry)
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelAgeing?.()
    this.#begun?.lookups.stop()
    this.#begun?.journal.close()
  }

  #begin(): void {
    if (this.#begun !== undefined) return
    const { clock, log, dataFolder, read, problem, profiles, listener } = this.#deps
    const journal: Journal = new Journal({
      folder: dataFolder,
      clock,
      log,
      problem,
      changed: (why) => {
        this.#takeFormer()
        for (const profile of profiles()) {
          if (this.#deps.switch.state(profile) === 'on')
            listener.event(
              profile,
              why === undefined ? { kind: 'orders-allowed' } : { kind: 'orders-stopped', why },
            )
          listener.changed(profile)
        }
      },
    })
    const lookups = new Lookups({
      clock,
      hashes: this.#hashes,
      read,
      isOfFormerKey: (entry) => this.#isOfFormerKey(entry),
      entries: (fromMs, toMs) => journal.between(fromMs, toMs),
      resolved: (ended) => this.#resolved(ended),
      defect: (cause) => log.note('looking up orders failed', { cause }),
    })
    this.#begun = { journal, lookups }
    this.#takeFormer()
  }

  /** Takes over the orders from earlier runs of the app, after the journal was read. */
  #takeFormer(): void {
    const { journal, lookups } = this.#begun ?? {}
    const former = journal?.former
    if (this.#hasFormer || former === undefined || lookups === undefined) return
    this.#hasFormer = true
    for (const entry of former) {
      this.#countFormer(entry)
      if (hasEnded(entry)) continue
      // A dismissed order is still looked up, for the journal.
      if (!entry.isDismissed) this.#unknown.set(entry.id, entry)
      // The outcome is still `sent` if the earlier run of the app ended before the answer arrived or was
      // written.
      if (entry.outcome === 'sent')
        this.#becameUnknown({ ...entry, outcome: 'looking' }, { outcome: 'looking' })
      else if (entry.outcome === 'looking') lookups.add(entry)
    }
  }

  /** Counts an order of an earlier run of the app towards its program's limit. */
  #countFormer({ program, atMs, outcome }: HashedEntry): void {
    const { clock } = this.#deps
    if (outcome !== 'not-sent') this.#sent(program, clock.monotonicMs() - (clock.wallMs() - atMs))
  }

  #sent(program: string, atMs: number): void {
    this.#limit.sent(program, atMs)
    this.#cancelAgeing ??= this.#ageing()
  }

  #ageing(): () => void {
    const { clock, profiles, listener } = this.#deps
    return clock.after(AGEING_MS, () => {
      for (const profile of profiles()) listener.changed(profile)
      this.#cancelAgeing = this.#limit.isIdle(clock.monotonicMs()) ? undefined : this.#ageing()
    })
  }

  #reasonAgainst({ program, order }: AdmittedOrder, profile: string): Problem | undefined {
    const { clock, switch: orderSwitch } = this.#deps
    const max = orderSwitch.maxPerMinute(program.id)
    if (orderSwitch.state(profile) !== 'on') return STOPPED
    if (max === undefined) return NOT_GRANTED
    // Until the journal was read, the orders of the last minute are unknown.
    if (!this.#hasFormer) this.#begun?.journal.retry()
    const nowMs = clock.monotonicMs()
    const nextMs = order.kind === 'cancel' ? nowMs : this.#limit.nextAtMs(program.name, max, nowMs)
    return nextMs > nowMs ? overLimit(max, nextMs - nowMs) : undefined
  }

  #insert(entry: PlainEntry, { texts, confirmIds }: OrderFacts): Inserted {
    const { journal } = this.#begun ?? {}
    const keyMark = this.#deps.keyMark(entry.profile)
    const inserted: HashedEntry = {
      ...entry,
      ...(keyMark !== undefined && { keyMark }),
      id: this.#newId(),
      outcome: 'sent',
      isDismissed: false,
      hashes: texts.map((text) => this.#hashes.of(text)),
      confirmHashes: confirmIds.map((id) => this.#hashes.of(JSON.stringify(['confirm', id]))),
    }
    // The day's count is read before the entry is written. Otherwise the entry would be counted twice.
    const today = this.#dayOf(entry.profile)
    const saved = journal?.insert(inserted) ?? { ok: false, why: 'Headroom is quitting' }
    if (!saved.ok) return saved
    today.count += 1
    return { ok: true, entry: inserted }
  }

  #settle(entry: HashedEntry, settlement: Settlement): void {
    if (settlement.outcome === 'looking') {
      this.#becameUnknown({ ...entry, ...settlement }, settlement)
      return
    }
    this.#begun?.journal.settle(entry.id, settlement)
    this.#deps.listener.changed(entry.profile)
  }

  #becameUnknown(entry: HashedEntry, settlement: Settlement): void {
    const { listener } = this.#deps
    this.#begun?.journal.settle(entry.id, settlement)
    this.#unknown.set(entry.id, entry)
    this.#begun?.lookups.add(entry)
    listener.event(entry.profile, { kind: 'order-unknown', id: entry.id, program: entry.program })
    listener.changed(entry.profile)
  }

  #resolved(ended: readonly Resolved[]): void {
    const { listener } = this.#deps
    const settled = ended.map(({ entry, resolution }) => {
      const orderIds = resolution.state === 'found' ? resolution.orderIds : undefined
      return { entry, settlement: { outcome: resolution.state, ...(orderIds && { orderIds }) } }
    })
    this.#begun?.journal.settleAll(settled.map(({ entry: { id }, settlement }) => [id, settlement]))
    for (const { entry, settlement } of settled) {
      const { id, profile } = entry
      const { outcome: state, orderIds } = settlement
      if (this.#unknown.has(id)) this.#unknown.set(id, { ...entry, ...settlement })
      const orderId = orderIds && { orderId: orderIds.join(', ') }
      listener.event(profile, { kind: 'order-resolved', id, state, ...orderId })
    }
    for (const profile of new Set(settled.map(({ entry }) => entry.profile))) listener.changed(profile)
  }

  #isOfFormerKey({ profile, keyMark }: HashedEntry): boolean {
    const present = this.#deps.keyMark(profile)
    return keyMark !== undefined && present !== undefined && keyMark !== present
  }

  #newId(): string {
    if (this.#idBytes.length === 0) this.#idBytes = this.#deps.randomBytes(IDS_DRAWN * ID_LENGTH)
    const bytes = this.#idBytes.subarray(0, ID_LENGTH)
    this.#idBytes = this.#idBytes.subarray(ID_LENGTH)
    return Array.from(bytes, (byte) => ID_LETTERS[byte % ID_LETTERS.length]).join('')
  }

  #dayOf(profile: string): Pick<Today, 'count'> {
    const dayMs = startOfToday(this.#deps.clock.wallMs())
    const keyMark = this.#deps.keyMark(profile)
    const known = this.#today.get(profile)
    if (known?.dayMs === dayMs && known.keyMark === keyMark) return known
    const count = this.#begun?.journal.count(profile, dayMs, keyMark)
    const day = { dayMs, keyMark, count: count ?? 0 }
    // While the journal can't be read, the count is unknown, so it is not cached.
    if (count !== undefined) this.#today.set(profile, day)
    return day
  }
}

function shownOf({ id, program, atMs, kind, accountEnding, outcome, orderIds }: HashedEntry): UnknownOrder {
  const state =
    outcome === 'found' || outcome === 'not-found' || outcome === 'ambiguous' ? outcome : 'looking'
  const orderId = orderIds.join(', ')
  const isNamed = state === 'found' && orderId !== ''
  return { id, program, at: atMs, kind, accountEnding, state, ...(isNamed && { orderId }) }
}
