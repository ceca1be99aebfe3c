import { expected, type ParsedFlag, parsed } from './parsed-flag.ts'

/** A date or a moment in ISO 8601, as epoch milliseconds; without a zone it is UTC. */
export function timeFlag(text: string): ParsedFlag<number> {
  const found = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/.exec(
    text,
  )
  const [, date, time = '00:00', zone = 'Z'] = found ?? []
  const ms = date === undefined ? Number.NaN : Date.parse(`${date}T${time}${zone}`)
  return Number.isNaN(ms) ? expected('a time as in 2026-01-05 or 2026-01-05T15:30Z') : parsed(ms)
}
