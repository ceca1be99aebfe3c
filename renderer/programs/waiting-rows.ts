import type { ProgramSummary } from '../../app/contract/snapshot.ts'

/** Requests of one program that wait for one quota. */
export interface WaitingRow {
  readonly program: string
  readonly category: string
  readonly waiting: number
  readonly longestWaitMs: number
  /** Epoch ms; absent where a host does not say. */
  readonly nextTurnAt: number | undefined
}

/** Who waits for what, the next turn first. */
export function waitingRows(programs: readonly ProgramSummary[]): readonly WaitingRow[] {
  return programs
    .flatMap(({ name, use }) =>
      use
        .filter(({ waiting }) => waiting > 0)
        .map(({ category, waiting, longestWaitMs = 0, nextTurnAt }) => ({
          program: name,
          category,
          waiting,
          longestWaitMs,
          nextTurnAt,
        })),
    )
    .sort((a, b) => (a.nextTurnAt ?? 0) - (b.nextTurnAt ?? 0) || a.program.localeCompare(b.program))
}
