export interface WindowClock {
  /** Epoch ms of this computer. Main's clock may differ. */
  wallMs(): number
  /** Runs a function after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void
}

export const browserClock: WindowClock = {
  wallMs: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
