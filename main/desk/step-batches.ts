import type { RequestStep } from '../../app/desk/messages.ts'
import type { OwnRecord } from '../../app/desk/own-record.ts'
import type { Clock } from '../ports/ports.ts'

interface StepBatchesDeps {
  readonly record: OwnRecord
  readonly clock: Pick<Clock, 'after'>
  /** Epoch ms. */
  readonly now: () => number
  readonly send: (list: RequestStep[]) => void
}

/** How long steps are collected before they are sent, in milliseconds. */
const BATCH_MS = 20
const MAX_STEPS = 500

/** Sends this machine's steps to the other members, in batches. */
export class StepBatches {
  readonly #deps: StepBatchesDeps
  #cancel: (() => void) | undefined

  constructor(deps: StepBatchesDeps) {
    this.#deps = deps
  }

  sendSoon(): void {
    this.#cancel ??= this.#deps.clock.after(BATCH_MS, () => this.sendNow())
  }

  sendNow(): void {
    const { record, now, send } = this.#deps
    this.stop()
    for (;;) {
      const list = record.take(now(), MAX_STEPS)
      if (list.length === 0) return
      send(list)
    }
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}
