/** The connection of the window to its host. Times are on the window's own clock. */
export type Link =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'lost'; readonly sinceMs: number; readonly retryAtMs: number }
  /** The host does not know this page: it needs the link that the host prints. */
  | { readonly kind: 'no-session'; readonly why: 'restarted' | 'no-code' }

export interface LinkSource {
  current(): Link
  subscribe(listener: (link: Link) => void): () => void
  /** Cuts a wait for the next attempt short. */
  tryNow(): void
}

/** The link of the desktop's window, always live: the window ends with its host. */
export const alwaysLive: LinkSource = {
  current: () => ({ kind: 'live' }),
  subscribe: () => () => {},
  tryNow: () => {},
}
