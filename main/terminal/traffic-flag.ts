import { CURRENT_REQUEST_QUOTAS } from '../../app/service/quotas.ts'
import { categoryNumbers } from './category-list-flag.ts'
import { numberFlag } from './number-flag.ts'
import type { ParsedFlag } from './parsed-flag.ts'

const CATEGORIES = CURRENT_REQUEST_QUOTAS.map((quota) => quota.category)
const requestsPerSecond = numberFlag({ atLeast: 0, atMost: 1000, unit: 'requests per second' })

/** `--traffic 'Positions=1.0,Accounts=0.2'`: what other programs on the same key use. */
export const trafficFlag = (text: string): ParsedFlag<Readonly<Record<string, number>>> =>
  categoryNumbers(text, CATEGORIES, requestsPerSecond)
