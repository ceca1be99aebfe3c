import type { ProgramHistory } from '../../app/contract/history.ts'

/** One piece of a stacked bar. Positions are shares of the chart, 0 to 1, from the left and the bottom. */
interface BarPiece {
  readonly program: number
  readonly left: number
  readonly width: number
  readonly bottom: number
  readonly height: number
}

/** Stacked bars of each program's requests per second. `undefined` if there are no requests. */
export function programBars({ programs, resolutionMs }: Pick<ProgramHistory, 'programs' | 'resolutionMs'>) {
  const totals = programs
    .map(({ program: name, requests }) => ({
      name,
      requests: requests.reduce((sum, one) => sum + one, 0),
      by: requests,
    }))
    .filter(({ requests }) => requests > 0)
    .sort((a, b) => b.requests - a.requests || a.name.localeCompare(b.name))
  const columns = Math.max(0, ...totals.map(({ by }) => by.length))
  const heights = Array.from({ length: columns }, (_, column) =>
    totals.reduce((sum, { by }) => sum + (by[column] ?? 0), 0),
  )
  const most = Math.max(0, ...heights)
  if (most === 0) return undefined
  const pieces: BarPiece[] = []
  for (let column = 0; column < columns; column += 1) {
    let below = 0
    for (const [program, { by }] of totals.entries()) {
      const requests = by[column] ?? 0
      if (requests === 0) continue
      pieces.push({
        program,
        left: column / columns,
        width: 1 / columns,
        bottom: below / most,
        height: requests / most,
      })
      below += requests
    }
  }
  return {
    /** Busiest first. A piece refers to a program by its index. */
    programs: totals.map(({ name, requests }) => ({ name, requests })),
    pieces,
    maxPerSecond: most / (resolutionMs / 1000),
  }
}
