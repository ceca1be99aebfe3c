/** Time as the window gets it. Everything else in renderer/ is given one. */
export interface WindowClock {
  /** Epoch milliseconds of this computer, which need not agree with main's. */
  wallMs(): number
  /** Returns its own cancel. */
  after(ms: number, run: () => void): () => void
}

export const browserClock: WindowClock = {
  wallMs: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
