import { CURRENT_REQUEST_QUOTAS, PROBED_CATEGORIES } from '../../../app/service/categories.ts'
import type { ProbeSettings } from '../../ports/profile.ts'
import type { Neighbour } from '../../simulator/options.ts'
import { expected, numberFlag, type ParsedFlag, parsed } from './flag-values.ts'

/**
 * Parses a number per category: `Positions=1.0,Accounts=0.2`. Case is ignored. The result has the contract's
 * spelling.
 */
export function categoryNumbers(
  text: string,
  categories: readonly string[],
  number: (text: string) => ParsedFlag<number>,
): ParsedFlag<Readonly<Record<string, number>>> {
  const numbers: Record<string, number> = {}
  for (const part of text.split(',')) {
    const [name = '', value, ...more] = part.split('=').map((piece) => piece.trim())
    if (value === undefined || more.length > 0) return expected(`CATEGORY=NUMBER,…, not "${part.trim()}"`)
    const category = categories.find((known) => known.toLowerCase() === name.toLowerCase())
    if (category === undefined)
      return expected(`one of the categories ${categories.join(', ')}; not "${name}"`)
    if (category in numbers) return expected(`each category once, not ${category} twice`)
    const result = number(value)
    if (!result.ok) return expected(`${result.expected} for ${category}`)
    numbers[category] = result.value
  }
  return parsed(numbers)
}

const secondsBetween = numberFlag({ atLeast: 1, atMost: 86_400, unit: 'seconds' })

/** Check settings from `--probe`. Omitted settings keep the key's values. */
export type ProbeFlag = Pick<ProbeSettings, 'everySeconds'> & Partial<ProbeSettings>

/**
 * Parses `--probe 'Accounts=30,Positions=60'`: seconds between two checks of a category. They replace the
 * intervals that follow from the budget. `none` disables checks.
 *
 * Naming a category enables checks, even if the key's settings disable them. Categories without a harmless
 * request (streams and order placement) are rejected.
 */
export function probeFlag(text: string): ParsedFlag<ProbeFlag> {
  if (text.trim().toLowerCase() === 'none') return parsed({ budgetFraction: 0, everySeconds: {} })
  const every = categoryNumbers(text, PROBED_CATEGORIES, secondsBetween)
  if (!every.ok) return expected(`none, or ${every.expected}`)
  return parsed({ enabled: true, everySeconds: every.value })
}

/** Simulated traffic of other programs on the same key: requests per second, constant or in bursts. */
export interface TrafficFlag {
  readonly steady: Readonly<Record<string, number>>
  readonly bursts: readonly Neighbour[]
}

const CATEGORIES = CURRENT_REQUEST_QUOTAS.map((quota) => quota.category)
const requestsPerSecond = numberFlag({ atLeast: 0, atMost: 1000, unit: 'requests per second' })
const burstSeconds = numberFlag({ above: 0, atMost: 86_400, unit: 'seconds' })

/**
 * Parses `--traffic 'Positions=1.0,Accounts=0.2'`. `Positions=2.5@120/300` applies during 120 of every 300
 * seconds.
 *
 * A category may have one constant rate and any number of bursts.
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

const MAX_RESERVE = 10_000
const reservedRequests = numberFlag({ atLeast: 0, atMost: MAX_RESERVE, unit: 'requests' })

/** Parses `--reserve 'Positions=20'`: reserved requests per category. */
export const reserveFlag = (text: string): ParsedFlag<Readonly<Record<string, number>>> =>
  categoryNumbers(text, CATEGORIES, reservedRequests)
