import type { GatewaySummary, ProgramSummary } from '../../../app/contract/snapshot.ts'
import { waitText } from '../../../app/status/durations.ts'
import { gatewayStatus, programState, programStateText } from '../../../app/status/gateway-status.ts'
import { left, right, type Tone } from './cells.ts'
import { type FittedCell, leaving } from './fit.ts'

/** The state of the gateway in one line. */
export const gatewayText = (summary: GatewaySummary): string => gatewayStatus(summary).text

/**
 * The columns of a program's line, before its state. If the line is too wide, columns are removed by their
 * `leaves`, highest first.
 */
const COLUMNS = [
  { heading: 'PROGRAM', width: 20, leaves: 0 },
  { heading: 'CLASS', width: 10, leaves: 2 },
  { heading: 'WEIGHT', width: 6, leaves: 5 },
  { heading: 'FORWARDED', width: 9, leaves: 3 },
  { heading: 'PER S', width: 7, leaves: 1 },
  { heading: 'DECLINED', width: 8, leaves: 2 },
  { heading: 'STREAMS', width: 7, leaves: 4 },
] as const

/** The heading of `programCells`. */
export const programHeading = (): readonly FittedCell[] =>
  columns([...COLUMNS.map(({ heading }) => heading), 'STATE'], 'dim')

/** One program in one line. */
export const programCells = (program: ProgramSummary): readonly FittedCell[] => {
  const {
    name,
    class: own,
    weight,
    forwarded,
    perSecond,
    refused,
    streams,
    longestWaitMs,
    maxOrders,
  } = program
  const state = programState(program)
  const longest = state === 'waiting' ? `, ${waitText(longestWaitMs)}` : ''
  const orders = maxOrders === undefined ? '' : `, up to ${maxOrders} orders/min`
  return columns([
    name,
    own,
    String(weight),
    String(forwarded),
    perSecond.toFixed(2),
    String(refused),
    String(streams),
    `${state === 'waiting' ? `${program.waiting} waiting` : programStateText(program)}${longest}${orders}`,
  ])
}

/** The heading and the programs as lines of text, for output outside the screen's table. */
export const programLines = (programs: readonly ProgramSummary[]): readonly string[] =>
  [programHeading(), ...programs.map(programCells)].map((cells) =>
    cells
      .map(({ text }) => text)
      .join(' ')
      .trimEnd(),
  )

function columns(texts: readonly string[], tone: Tone = 'plain'): readonly FittedCell[] {
  return texts.map((text, at) => {
    const column = COLUMNS[at]
    if (column === undefined) return left(text, text.length, tone)
    const { width, leaves } = column
    return leaving(at < 2 ? left(text, width, tone) : right(text, width, tone), leaves)
  })
}
