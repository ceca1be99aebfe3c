import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/quotas.ts'
import type { Neighbour } from '../../simulator/options.ts'
import { categoryNumbers } from './category-list-flag.ts'
import { numberFlag } from './number-flag.ts'
import { expected, type ParsedFlag, parsed } from './parsed-flag.ts'

/** What other programs on the same key use: requests per second all the time, and in bursts. */
export interface TrafficFlag {
  readonly steady: Readonly<Record<string, number>>
  readonly bursts: readonly Neighbour[]
}

const CATEGORIES = CURRENT_REQUEST_QUOTAS.map((quota) => quota.category)
const requestsPerSecond = numberFlag({ atLeast: 0, atMost: 1000, unit: 'requests per second' })
const burstSeconds = numberFlag({ above: 0, atMost: 86_400, unit: 'seconds' })

/**
 * `--traffic 'Positions=1.0,Accounts=0.2'`; `Positions=2.5@120/300` makes them in 120 of every 300 seconds only.
 *
 * A category may have one steady pace and any number of bursts beside it.
 */
export function trafficFlag(text: string): ParsedFlag<TrafficFlag> {
  const parts = text.split(',')
  const steady = parts.filter((part) => !part.includes('@'))
  const numbers =
    steady.length === 0 ? parsed({}) : categoryNumbers(steady.join(','), CATEGORIES, requestsPerSecond)
  if (!numbers.ok) return numbers
  const bursts: Neighbour[] = []
  for (const part of parts.filter((one) => one.includes('@'))) {
    const burst = burstOf(part)
    if (!burst.ok) return burst
    bursts.push(burst.value)
  }
  return parsed({ steady: numbers.value, bursts })
}

function burstOf(part: string): ParsedFlag<Neighbour> {
  const [pace = '', spell = '', ...more] = part.split('@')
  const numbers = categoryNumbers(pace, CATEGORIES, requestsPerSecond)
  if (!numbers.ok) return numbers
  const [category = '', perSecond = 0] = Object.entries(numbers.value)[0] ?? []
  const [on = '', cycle = '', ...rest] = spell.split('/')
  const [onSeconds, cycleSeconds] = [burstSeconds(on.trim()), burstSeconds(cycle.trim())]
  const fits = onSeconds.ok && cycleSeconds.ok && onSeconds.value <= cycleSeconds.value
  if (!fits || more.length > 0 || rest.length > 0) {
    return expected(
      `${category}=NUMBER@SECONDS/SECONDS, such as @120/300 for 120 of every 300, not "${part.trim()}"`,
    )
  }
  return parsed({
    ...{ category, perSecond },
    ...{ onSeconds: onSeconds.value, offSeconds: cycleSeconds.value - onSeconds.value },
  })
}
