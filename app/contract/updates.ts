import { z } from 'zod/mini'
import { command, nothing } from './ipc.ts'

/** What is known of a newer version of the app. */
export type UpdateState =
  /** No feed is part of the app: it was built on this computer, or runs from a checkout or a package. */
  | { readonly kind: 'no-feed' }
  | { readonly kind: 'off' }
  /** No newer version is known. */
  | { readonly kind: 'none' }
  | { readonly kind: 'available'; readonly version: string }
  | { readonly kind: 'downloading'; readonly version: string }
  | { readonly kind: 'ready'; readonly version: string }
  /** It could not be fetched, or it is not what its signature says. */
  | { readonly kind: 'failed'; readonly version: string }

/** Newer versions of the desktop app. Fetching and installing are chosen in its menu, not from a page. */
export const updatesContract = {
  updates: command(nothing).returning<UpdateState>(),
  /** Whether newer versions are looked for. Does nothing where there is no feed. */
  setCheckForUpdates: command(z.strictObject({ wanted: z.boolean() })).returning<UpdateState>(),
} as const
