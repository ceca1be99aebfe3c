import type { AppContract } from '../../app/contract/contract.ts'
import type { Api } from '../../app/contract/ipc.ts'

/** The commands and pushes of a window, the same in every host. */
export type WindowApi = Api<AppContract>

declare global {
  interface Window {
    /** Set by the desktop's preload script. Absent in a browser. */
    readonly headroom?: WindowApi
  }
}

/** The state of the connection between window and host. Times are on the window's clock. */
export type Link =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'lost'; readonly sinceMs: number; readonly retryAtMs: number }
  /** `MAX_TABS` other tabs of this browser are connected. This tab connects when one of them is closed. */
  | { readonly kind: 'too-many-tabs' }
  /** The host does not know this page. The page must be opened with the link that the host prints. */
  | { readonly kind: 'no-session'; readonly why: 'restarted' | 'no-code' }

export interface LinkSource {
  current(): Link
  subscribe(listener: (link: Link) => void): () => void
  /** Ends the wait for the next attempt. */
  tryNow(): void
}

/** The link of a desktop window. It is always live, because the window ends with its host. */
export const alwaysLive: LinkSource = {
  current: () => ({ kind: 'live' }),
  subscribe: () => () => {},
  tryNow: () => {},
}
