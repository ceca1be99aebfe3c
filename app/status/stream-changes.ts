import type { LoggedEvent } from '../contract/events.ts'
import { STREAM_TABLE } from '../service/stream-kinds.ts'

/** What is said of a stream that was opened, opened again or closed. */

/** What is said of a stream of a kind whose slots the service does not count. */
export const NO_SLOT_LIMIT = 'no slot limit'

/** The reason of a restart that the service asked for, which its documentation calls GoAway (service 12). */
export const GOING_AWAY = 'server going away'

/** `Orders reconnected (GoAway)`, `Orders closed by you`: a reason may say the verb itself. */
export function streamChange(subject: string, verb: 'reconnected' | 'closed', reason: string): string {
  if (reason === GOING_AWAY) return `${subject} ${verb} (GoAway)`
  return saysVerb(verb, reason) ? `${subject} ${reason}` : `${subject} ${verb}`
}

/** The reason of a change where its title does not tell it. */
export const reasonBeside = (verb: 'reconnected' | 'closed', reason: string): string | false =>
  reason !== GOING_AWAY && !saysVerb(verb, reason) && reason

const saysVerb = (verb: 'reconnected' | 'closed', reason: string): boolean =>
  reason.startsWith(verb === 'closed' ? 'closed' : 'restarted')

/** Why a stream was reconnected, and what became of its data meanwhile as far as that is known. */
export function reconnectedFacts({
  reason,
  overlapped,
  streamKind,
}: Pick<
  Extract<LoggedEvent, { kind: 'stream-restarted' }>,
  'reason' | 'overlapped' | 'streamKind'
>): readonly (string | false)[] {
  const why = reasonBeside('reconnected', reason)
  if (overlapped === true) return [why, 'nothing missed']
  const hasSnapshot = streamKind !== undefined && STREAM_TABLE[streamKind]?.snapshot === true
  return [why, hasSnapshot && 'new snapshot']
}
