import { z } from 'zod'
import type { SettingsStore } from '../../storage/preferences.ts'

const rectangle = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().positive(),
  height: z.int().positive(),
})

/** The desktop host's own state: window positions and a person's choices. Defaults replace invalid values. */
const desktopState = z.object({
  windowBounds: rectangle.optional().catch(undefined),
  windowMaximized: z.boolean().catch(false),
  stripBounds: rectangle.optional().catch(undefined),
  /** Whether the app continues in the tray after its window was closed. */
  closeToTray: z.boolean().catch(true),
  /** Whether the person was notified that the app continues in the tray. */
  toldOfTray: z.boolean().catch(false),
  stripShown: z.boolean().catch(false),
  /** Off by default, because other programs can't use a global shortcut that this app has registered. */
  globalShortcut: z.boolean().catch(false),
  keepAwake: z.boolean().catch(false),
  checkForUpdates: z.boolean().catch(true),
})

export type DesktopState = z.output<typeof desktopState>

/** Parses stored state. Invalid or missing values become defaults. */
export const readDesktopState = (stored: unknown): DesktopState =>
  desktopState.safeParse(stored).data ?? desktopState.parse({})

export type DesktopStateStore = SettingsStore<DesktopState>

/**
 * The version of the stored state that this release writes. electron-store would compare
 * `app.getVersion()`, which is Electron's version in a checkout, so the file has a version of its own.
 */
export const STATE_VERSION = 1

type Stored = Readonly<Record<string, unknown>>

/**
 * Migrates a file of version 0, which stored the position of one window as `bounds`. A file of a newer
 * version is returned unchanged, with its unknown fields.
 */
export function migrated(stored: Stored): Stored {
  const { schemaVersion, bounds, ...rest } = stored
  if (Number.isSafeInteger(schemaVersion) && Number(schemaVersion) >= STATE_VERSION) return stored
  return { ...rest, ...(bounds !== undefined && { windowBounds: bounds }), schemaVersion: STATE_VERSION }
}
