import { z } from 'zod/mini'
import { command, nothing } from './ipc.ts'

/** The result of the search for a newer version of the app. */
export type UpdateState =
  /** The app has no update feed. It was built locally, or runs from a checkout or a package. */
  | { readonly kind: 'no-feed' }
  | { readonly kind: 'off' }
  /** No newer version found. */
  | { readonly kind: 'none' }
  | { readonly kind: 'available'; readonly version: string }
  | { readonly kind: 'downloading'; readonly version: string }
  | { readonly kind: 'ready'; readonly version: string }
  /** The download failed, or its signature does not match. */
  | { readonly kind: 'failed'; readonly version: string }

/** Newer versions of the desktop app. Only the app's menu can download and install them. */
export const updatesContract = {
  updates: command(nothing).returning<UpdateState>(),
  /** Turns checks for newer versions on or off. Has no effect without a feed. */
  setCheckForUpdates: command(z.strictObject({ wanted: z.boolean() })).returning<UpdateState>(),
} as const
