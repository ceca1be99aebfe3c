import { z } from 'zod/mini'
import { command, nothing } from './ipc.ts'

/** What is known about a newer version of the app. */
export type UpdateState =
  /** The app has no update feed: it was built locally, or runs from a checkout or a package. */
  | { readonly kind: 'no-feed' }
  | { readonly kind: 'off' }
  /** No newer version found. */
  | { readonly kind: 'none' }
  | { readonly kind: 'available'; readonly version: string }
  | { readonly kind: 'downloading'; readonly version: string }
  | { readonly kind: 'ready'; readonly version: string }
  /** The download failed, or its signature does not match. */
  | { readonly kind: 'failed'; readonly version: string }

/** Newer versions of the desktop app. Its menu downloads and installs them; pages cannot. */
export const updatesContract = {
  updates: command(nothing).returning<UpdateState>(),
  /** Whether to check for newer versions. Does nothing without a feed. */
  setCheckForUpdates: command(z.strictObject({ wanted: z.boolean() })).returning<UpdateState>(),
} as const
