import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Clock } from '../ports/ports.ts'

/** Between two snapshots of one profile to one window that changes are the reason for. */
export const PUBLISH_EVERY_MS = 250
/** Somewhat under the second that numbers may be shown as of one moment: timers are late now and then. */
export const PUBLISH_AT_LEAST_EVERY_MS = 900
const MAX_PER_SECOND = 4

interface Lane {
  /** When the latest change was sent. */
  changeSentMs: number
  /** The latest `MAX_PER_SECOND`, oldest first, changes or not. */
  sentMs: readonly number[]
  due: (() => void) | undefined
  cancelRefresh: () => void
  /** Changed while the window was hidden. */
  missed: boolean
}

/**
 * Sends the latest snapshot, never a queue of them: the first change after quiet goes at once, then at most
 * four a second, none to a hidden window. A snapshot is made when it is sent, so it is never old.
 */
export class Publisher {
  readonly #clock: Clock
  readonly #snapshot: (profile: string) => Snapshot | undefined
  readonly #send: (snapshot: Snapshot) => void
  readonly #lanes = new Map<string, Lane>()
  #visible = true
  #keepsFresh = false

  constructor(
    clock: Clock,
    snapshot: (profile: string) => Snapshot | undefined,
    send: (snapshot: Snapshot) => void,
  ) {
    this.#clock = clock
    this.#snapshot = snapshot
    this.#send = send
  }

  /** From now on these profiles, and each that changes, are sent at least once a second, changed or not. */
  keepFresh(profiles: readonly string[]): void {
    this.#keepsFresh = true
    for (const profile of profiles) this.#refreshLater(profile, this.#laneOf(profile))
  }

  changed(profile: string): void {
    const lane = this.#laneOf(profile)
    if (!this.#visible) {
      lane.missed = true
      return
    }
    if (lane.due) return
    const waitMs = this.#earliestMs(lane) - this.#clock.monotonicMs()
    // Even "at once" waits for the code under way to finish: one change often comes as several.
    lane.due = this.#clock.after(Math.max(0, waitMs), () => {
      lane.due = undefined
      lane.changeSentMs = this.#clock.monotonicMs()
      this.#flush(profile, lane)
    })
  }

  setVisible(visible: boolean): void {
    this.#visible = visible
    for (const [profile, lane] of this.#lanes) {
      if (!visible) {
        // What was to be sent is, once the window is seen again; until then nothing wakes for it.
        lane.missed ||= lane.due !== undefined
        this.#cancel(lane)
        continue
      }
      if (lane.missed) this.changed(profile)
      lane.missed = false
      this.#refreshLater(profile, lane)
    }
  }

  removed(profile: string): void {
    const lane = this.#lanes.get(profile)
    if (lane) this.#cancel(lane)
    this.#lanes.delete(profile)
  }

  stop(): void {
    for (const lane of this.#lanes.values()) this.#cancel(lane)
    this.#lanes.clear()
    this.#visible = false
  }

  /** What was sent only because time passed holds up no change, as long as they are few enough together. */
  #earliestMs({ changeSentMs, sentMs }: Lane): number {
    const [oldest] = sentMs.length < MAX_PER_SECOND ? [] : sentMs
    return Math.max(changeSentMs + PUBLISH_EVERY_MS, (oldest ?? Number.NEGATIVE_INFINITY) + 1000)
  }

  #flush(profile: string, lane: Lane): void {
    const snapshot = this.#snapshot(profile)
    if (!snapshot) return
    lane.sentMs = [...lane.sentMs, this.#clock.monotonicMs()].slice(-MAX_PER_SECOND)
    this.#refreshLater(profile, lane)
    this.#send(snapshot)
  }

  #refreshLater(profile: string, lane: Lane): void {
    lane.cancelRefresh()
    if (!this.#keepsFresh || !this.#visible) return
    lane.cancelRefresh = this.#clock.after(PUBLISH_AT_LEAST_EVERY_MS, () => {
      // A change that waits for its turn is sent within the second as well.
      if (lane.due) this.#refreshLater(profile, lane)
      else this.#flush(profile, lane)
    })
  }

  #cancel(lane: Lane): void {
    lane.due?.()
    lane.due = undefined
    lane.cancelRefresh()
  }

  #laneOf(profile: string): Lane {
    let lane = this.#lanes.get(profile)
    if (!lane) {
      lane = {
        changeSentMs: Number.NEGATIVE_INFINITY,
        sentMs: [],
        due: undefined,
        cancelRefresh: () => {},
        missed: false,
      }
      this.#lanes.set(profile, lane)
    }
    return lane
  }
}
