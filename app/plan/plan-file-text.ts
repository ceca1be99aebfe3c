import type { StreamRequest } from '../service/stream-kinds.ts'
import type { Plan, PlannedProgram } from './plan.ts'

/** The JSON text of a plan's file for `headroom plan`, one program per line. Periods are in seconds. */
export function planFileText({ programs, limits, reserves }: Plan): string {
  const lines = programs.map((program) => `  ${JSON.stringify(programMember(program))}`).join(',\n')
  const sizes = Object.entries(limits).map(
    ([category, { limit, periodSeconds }]) => [category, { limit, period: periodSeconds }] as const,
  )
  return [
    lines === '' ? '{"programs":[]' : `{"programs":[\n${lines}\n]`,
    ...(sizes.length === 0 ? [] : [`"limits":${JSON.stringify(Object.fromEntries(sizes))}`]),
    ...(Object.keys(reserves).length === 0 ? [] : [`"reserve":${JSON.stringify(reserves)}`]),
  ]
    .join(',\n')
    .concat('}\n')
}

const programMember = ({ name, class: own, weight, requests, streams }: PlannedProgram) => ({
  name,
  class: own,
  weight,
  requests: requests.map(({ category, perSecond, burst }) => ({ category, perSecond, burst })),
  streams: streams.map(streamText),
})

/** A stream as written in flags and files: `barcharts:MSFT?interval=5&unit=Minute`. */
export function streamText({ kind, target, options }: StreamRequest): string {
  const query = Object.entries(options)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
  return `${kind}:${target}${query === '' ? '' : `?${query}`}`
}
