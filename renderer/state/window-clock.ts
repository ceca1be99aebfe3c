/** The window's source of time, passed to everything else in renderer/. */
export interface WindowClock {
  /** Epoch milliseconds of this computer, which need not agree with main's. */
  wallMs(): number
  /** Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void
}

export const browserClock: WindowClock = {
  wallMs: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
