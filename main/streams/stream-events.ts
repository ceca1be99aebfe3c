import type { MonitorEvent } from '../../app/contract/events.ts'
import type { StreamProposal } from '../../app/contract/streams.ts'
import type { StreamKind } from '../../app/service/stream-kinds.ts'
import { NO_SLOT_LIMIT } from '../../app/status/stream-changes.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'

export interface StreamName {
  readonly stream: string
  readonly category: string
  readonly streamKind: StreamKind
  readonly target: string
}

/** What lay between the former connection of a stream and the one that was opened in its place. */
export interface OpeningGap {
  /** When the former one ended or was told to go away, epoch ms; `undefined` at the first opening. */
  readonly sinceMs: number | undefined
  /** Whether the former one was heard until the other was open. */
  readonly overlapped: boolean
}

/** Emits the events of one stream: its opening, each restart, the start and end of each silence, and its closing. */
export class StreamEvents {
  readonly #name: StreamName
  readonly #slots: SlotLedger
  readonly #event: (event: MonitorEvent) => void
  #openings = 0
  /** The last frame before the present silence, epoch ms; `undefined` while it is heard. */
  #silentSinceMs: number | undefined

  constructor(name: StreamName, slots: SlotLedger, event: (event: MonitorEvent) => void) {
    this.#name = name
    this.#slots = slots
    this.#event = event
  }

  get restarts(): number {
    return Math.max(0, this.#openings - 1)
  }

  /** `reason`: why it was opened again; that and `gap` are ignored at the first opening. */
  opened(reason: string, { sinceMs, overlapped }: OpeningGap): void {
    this.#openings += 1
    if (this.#openings === 1) this.#event({ kind: 'stream-opened', ...this.#name, reason: this.#slotsLeft() })
    else
      this.#event({
        kind: 'stream-restarted',
        ...this.#name,
        reason,
        ...(sinceMs !== undefined && { since: Math.round(sinceMs) }),
        ...(overlapped && { overlapped }),
      })
  }

  /** Told once for each silence. `sinceMs`: its last frame, epoch ms. */
  silent(sinceMs: number): void {
    if (this.#silentSinceMs !== undefined) return
    this.#silentSinceMs = Math.round(sinceMs)
    this.#event({ kind: 'stream-silent', ...this.#name, since: this.#silentSinceMs })
  }

  /** Ends a silence, if there is one. */
  heard(): void {
    if (this.#silentSinceMs === undefined) return
    this.#event({ kind: 'stream-resumed', ...this.#name, since: this.#silentSinceMs })
    this.#silentSinceMs = undefined
  }

  closed(reason: string): void {
    this.#event({ kind: 'stream-closed', ...this.#name, reason })
  }

  exhausted(requestId: string | undefined, proposal: StreamProposal | undefined): void {
    this.#event({
      kind: 'slots-exhausted',
      category: this.#name.category,
      ...(requestId !== undefined && { requestId }),
      ...(proposal && { proposal }),
    })
  }

  #slotsLeft(): string {
    const free = this.#slots.free(this.#name.category)
    if (free === undefined) return NO_SLOT_LIMIT
    return `${free} ${free === 1 ? 'slot' : 'slots'} left`
  }
}
