import { setTimeout as pause } from 'node:timers/promises'
import type { DeskMachine } from './desk-machine.ts'
import type { SharedKey } from './shared-key.ts'

const LOOK_EVERY_MS = 5
const GIVE_UP_MS = 3_000
/**
 * Maximum difference between the clocks of two processes on one computer, and between a clock and the date of
 * a header.
 */
const SAME_MS = 50

interface Way {
  readonly from: DeskMachine
  readonly to: DeskMachine
  /** A category that only `from` uses, with more than `SAME_MS` between two requests. */
  readonly category: string
}

/**
 * Measures the time from a response to one machine until another machine's row shows its header. The other
 * machine is asked again and again.
 */
export class HeaderToRow {
  /** Times in milliseconds. Infinity if the row did not change in time. */
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
