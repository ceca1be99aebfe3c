import { z } from 'zod'
import type { Alert } from '../../app/alerts/alert.ts'
import { type AlertKind, SEVERITIES, type Severity } from '../../app/alerts/kinds.ts'

const KINDS = Object.keys(SEVERITIES) as [AlertKind, ...AlertKind[]]
const LEVELS: readonly [Severity, ...Severity[]] = ['info', 'warning', 'critical']

const stored = z.object({
  id: z.string(),
  profile: z.string(),
  kind: z.enum(KINDS),
  severity: z.enum(LEVELS),
  subject: z.string(),
  since: z.number(),
  at: z.number(),
  title: z.string(),
  body: z.string(),
  dismissed: z.boolean(),
})

/** What a row of `open_alerts` says; `undefined` for one that this version cannot read, which is then forgotten. */
export function storedAlert(text: string): Alert | undefined {
  try {
    return stored.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
