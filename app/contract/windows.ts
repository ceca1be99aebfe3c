import { z } from 'zod/mini'
import { boundedText, type Immutable, number, text } from './fields.ts'
import { command, nothing } from './ipc.ts'
import type { Outcome } from './outcome.ts'

/** How secrets are kept. `unprotected` needs a person's consent. */
export type KeptSecrets = 'sealed' | 'unprotected' | 'memory'

/** Describes the app and its host to a window. */
export interface Hello {
  readonly version: string
  readonly host: 'desktop' | 'browser'
  /** Why no desktop window could be opened, in one line. Absent on the desktop. */
  readonly hostReason?: string
  /** How the secrets of a newly connected key would be kept. Absent if the host cannot know. */
  readonly keeps?: KeptSecrets
}

export const windowSummary = z.object({
  id: text,
  admittedAt: number,
  lastUsedAt: number,
  /** Whether the window was connected recently. A closed window can still reconnect. */
  isOpen: z.boolean(),
  /** Whether this is the requesting window. */
  isThis: z.boolean(),
})

/** One browser window that connected since the start. Times are epoch milliseconds. */
export interface WindowSummary extends Immutable<z.output<typeof windowSummary>> {}

/** Commands about connected windows. The list lets a person notice a window that used a stolen code. */
export const windowsContract = {
  hello: command(nothing).returning<Hello>(),
  /** A hidden window receives no snapshots. */
  setVisible: command(z.strictObject({ visible: z.boolean() })).returning<void>(),
  /** Connected browser windows, oldest first. Empty on the desktop. */
  windows: command(nothing).returning<readonly WindowSummary[]>(),
  /** Immediately ends another window. Its bearer token becomes invalid. */
  endWindow: command(z.strictObject({ window: boundedText(64) })).returning<Outcome>(),
} as const
