import type { LoggedEvent } from '../../contract/events.ts'
import type { Severity } from '../../contract/severity.ts'
import { untilText } from '../../status/durations.ts'
import { clockText } from '../../status/moments.ts'
import { listText } from '../../status/rates.ts'

export interface EventStyle {
  /** Where a rotated token went; absent where that is not known. */
  readonly stored?: 'sealed' | 'memory'
  /** A moment to come as a time of day, or as the time from the event until then. */
  readonly as?: 'clock' | 'countdown'
  /** The rows in 429 whose refill others use whole: no time can be named at which a retry is safe. */
  readonly othersTakeAll?: ReadonlySet<string>
}

/** What events are sorted by in the list of incidents. */
export type EventGroup = 'tokens' | 'quotas' | 'streams' | 'service'

export type Said = readonly [severity: Severity, title: string, ...details: (string | false | undefined)[]]

/** The words of one kind of event. */
export interface Words<E> {
  readonly of: EventGroup
  readonly say: (event: E, style: EventStyle) => Said
  /** The detail of a line that is over, where it is not that of its event: what to do is no news then. */
  readonly over?: (event: E, ends: readonly LoggedEvent[]) => string
  /** Several in one second as one line, the worst first. */
  readonly many?: (events: readonly [E, ...E[]]) => readonly [title: string, detail?: string]
  /** What has to be alike for that. */
  readonly alike?: (event: E) => string | number
}

export type Kind = LoggedEvent['kind']
export type Of<K extends Kind> = Extract<LoggedEvent, { kind: K }>

/** A time of day, or the time from `atMs` until then: `at 14:31:20`, `in 40 s`. Epoch ms. */
export const moment = (momentMs: number, atMs: number, as: EventStyle['as'] = 'clock') =>
  as === 'clock' ? `at ${clockText(momentMs)}` : `in ${untilText(momentMs, atMs)}`

/** The end of something that is valid: `until 14:31:20`, `for 40 s`. Epoch ms. */
export const until = (momentMs: number, atMs: number, as: EventStyle['as'] = 'clock') =>
  as === 'clock' ? `until ${clockText(momentMs)}` : `for ${untilText(momentMs, atMs)}`

/** When a failed attempt is repeated; `false` where that is not known. Epoch ms. */
export const nextTry = (retryAt: number | undefined, atMs: number, as: EventStyle['as']) =>
  retryAt !== undefined && `next try ${moment(retryAt, atMs, as)}`

/** How many kinds of streams, or quotas, of a line are named. */
const MAX_NAMED = 3

/** The first names of a list: `Accounts, Balances and 2 more`. */
export function fewText(names: readonly string[]): string {
  const more = names.length - MAX_NAMED + 1
  return listText(names.length <= MAX_NAMED ? names : [...names.slice(0, MAX_NAMED - 1), `${more} more`])
}
