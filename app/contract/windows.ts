import { z } from 'zod/mini'
import { boundedText, type Immutable, number, text } from './fields.ts'
import { command, nothing } from './ipc.ts'
import type { Outcome } from './outcome.ts'

/** `unprotected` only after a person agreed to it. */
export type KeptSecrets = 'sealed' | 'unprotected' | 'memory'

/** What a window is told about the app and the host that shows it. */
export interface Hello {
  readonly version: string
  readonly host: 'desktop' | 'browser'
  /** Why this is not the desktop window, in one line; absent where it is. */
  readonly hostReason?: string
  /** What becomes of the secrets of a key that is connected now; absent where a host cannot tell. */
  readonly keeps?: KeptSecrets
}

export const windowSummary = z.object({
  id: text,
  admittedAt: number,
  lastUsedAt: number,
  /** Whether it was there a moment ago; one that was closed could come back. */
  isOpen: z.boolean(),
  /** The window that asks. */
  isThis: z.boolean(),
})

/** One browser window that was admitted since the start. Times are epoch milliseconds. */
export interface WindowSummary extends Immutable<z.output<typeof windowSummary>> {}

/** The window itself, and who else looks: a window is admitted by a code that only its owner should have had. */
export const windowsContract = {
  hello: command(nothing).returning<Hello>(),
  /** A hidden window is sent no snapshots. */
  setVisible: command(z.strictObject({ visible: z.boolean() })).returning<void>(),
  /** The browser windows that were let in, oldest first; empty on the desktop. */
  windows: command(nothing).returning<readonly WindowSummary[]>(),
  /** Ends another window at once: its bearer is good for nothing from then on. */
  endWindow: command(z.strictObject({ window: boundedText(64) })).returning<Outcome>(),
} as const
