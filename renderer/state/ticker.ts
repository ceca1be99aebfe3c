import type { WindowClock } from '../api/window-clock.ts'

/** Main's time as displayed by all components. It advances twice a second and with each snapshot. */
export interface Ticker {
  /** Epoch ms. Constant until the next tick. */
  nowMs(): number
  subscribe(listener: () => void): () => void
}

/**
 * Interval between ticks, in ms. A shorter interval would cost too much, because each tick redraws every age
 * that has changed.
 */
export const TICK_MS = 500

export interface TickerPorts {
  readonly clock: WindowClock
  /** The difference between main's clock and the window's, in ms. */
  readonly skewMs: () => number
  /** Subscribes to corrections of the skew, so that numbers do not wait for the next tick. */
  readonly onSkew: (listener: () => void) => () => void
  /**
   * Subscribes to snapshots. A snapshot is drawn immediately, so the next tick is due a whole interval later.
   */
  readonly onSnapshot: (listener: () => void) => () => void
}

/** Creates the ticker. Its timer runs only while there is a listener. */
export function createTicker({ clock, skewMs, onSkew, onSnapshot }: TickerPorts): Ticker {
  const listeners = new Set<() => void>()
  const read = () => clock.wallMs() + skewMs()
  let nowMs = read()
  let stop: (() => void) | undefined

  const tick = () => {
    nowMs = read()
    for (const listener of listeners) listener()
  }
  const run = () => {
    let cancel = clock.after(TICK_MS, again)
    function again() {
      tick()
      cancel = clock.after(TICK_MS, again)
    }
    const stops = [
      onSkew(tick),
      onSnapshot(() => {
        nowMs = read()
        cancel()
        cancel = clock.after(TICK_MS, again)
      }),
    ]
    return () => {
      cancel()
      for (const unsubscribe of stops) unsubscribe()
    }
  }

  return {
    nowMs: () => nowMs,
    subscribe: (listener) => {
      listeners.add(listener)
      if (stop === undefined) {
        nowMs = read()
        stop = run()
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        stop?.()
        stop = undefined
      }
    },
  }
}
