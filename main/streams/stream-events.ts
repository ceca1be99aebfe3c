import type { KeyReport } from '../../app/contract/events.ts'
import type { StreamProposal } from '../../app/contract/streams.ts'
import type { StreamKind } from '../../app/service/stream-kinds.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'

export interface StreamName {
  readonly stream: string
  readonly category: string
  readonly streamKind: StreamKind
  readonly target: string
}

/** The gap between the former connection of a stream and its replacement. */
export interface OpeningGap {
  /** When the former connection ended or received GoAway, epoch ms. `undefined` at the first opening. */
  readonly sinceMs: number | undefined
  /** Whether the former connection received data until its replacement opened. */
  readonly overlapped: boolean
}

/** Reports the events of one stream: opening, restarts, silence, frames, and closing. */
export class StreamEvents {
  readonly #name: StreamName
  readonly #slots: SlotLedger
  readonly #report: (event: KeyReport) => void
  #openings = 0

  constructor(name: StreamName, slots: SlotLedger, report: (report: KeyReport) => void) {
    this.#name = name
    this.#slots = slots
    this.#report = report
  }

  get restarts(): number {
    return Math.max(0, this.#openings - 1)
  }

  /** `reason` says why the stream was reopened. `reason` and `gap` are ignored at the first opening. */
  opened(reason: string, { sinceMs, overlapped }: OpeningGap): void {
    this.#openings += 1
    if (this.#openings === 1)
      this.#report({ kind: 'stream-opened', ...this.#name, reason: this.#slotsLeft() })
    else
      this.#report({
        kind: 'stream-restarted',
        ...this.#name,
        reason,
        ...(sinceMs !== undefined && { since: Math.round(sinceMs) }),
        ...(overlapped && { overlapped }),
      })
  }

  /** `sinceMs` is the time of the stream's last frame, epoch ms. */
  silent(sinceMs: number): void {
    this.#report({ kind: 'stream-silent', ...this.#name, since: Math.round(sinceMs) })
  }

  heard(): void {
    this.#report({ kind: 'stream-resumed', ...this.#name })
  }

  closed(reason: string): void {
    this.#report({ kind: 'stream-closed', ...this.#name, reason })
  }

  exhausted(requestId: string | undefined, proposal: StreamProposal | undefined): void {
    this.#report({
      kind: 'slots-exhausted',
      category: this.#name.category,
      ...(requestId !== undefined && { requestId }),
      ...(proposal && { proposal }),
    })
  }

  #slotsLeft(): string {
    const free = this.#slots.free(this.#name.category)
    if (free === undefined) return 'no slot limit'
    return `${free} ${free === 1 ? 'slot' : 'slots'} left`
  }
}
