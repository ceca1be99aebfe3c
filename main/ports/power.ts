/** The machine's sleep and screen, where a host can see them. */
export interface Power {
  /** Each returns its own end. */
  onSuspend(run: () => void): () => void
  onResume(run: () => void): () => void
  onLock(run: () => void): () => void
  onUnlock(run: () => void): () => void
  /** Asks the system not to sleep while nobody is at the keyboard; the screen may go dark. */
  keepAwake(wanted: boolean): void
}
