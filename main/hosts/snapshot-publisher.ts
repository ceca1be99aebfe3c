import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Clock } from '../ports/ports.ts'

/** Minimum time in milliseconds between two snapshots of a profile that are sent because of changes. */
export const PUBLISH_EVERY_MS = 250
/**
 * Time in milliseconds after which a snapshot is sent even without a change. It is less than a second,
 * because displayed numbers are valid for one second and timers can fire late.
 */
export const PUBLISH_AT_LEAST_EVERY_MS = 900
const MAX_PER_SECOND = 4

interface Lane {
  /** Monotonic time of the last snapshot that a change caused. */
  changeSentMs: number
  /** Monotonic times of the last `MAX_PER_SECOND` snapshots, oldest first. */
  sentMs: readonly number[]
  due: (() => void) | undefined
  cancelRefresh: () => void
  /** Whether the profile changed while the window was hidden. */
  missed: boolean
}

/**
 * Sends the latest snapshot of each profile to one window. Snapshots are never queued.
 *
 * The first change after a pause is sent immediately, and further changes at most four times a second.
 * Nothing is sent to a hidden window. A snapshot is computed when it is sent.
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

  /**
   * From now on, sends each of these profiles' snapshots at least once a second, even without a change. Any
   * other profile is included from its next change on.
   */
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
    // One change often causes several calls of `changed`. The timer runs even for 0 ms, so that they cause
    // only one snapshot.
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
        // No timer runs while the window is hidden. A pending change is sent once the window is visible
        // again.
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

  /**
   * Earliest time for the next snapshot that a change causes. `PUBLISH_EVERY_MS` applies only to such
   * snapshots, the limit per second to all snapshots.
   */
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
      // A pending change will send a snapshot soon enough.
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
