import { sinceText } from '../../app/status/durations.ts'
import { clockText } from '../../app/status/moments.ts'
import { rateRangeText } from '../../app/status/rates.ts'
import type { ChartRow } from './series.ts'

/** The values at a row of the chart. `undefined` in a gap of the line. `limit` is a number of requests. */
export function chartReading(row: ChartRow, limit: number) {
  const band = row.headerBand ?? row.modelledBand
  const value = row.header ?? row.modelled ?? row.earliest
  const ends = band ?? row.range ?? row.forecast ?? (value === undefined ? undefined : [value, value])
  if (ends === undefined) return undefined
  const [low, high] = ends
  const facts = [{ name: 'Left', value: `${rangeText(low, high)} of ${limit}` }]
  if (row.own !== undefined && row.elsewhere !== undefined) {
    facts.push(
      { name: 'Own', value: perSecond(row.own) },
      ...(row.desk === undefined ? [] : [{ name: 'Desk', value: perSecond(row.desk) }]),
      { name: 'Others', value: perSecond(row.elsewhere) },
    )
  }
  return { time: clockText(row.at), source: sourceText(row), facts }
}

function sourceText(row: ChartRow): string {
  if (row.isRejected === true) return '429'
  if (row.headerBand !== undefined) return 'lowest to highest, from headers'
  if (row.modelledBand !== undefined) return 'lowest to highest, estimated'
  if (row.header === undefined && row.modelled === undefined) return 'forecast'
  if (row.headerAt === row.at) return 'header'
  if (row.headerAt === undefined) return 'estimate'
  return `estimate, header ${sinceText(row.headerAt, row.at)} before`
}

function rangeText(low: number, high: number): string {
  const [from, to] = [Math.floor(low), Math.floor(high)]
  return from === to ? String(from) : `${from}–${to}`
}

function perSecond(rate: number): string {
  const text = rateRangeText(rate, rate)
  return text === '0' ? text : `${text}/s`
}
