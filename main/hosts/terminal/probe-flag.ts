import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/quotas.ts'
import type { ProbeSettings } from '../../monitor/profile.ts'
import { categoryNumbers } from './category-list-flag.ts'
import { numberFlag } from './number-flag.ts'
import { expected, type ParsedFlag, parsed } from './parsed-flag.ts'

/** Only opening a stream shows a stream category's headers, so those are never probed. */
const PROBED = CURRENT_REQUEST_QUOTAS.map((quota) => quota.category).filter(
  (category) => !category.endsWith('Stream'),
)
const secondsBetween = numberFlag({ atLeast: 1, atMost: 86_400, unit: 'seconds' })

export type ProbeFlag = Pick<ProbeSettings, 'everySeconds'> & Partial<ProbeSettings>

/**
 * `--probe 'Accounts=30,Positions=60'` overrides the budget for these categories; `none` probes nothing.
 *
 * Whoever names categories wants probes, also of a key that somebody turned them off for.
 */
export function probeFlag(text: string): ParsedFlag<ProbeFlag> {
  if (text.trim().toLowerCase() === 'none') return parsed({ budgetFraction: 0, everySeconds: {} })
  const every = categoryNumbers(text, PROBED, secondsBetween)
  if (!every.ok) return expected(`${every.expected}, or the word none`)
  return parsed({ enabled: true, everySeconds: every.value })
}
