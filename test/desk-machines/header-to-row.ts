import { setTimeout as pause } from 'node:timers/promises'
import type { DeskMachine } from './desk-machine.ts'
import type { SharedKey } from './shared-key.ts'

const LOOK_EVERY_MS = 5
const GIVE_UP_MS = 3_000
/** The clocks of two processes of one computer agree within this, and so does the date of a header. */
const SAME_MS = 50

interface Way {
  readonly from: DeskMachine
  readonly to: DeskMachine
  /** Only `from` uses it, and more rarely than `SAME_MS`. */
  readonly category: string
}

/**
 * Times from the service's answers to one machine to the row of another machine, which is asked until it has
 * the answer's header.
 */
export class HeaderToRow {
  /** In milliseconds; infinite where the row did not change in time. */
  readonly tookMs: number[] = []
  readonly end: () => void
  #isLooking = false

  constructor(key: SharedKey, way: Way) {
    this.end = key.onAnswer(({ machine, category, isAccepted, atMs }) => {
      if (machine !== way.from.name || category !== way.category || !isAccepted || this.#isLooking) return
      this.#isLooking = true
      void this.#look(way, atMs).finally(() => {
        this.#isLooking = false
      })
    })
  }

  async #look({ from, to, category }: Way, atMs: number): Promise<void> {
    const isMeasured = () => from.isAwake && to.isAwake
    while (isMeasured() && Date.now() - atMs < GIVE_UP_MS) {
      const snapshot = await to.snapshot().catch(() => undefined)
      const row = snapshot?.requests.find((one) => one.category === category)
      if (isMeasured() && row?.observedAt !== undefined && row.observedAt > atMs - SAME_MS) {
        this.tookMs.push(Date.now() - atMs)
        return
      }
      await pause(LOOK_EVERY_MS)
    }
    if (isMeasured()) this.tookMs.push(Number.POSITIVE_INFINITY)
  }
}
