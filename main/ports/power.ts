/** The machine's sleep and screen, where a host can see them. */
export interface Power {
  /** Each returns the unsubscribe function. */
  onSuspend(run: () => void): () => void
  onResume(run: () => void): () => void
  onLock(run: () => void): () => void
  onUnlock(run: () => void): () => void
  /** Asks the system not to sleep when idle; the screen may still turn off. */
  keepAwake(wanted: boolean): void
}
