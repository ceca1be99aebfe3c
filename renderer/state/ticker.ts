import type { WindowClock } from './window-clock.ts'

/** Main's time as the window shows it. It moves twice a second and with each snapshot, for all components at once. */
export interface Ticker {
  /** The same value until the next tick. */
  nowMs(): number
  subscribe(listener: () => void): () => void
}

/** Ticks a second are few: each renders the ages that moved, and a frame costs more than its computation. */
export const TICK_MS = 500

export interface TickerPorts {
  readonly clock: WindowClock
  /** The difference between main's clock and the window's, in ms. */
  readonly skewMs: () => number
  /** Tells of each correction of the skew, so that no number waits for the next tick. */
  readonly onSkew: (listener: () => void) => () => void
  /** Tells of each snapshot that came: it is drawn as of now, so that the next tick is due a whole step later. */
  readonly onSnapshot: (listener: () => void) => () => void
}

/** The timer runs only while there is a listener. */
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
