import type { GatewaySummary, ProgramSummary } from '../../../app/contract/snapshot.ts'
import { waitText } from '../../../app/status/durations.ts'
import { gatewayStatus, programState, programStateText } from '../../../app/status/gateway-status.ts'

/** The state of the gateway in one line. */
export const gatewayText = (summary: GatewaySummary): string => gatewayStatus(summary).text

const WIDTHS = { name: 20, class: 10, weight: 6, forwarded: 9, rate: 7, refused: 8, streams: 7 } as const

export const programHeading = (): string =>
  columns(['PROGRAM', 'CLASS', 'WEIGHT', 'FORWARDED', 'PER S', 'DECLINED', 'STREAMS', 'STATE'])

/** One program in one line. */
export const programText = (program: ProgramSummary): string => {
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

function columns(cells: readonly string[]): string {
  const widths = Object.values(WIDTHS)
  return cells
    .map((cell, i) => {
      const width = widths[i]
      if (width === undefined) return cell
      return i < 2 ? cell.slice(0, width).padEnd(width) : cell.padStart(width)
    })
    .join('  ')
    .trimEnd()
}
