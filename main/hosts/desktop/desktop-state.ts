import { z } from 'zod'
import type { SettingsStore } from '../../storage/settings-store.ts'

/**
 * What the desktop host remembers: where its windows were and what a person chose. Nothing that hurts to lose.
 *
 * A value that is not as described reads as its default, alone: one bad number is no reason to forget the rest.
 */
const rectangle = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().positive(),
  height: z.int().positive(),
})

const desktopState = z.object({
  windowBounds: rectangle.optional().catch(undefined),
  windowMaximized: z.boolean().catch(false),
  stripBounds: rectangle.optional().catch(undefined),
  /** The window goes, the app stays: what it watches does not stop when nobody looks. */
  closeToTray: z.boolean().catch(true),
  /** Said once, the first time the window goes and the app stays. */
  toldOfTray: z.boolean().catch(false),
  stripShown: z.boolean().catch(false),
  /** Off until asked for: a shortcut of the whole system is taken from other programs. */
  globalShortcut: z.boolean().catch(false),
  keepAwake: z.boolean().catch(false),
  checkForUpdates: z.boolean().catch(true),
})

export type DesktopState = z.output<typeof desktopState>

export const readDesktopState = (stored: unknown): DesktopState =>
  desktopState.safeParse(stored).data ?? desktopState.parse({})

export type DesktopStateStore = SettingsStore<DesktopState>

type Stored = Readonly<Record<string, unknown>>
type Migration = (stored: Stored) => Stored

/**
 * The step at index n brings a file of version n to n + 1. Steps are never changed once released.
 *
 * Counted by a number of our own: run from a checkout, `app.getVersion()` is Electron's version and not ours, so
 * electron-store's migrations would take steps for done that never ran.
 */
const MIGRATIONS: readonly Migration[] = [
  // 0: the first form knew one window and called its place `bounds`.
  ({ bounds, ...rest }) => (bounds === undefined ? rest : { ...rest, windowBounds: bounds }),
]

export const STATE_VERSION = MIGRATIONS.length

/** A file of a newer Headroom is left as it is: what this one does not know stays in it. */
export function migrated(stored: Stored): Stored {
  const { schemaVersion } = stored
  const from = Number.isSafeInteger(schemaVersion) ? Math.max(0, Number(schemaVersion)) : 0
  if (from >= STATE_VERSION) return stored
  const brought = MIGRATIONS.slice(from).reduce((state, migrate) => migrate(state), stored)
  return { ...brought, schemaVersion: STATE_VERSION }
}
