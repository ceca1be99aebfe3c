import type { ListedProgram } from '../../../app/contract/gateway.ts'
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

export const programHeading = (): readonly FittedCell[] =>
  columns([...COLUMNS.map(({ heading }) => heading), 'STATE'], 'dim')

/** One program in one line. */
export const programCells = (program: ProgramSummary): readonly FittedCell[] => {
  const { name, class: own, weight, forwarded, perSecond, refused, streams, maxOrders } = program
  const state = programState(program) === 'waiting' ? waitingText(program) : programStateText(program)
  const orders = maxOrders === undefined ? '' : `, up to ${maxOrders} orders/min`
  return columns([
    name,
    own,
    String(weight),
    String(forwarded),
    perSecond.toFixed(2),
    String(refused),
    String(streams),
    `${state}${orders}`,
  ])
}

type Use = ProgramSummary['use'][number]

const waitingText = ({ waiting, longestWaitMs = 0 }: Pick<Use, 'waiting' | 'longestWaitMs'>): string =>
  `${waiting} waiting, ${waitText(longestWaitMs)}`

/**
 * The heading and the programs with their keys as lines of text, for output outside the screen's table. Below
 * each program, a line for each quota that it uses. The `connected` keys are unknown if no app is running.
 */
export function programLines(
  programs: readonly ListedProgram[],
  connected?: readonly string[],
): readonly string[] {
  const width = Math.max(...[KEY, ...programs.map(keyOf)].map(({ length }) => length))
  const line = (cells: readonly FittedCell[], key: string, state = cells.at(-1)?.text) =>
    [...cells.slice(0, -1).map(({ text }) => text), left(key, width).text, state].join(' ').trimEnd()
  return [
    line(programHeading(), KEY),
    ...programs.flatMap((program) => {
      const isMissing = connected?.includes(program.profile) === false
      return [
        line(programCells(program), keyOf(program), isMissing ? 'key not connected' : undefined),
        ...program.use.map((use) => line(useCells(use), '')),
      ]
    }),
  ]
}

/** A program's use of one quota. Its name takes the first two columns. */
function useCells(use: Use): readonly FittedCell[] {
  const waiting = use.waiting > 0 ? waitingText(use) : ''
  const cells = columns(['', '', '', String(use.forwarded), use.perSecond.toFixed(2), '', '', waiting])
  const width = COLUMNS[0].width + 1 + COLUMNS[1].width
  return [left(`  ${use.category}`, width), ...cells.slice(2)]
}

const KEY = 'KEY'
/** The key of a program. A program without a chosen key uses the only one. */
const keyOf = ({ profile }: ListedProgram): string => profile || 'only key'

function columns(texts: readonly string[], tone: Tone = 'plain'): readonly FittedCell[] {
  return texts.map((text, at) => {
    const column = COLUMNS[at]
    if (column === undefined) return left(text, text.length, tone)
    const { width, leaves } = column
    return leaving(at < 2 ? left(text, width, tone) : right(text, width, tone), leaves)
  })
}
