import { DESK_NAME, OTHERS_NAME, OWN_NAME } from '../../app/plan/running.ts'
import type { AskedHistory } from './use-program-history.ts'

/** If the last column is unfinished, it is drawn only if it covers at least this many milliseconds. */
const MIN_COLUMN_MS = 15_000
/** A piece with fewer requests per second is not drawn. */
const MIN_PER_SECOND = 0.001

/** One piece of a stacked column. Positions are shares of the chart, 0 to 1, from the left and the bottom. */
interface UsePiece {
  readonly layer: number
  readonly left: number
  readonly width: number
  readonly bottom: number
  readonly height: number
  /** Whether the piece's column is unfinished. Its data may be incomplete. */
  readonly isPartial: boolean
}

export type StackedUse = ReturnType<typeof stackedUse>

/**
 * Requests per second by program, with Headroom's own requests, the desk and others on top. `names` are the
 * present programs, from the bottom up. Removed programs are above them. The chart is at least as high as
 * `refillPerSecond`.
 */
export function stackedUse(
  { from, resolutionMs, toMs, programs, own, desk, elsewhere }: Omit<AskedHistory, 'rejectedAt'>,
  names: readonly string[],
  refillPerSecond: number,
) {
  const gone = programs.map(({ program }) => program).filter((name) => !names.includes(name))
  const counts = (name: string) => programs.find(({ program }) => program === name)?.requests ?? []
  const columns = Math.max(
    own.length,
    elsewhere.length,
    ...programs.map(({ requests }) => requests.length),
    0,
  )
  const byPrograms = (at: number) => programs.reduce((sum, { requests }) => sum + (requests[at] ?? 0), 0)
  const layers = [
    ...[...names, ...gone].map((name) => ({ name, by: counts(name) })),
    { name: OWN_NAME, by: own.map((count, at) => Math.max(0, count - byPrograms(at))) },
    ...(desk === undefined ? [] : [{ name: DESK_NAME, by: desk }]),
    { name: OTHERS_NAME, by: elsewhere },
  ]
  const endMs = from + columns * resolutionMs
  const secondsOf = (at: number) => Math.min(resolutionMs, toMs - from - at * resolutionMs) / 1000
  const isDrawn = (at: number) => secondsOf(at) * 1000 >= MIN_COLUMN_MS
  const rateOf = (by: readonly number[], at: number) => (isDrawn(at) ? (by[at] ?? 0) / secondsOf(at) : 0)
  const heights = Array.from({ length: columns }, (_, at) =>
    layers.reduce((sum, { by }) => sum + rateOf(by, at), 0),
  )
  const { topPerSecond, lines } = scaleTo(Math.max(refillPerSecond * 1.15, ...heights))
  const spanMs = Math.max(1, Math.min(endMs, Math.max(toMs, from + 1)) - from)
  const pieces = heights.flatMap((_, at) => {
    let below = 0
    return layers.flatMap(({ by }, layer): UsePiece[] => {
      const perSecond = rateOf(by, at)
      if (perSecond < MIN_PER_SECOND) return []
      const bottom = below / topPerSecond
      below += perSecond
      const left = (at * resolutionMs) / spanMs
      const width = (secondsOf(at) * 1000) / spanMs
      const isPartial = secondsOf(at) * 1000 < resolutionMs
      return [{ layer, left, width, bottom, height: perSecond / topPerSecond, isPartial }]
    })
  })
  return {
    /** From the bottom: programs, Headroom's own requests, the desk's other machines, others. */
    layers: layers.map(({ name, by }) => ({ name, requests: by.reduce((sum, one) => sum + one, 0) })),
    pieces,
    topPerSecond,
    lines,
    spanMs,
  }
}

/** A round maximum above `most`, with two to five grid lines at round intervals below it. */
function scaleTo(most: number): { readonly topPerSecond: number; readonly lines: readonly number[] } {
  const wanted = Math.max(most, 0.01)
  const power = 10 ** Math.floor(Math.log10(wanted))
  const step = [0.2, 0.5, 1, 2].map((factor) => factor * power).find((one) => wanted / one <= 4) ?? 5 * power
  const count = Math.ceil(wanted / step)
  return {
    topPerSecond: count * step,
    lines: Array.from({ length: count + 1 }, (_, at) => at * step),
  }
}
