import { inAlerts } from './alert-rules.ts'
import { inEvents, inUseEvents } from './event-rules.ts'
import { inGlance } from './glance-rules.ts'
import { brokenPromise, inHeadline } from './headline-rules.ts'
import { inOwnUse, inStreams, inToken } from './key-rules.ts'
import type { Contradiction, Look, Rule } from './look.ts'
import { inRow } from './row-rules.ts'
import { inTroubles } from './trouble-rules.ts'

/**
 * All contradictions between the last look and the simulator's counts. `looks` are all looks so far,
 * including the last one. A wrong forecast is reported once it has failed, with the time at which it was
 * shown.
 */
export function contradictions(looks: readonly Look[]): readonly Contradiction[] {
  const look = looks.at(-1)
  if (look === undefined) return []
  const { shown } = look
  const found: Contradiction[] = []
  const note = (rule: Rule, said: string, counted: string, atMs = shown.atMs) =>
    void found.push({ atMs, rule, said, counted })
  for (const row of shown.rows) inRow(row, looks, look, note)
  inHeadline(looks, look, note)
  inGlance(looks, look, note)
  inAlerts(looks, look, note)
  inOwnUse(look, note)
  inEvents(looks, look, note)
  inUseEvents(looks, look, note)
  inStreams(look, note)
  inToken(look, note)
  inTroubles(looks, look, note)
  brokenPromise(looks, note)
  return found
}
