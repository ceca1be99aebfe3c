import type { Snapshot } from '../app/contract/snapshot.ts'
import type { Clock } from './ports/ports.ts'

/** Between two snapshots of one profile to one window. */
export const PUBLISH_EVERY_MS = 250
/** Somewhat under the second that numbers may be shown as of one moment: timers are late now and then. */
export const PUBLISH_AT_LEAST_EVERY_MS = 900

interface Lane {
  lastMs: number
  due: (() => void) | undefined
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

  constructor(
    clock: Clock,
    snapshot: (profile: string) => Snapshot | undefined,
    send: (snapshot: Snapshot) => void,
  ) {
    this.#clock = clock
    this.#snapshot = snapshot
    this.#send = send
  }

  changed(profile: string): void {
    const lane = this.#laneOf(profile)
    if (!this.#visible) {
      lane.missed = true
      return
    }
    if (lane.due) return
    const waitMs = lane.lastMs + PUBLISH_EVERY_MS - this.#clock.monotonicMs()
    // Even "at once" waits for the code under way to finish: one change often comes as several.
    lane.due = this.#clock.after(Math.max(0, waitMs), () => this.#flush(profile, lane))
  }

  setVisible(visible: boolean): void {
    this.#visible = visible
    if (!visible) return
    for (const [profile, lane] of this.#lanes) {
      if (lane.missed) this.changed(profile)
      lane.missed = false
    }
  }

  removed(profile: string): void {
    this.#lanes.get(profile)?.due?.()
    this.#lanes.delete(profile)
  }

  stop(): void {
    for (const lane of this.#lanes.values()) lane.due?.()
    this.#lanes.clear()
    this.#visible = false
  }

  #flush(profile: string, lane: Lane): void {
    lane.due = undefined
    if (!this.#visible) {
      lane.missed = true
      return
    }
    lane.lastMs = this.#clock.monotonicMs()
    const snapshot = this.#snapshot(profile)
    if (snapshot) this.#send(snapshot)
  }

  #laneOf(profile: string): Lane {
    let lane = this.#lanes.get(profile)
    if (!lane) {
      lane = { lastMs: Number.NEGATIVE_INFINITY, due: undefined, missed: false }
      this.#lanes.set(profile, lane)
    }
    return lane
  }
}

/** Publishes each profile at least once a second, whatever changes. Returns what ends that. */
export function publishRegularly(
  clock: Clock,
  publisher: Pick<Publisher, 'changed'>,
  profiles: () => readonly string[],
): () => void {
  let cancel: () => void = () => {}
  const wait = () => {
    cancel = clock.after(PUBLISH_AT_LEAST_EVERY_MS, () => {
      for (const profile of profiles()) publisher.changed(profile)
      wait()
    })
  }
  wait()
  return () => cancel()
}
