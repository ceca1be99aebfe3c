import type { IncidentLine } from '../../app/conditions/incidents.ts'
import type { BeforeRefusal } from '../../app/contract/events.ts'
import { clockText } from '../../app/status/moments.ts'

export type RefusalCard = NonNullable<ReturnType<typeof refusalCard>>

/** The card for a line about a 429. `undefined` for any other line. */
export function refusalCard({ events, at }: IncidentLine) {
  const refusals = events.flatMap((event) => (event.kind === 'rate-limited' ? event : []))
  const [first] = refusals
  if (first === undefined) return undefined
  const requestIds = refusals.flatMap(({ requestId }) => requestId ?? [])
  const retryAt = Math.max(...refusals.map((refusal) => refusal.retryAt))
  return {
    category: first.category,
    at,
    requestIds,
    facts: [
      ...(first.before === undefined
        ? [{ name: 'Left before', value: 'unknown' }]
        : beforeFacts(first.before)),
      { name: '429s', value: String(Math.max(...refusals.map(({ count = 1 }) => count), refusals.length)) },
      { name: 'Reset at', value: clockText(retryAt) },
      { name: 'Request id', value: requestIds.length === 0 ? 'none given' : requestIds.join(', ') },
    ],
  }
}

function beforeFacts({ low, high, limit, own, othersLow, othersHigh }: BeforeRefusal) {
  const known = othersLow !== undefined && othersHigh !== undefined
  return [
    { name: 'Left before', value: `${range(low, high)} of ${limit} (estimate)` },
    { name: 'Headroom, last 60 s', value: `${own} requests` },
    {
      name: 'Others, last 60 s',
      value: known ? `${range(othersLow, othersHigh)} requests (estimate)` : 'unknown',
    },
  ]
}

const range = (low: number, high: number): string => (low === high ? String(low) : `${low}–${high}`)

/** The card as text for the provider's support, its time in UTC. */
export function supportText({ category, at, facts }: RefusalCard): string {
  const lines = facts.map(({ name, value }) => `${name}: ${value}`)
  return [`429 on ${category} at ${new Date(at).toISOString()}`, ...lines, ''].join('\n')
}
