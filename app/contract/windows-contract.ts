import { z } from 'zod/mini'
import type { Outcome } from './contract.ts'
import { command, nothing } from './ipc.ts'

/** One browser window that was admitted since the start. Times are epoch milliseconds. */
export interface WindowSummary {
  readonly id: string
  readonly admittedAt: number
  readonly lastUsedAt: number
  /** Whether it was there a moment ago; one that was closed could come back. */
  readonly isOpen: boolean
  /** The window that asks. */
  readonly isThis: boolean
}

const ofWindow = z.strictObject({ window: z.string().check(z.minLength(1), z.maxLength(64)) })

/** Who else looks: a window is admitted by a code that only its owner should have had. */
export const windowsContract = {
  /** Oldest first; empty on the desktop, whose windows are nobody else's. */
  windows: command(nothing).returning<readonly WindowSummary[]>(),
  /** Ends another window at once: its bearer is good for nothing from then on. */
  endWindow: command((value): z.output<typeof ofWindow> => ofWindow.parse(value)).returning<Outcome>(),
} as const
