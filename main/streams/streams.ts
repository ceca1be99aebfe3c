import type { KeyReport } from '../../app/contract/events.ts'
import type { CommandError, Outcome } from '../../app/contract/outcome.ts'
import type { StreamSummary } from '../../app/contract/snapshot.ts'
import type { StreamReasonCode } from '../../app/contract/stream-reasons.ts'
import type { StreamProposal } from '../../app/contract/streams.ts'
import { STREAM_TABLE, type StreamRequest, sameRequest } from '../../app/service/stream-kinds.ts'
import { streamPath } from '../../app/service/stream-paths.ts'
import { sinceText } from '../../app/status/durations.ts'
import { rateText } from '../../app/status/rates.ts'
import { proposalName } from '../../app/status/stream-status.ts'
import { proposedToClose, type SlotHolder } from '../../app/streams/slot-proposal.ts'
import { streamAddressOf } from '../../app/streams/stream-address.ts'
import type { Permit } from '../api/permit.ts'
import type { Pins } from './pinned-streams.ts'
import { checkStream } from './stream-check.ts'
import { type StreamDeps, StreamKeeper } from './stream-keeper.ts'
import { StreamOutage } from './stream-outage.ts'
import type { StreamReaders } from './stream-readers.ts'

export interface StreamsDeps extends Omit<StreamDeps, 'opening' | 'outage' | 'proposal' | 'slotFreed'> {
  /** Absent without a data folder. Pins then last until the app ends. */
  readonly pins?: Pins
}

/** A stream that a program requested. */
export interface ProgramStream {
  readonly request: StreamRequest
  /** Path and query, as the program wrote them. */
  readonly path: string
  readonly accept: string | undefined
  readonly audience: StreamReaders
  readonly turn: Permit
  /** Whether to request the stream even if no slot seems free. Another client may have released a slot. */
  readonly mayBeRefused: boolean
}

export const MAX_STREAMS = 200
/** Maximum number of symbol errors in a snapshot. The service could send any number of them. */
const MAX_SYMBOL_ERRORS = 64
const MAX_CLOSED_SHOWN = 5

/** The streams of one profile that Headroom or programs behind the gateway opened. */
export class Streams {
  readonly #deps: StreamsDeps
  readonly #outage: StreamOutage
  #keepers: StreamKeeper[] = []
  #nextId = 1
  readonly #closing = new Map<string, { readonly atMs: number; readonly cancel: () => void }>()
  readonly #checks = new Map<string, number>()

  /** Called when a slot is free and none of Headroom's own streams waits for it. */
  onSlotFreed: (category: string) => void = () => {}
  /** Called when a slot is needed, so that streams without readers can close. */
  onSlotWanted: (category: string) => void = () => {}

  constructor(deps: StreamsDeps) {
    this.#deps = deps
    this.#outage = new StreamOutage(
      () => deps.timeline.now(),
      () => {
        for (const keeper of this.#keepers) keeper.followServed()
      },
    )
  }

  get keepers(): readonly StreamKeeper[] {
    return this.#keepers.filter((keeper) => !keeper.isClosed)
  }

  /** Opens a stream that only a program needs. */
  openForProgram(asked: ProgramStream): Outcome<{ readonly keeper: StreamKeeper }> {
    const room = this.#roomFor(asked.request, undefined, asked.mayBeRefused)
    if (!room.ok) return room
    const { request, path, accept, audience, turn } = asked
    const keeper = this.#added(request, path, { isPinned: false, ...(accept !== undefined && { accept }) })
    keeper.isOwn = false
    keeper.audience = audience
    keeper.start(turn)
    this.#deps.changed()
    return { ok: true, keeper }
  }

  /** The error if no stream of this category can be opened now. It proposes a stream to close. */
  noSlot(category: string): CommandError {
    return noSlot(this.#slotsOf(category), this.#proposal(category), this.#deps.timeline.now())
  }

  /**
   * Ends a stream that no program reads, unless Headroom needs it. The stream is not listed as
   * closed.
   */
  leftByPrograms(keeper: StreamKeeper): void {
    keeper.audience = undefined
    if (!keeper.isOwn) {
      keeper.close('no program reads it', 'closed-here')
      this.#keepers = this.#keepers.filter((one) => one !== keeper)
    }
    this.#deps.changed()
  }

  /** Opens the given and the pinned streams. A stream that fails is listed as closed, with the reason. */
  openAtStart(requests: readonly StreamRequest[]): void {
    for (const request of requests) this.#openOrListClosed(request, false)
    for (const request of this.#deps.pins?.read() ?? []) {
      const open = this.#keepers.find((keeper) => sameRequest(keeper.request, request))
      if (open) open.isPinned = true
      else this.#openOrListClosed(request, true)
    }
  }

  /** Opens a stream. If all slots are in use, closes Headroom's own stream `replace` to free a slot. */
  open(request: StreamRequest, replace?: string): Outcome<{ readonly stream: string }> {
    return this.#open(request, replace, false)
  }

  /**
   * Closes a stream after `inSeconds`, unless `keep` cancels the close. An already closed stream is removed
   * immediately.
   *
   * Until the stream closes, its connection counts, so that the displayed slots are correct.
   */
  closeIn(id: string, inSeconds: number): Outcome {
    const keeper = this.#find(id)
    if (!keeper) return unknownStream
    if (keeper.isClosed) return this.close(id)
    if (this.#closing.has(id)) return { ok: true }
    const { clock, timeline, changed } = this.#deps
    this.#closing.set(id, {
      atMs: timeline.now() + inSeconds * 1000,
      cancel: clock.after(inSeconds * 1000, () => this.close(id)),
    })
    changed()
    return { ok: true }
  }

  keep(id: string): Outcome {
    if (!this.#closing.has(id)) return unknownStream
    this.#forgetClosing(id)
    this.#deps.changed()
    return { ok: true }
  }

  /** Closes a stream, or removes a closed one from the list. Also unpins it. */
  close(id: string): Outcome {
    const keeper = this.#find(id)
    if (!keeper) return unknownStream
    this.#forgetClosing(id)
    const wasPinned = keeper.isPinned
    keeper.isPinned = false
    if (keeper.isClosed) this.#keepers = this.#keepers.filter((one) => one !== keeper)
    else keeper.close('closed by you', 'closed-here')
    this.#deps.changed()
    return wasPinned ? this.#keepPins() : { ok: true }
  }

  /** Reopens a stream now. A closed one gets a new id. */
  restart(id: string): Outcome<{ readonly stream: string }> {
    const keeper = this.#find(id)
    if (!keeper) return unknownStream
    this.#forgetClosing(id)
    if (!keeper.isClosed) {
      keeper.restart()
      return { ok: true, stream: id }
    }
    const opened = this.#open(keeper.request, undefined, keeper.isPinned)
    if (opened.ok) this.#keepers = this.#keepers.filter((one) => one !== keeper)
    return opened
  }

  /** Pins or unpins a stream. A pinned stream is reopened at the next start. */
  pin(id: string, isPinned: boolean): Outcome {
    const keeper = this.#find(id)
    if (!keeper) return unknownStream
    keeper.isPinned = isPinned
    this.#deps.changed()
    return this.#keepPins()
  }

  closeAll(reason: string, code: StreamReasonCode): void {
    for (const keeper of this.#keepers) {
      this.#forgetClosing(keeper.id)
      keeper.close(reason, code)
    }
  }

  /** Opens a stream only to get its headers, then closes it. */
  async look(request: StreamRequest): Promise<Outcome> {
    const { category } = STREAM_TABLE[request.kind]
    this.#checks.set(category, this.#checksOf(category) + 1)
    const checked = await checkStream(category, request, {
      ...this.#deps,
      // The check's own connection is not counted, because the slots in its response already include it.
      opening: (wanted) => this.#opening(wanted) - (wanted === category ? 1 : 0),
      slotFreed: (freed) => this.#slotFreed(freed),
    })
    this.#checks.set(category, this.#checksOf(category) - 1)
    return checked
  }

  nudge(): void {
    for (const keeper of this.#keepers) keeper.nudge()
  }

  /** Checks every stream after the machine slept. */
  wake(): void {
    for (const keeper of this.#keepers) keeper.wake()
  }

  stop(): void {
    // A stream that a person closed must not reopen at the next start. So a close that could still be undone
    // becomes final now.
    for (const id of [...this.#closing.keys()]) this.close(id)
    this.closeAll('Headroom is quitting', 'closing')
  }

  summaries(): readonly StreamSummary[] {
    const share = Math.floor(MAX_SYMBOL_ERRORS / Math.max(1, this.#keepers.length))
    return this.#keepers.map((keeper) => {
      const closing = this.#closing.get(keeper.id)
      const summary = keeper.summary(share)
      return closing === undefined ? summary : { ...summary, closingAt: Math.round(closing.atMs) }
    })
  }

  #open(
    request: StreamRequest,
    replace: string | undefined,
    isPinned: boolean,
  ): Outcome<{ readonly stream: string }> {
    const path = streamPath(request)
    if (!path.ok) return { ok: false, code: 'bad-target', message: `Not opened: ${path.message}.` }
    const shared = this.#sharedAs(path.path)
    if (shared !== undefined) {
      shared.isOwn = true
      shared.isPinned ||= isPinned
      this.#deps.changed()
      return { ok: true, stream: shared.id }
    }
    const room = this.#roomFor(request, replace, false)
    if (!room.ok) return room
    const keeper = this.#added(request, path.path, { isPinned })
    keeper.start()
    this.#deps.changed()
    return { ok: true, stream: keeper.id }
  }

  #sharedAs(path: string): StreamKeeper | undefined {
    const key = streamAddressOf(path)?.key
    return this.#keepers.find(
      (keeper) => !keeper.isOwn && !keeper.isClosed && streamAddressOf(keeper.path)?.key === key,
    )
  }

  /**
   * Makes room for a stream, or returns why there is no room. With `mayBeRefused`, the stream is opened even
   * without a slot.
   */
  #roomFor(request: StreamRequest, replace: string | undefined, mayBeRefused: boolean): Outcome {
    if (this.#keepers.filter((keeper) => !keeper.isClosed).length >= MAX_STREAMS) return tooMany(MAX_STREAMS)
    const { category } = STREAM_TABLE[request.kind]
    if (this.#deps.slots.free(category) === 0) this.onSlotWanted(category)
    if (!mayBeRefused && this.#deps.slots.free(category) === 0) {
      const holders = this.#holders(category)
      // A stream that a person is closing gives up its slot now, although its grace period has not ended.
      const given =
        holders.find(({ stream }) => stream === replace) ??
        holders.find(({ stream }) => this.#closing.has(stream))
      if (!given) return this.noSlot(category)
      this.#forgetClosing(given.stream)
      this.#find(given.stream)?.close(`closed to make room for ${request.target}`, 'made-room')
    }
    return { ok: true }
  }

  #openOrListClosed(request: StreamRequest, isPinned: boolean): void {
    const opened = this.#open(request, undefined, isPinned)
    if (opened.ok) return
    const code = opened.code === 'no-slot' ? 'no-slot' : 'refused'
    // This keeper only lists the stream. Reopening the stream creates another keeper.
    this.#added(request, '', { isPinned }).close(reasonOf(opened), code)
  }

  #added(
    request: StreamRequest,
    path: string,
    { isPinned, accept }: { readonly isPinned: boolean; readonly accept?: string },
  ): StreamKeeper {
    const keeper = new StreamKeeper(`s${this.#nextId++}`, request, path, isPinned, {
      ...this.#deps,
      ...(accept !== undefined && { accept }),
      outage: this.#outage,
      opening: (wanted) => this.#opening(wanted),
      proposal: (wanted) => this.#proposal(wanted),
      slotFreed: (freed) => this.#slotFreed(freed),
      report: (report) => this.#reported(report),
    })
    this.#keepers = [...this.#withoutOldClosed(), keeper]
    return keeper
  }

  #keepPins(): Outcome {
    const pinned = this.#keepers.filter((keeper) => keeper.isPinned).map(({ request }) => request)
    const written = this.#deps.pins?.write(pinned)
    if (!written || written.ok) return { ok: true }
    return {
      ok: false,
      code: 'not-stored',
      message: `Pinned until Headroom quits. Saving failed: ${written.why}.`,
    }
  }

  /**
   * Reports an event of a stream. Also reports `slots-free` if no stream of its category waits for a slot any
   * more.
   */
  #reported(report: KeyReport): void {
    this.#deps.report(report)
    if (!('stream' in report)) return
    const { category } = report
    const isWaiting = this.#keepers.some((keeper) => keeper.category === category && keeper.waitsForSlot)
    if (!isWaiting) this.#deps.report({ kind: 'slots-free', category })
  }

  /** Gives a freed slot to the stream that has waited longest. */
  #slotFreed(category: string): void {
    const waiting = this.#keepers.find((keeper) => keeper.category === category && keeper.waitsForSlot)
    if (waiting === undefined) this.onSlotFreed(category)
    else waiting.slotFreed()
  }

  #proposal(category: string): StreamProposal | undefined {
    return proposedToClose(this.#holders(category))
  }

  #holders(category: string): readonly SlotHolder[] {
    return this.#keepers.flatMap((keeper) =>
      keeper.category === category && keeper.holder ? [keeper.holder] : [],
    )
  }

  #slotsOf(category: string): string {
    const limit = this.#deps.slots.view().find((row) => row.category === category)?.limit
    return limit === undefined ? `all slots of ${category}` : `all ${limit} slots of ${category}`
  }

  #forgetClosing(id: string): void {
    this.#closing.get(id)?.cancel()
    this.#closing.delete(id)
  }

  #opening(category: string): number {
    const opening = this.#keepers.map((keeper) => (keeper.category === category ? keeper.opening : 0))
    return opening.reduce((sum, one) => sum + one, this.#checksOf(category))
  }

  #checksOf(category: string): number {
    return this.#checks.get(category) ?? 0
  }

  #find(id: string): StreamKeeper | undefined {
    return this.#keepers.find((keeper) => keeper.id === id)
  }

  #withoutOldClosed(): StreamKeeper[] {
    const closed = this.#keepers
      .filter((keeper) => keeper.isClosed && !keeper.isPinned)
      .slice(0, -MAX_CLOSED_SHOWN)
    return this.#keepers.filter((keeper) => !closed.includes(keeper))
  }
}

const unknownStream: CommandError = {
  ok: false,
  code: 'unknown-stream',
  message: 'That stream is no longer open.',
}

const tooMany = (most: number): CommandError => ({
  ok: false,
  code: 'too-many',
  message: `Not opened: ${most} streams are open, the maximum.`,
})

/** The error if all slots are in use. It shows which stream the window's button would close. */
function noSlot(slots: string, proposal: StreamProposal | undefined, nowMs: number): CommandError {
  const taken = `Not opened: ${slots} are in use`
  if (!proposal) return { ok: false, code: 'no-slot', message: `${taken} by others.` }
  const rate = rateText(proposal.framesPerSecond)
  const use = `${rate === '—' ? 'silent' : rate}, open for ${sinceText(proposal.openedAt, nowMs)}`
  return {
    ok: false,
    code: 'no-slot',
    message: `${taken}. Least used: ${proposalName(proposal)} (${use}).`,
    proposal,
  }
}

/** An error's message in the form of a stream's reason, which is displayed after the stream's name. */
const reasonOf = ({ message }: CommandError): string =>
  `${message.charAt(0).toLowerCase()}${message.slice(1)}`.replace(/\.$/, '')
