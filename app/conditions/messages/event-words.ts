import type { LoggedEvent } from '../../contract/events.ts'
import type { Severity } from '../../contract/severity.ts'
import { untilText } from '../../status/durations.ts'
import { clockText } from '../../status/moments.ts'
import { listText } from '../../status/rates.ts'

export interface EventStyle {
  /** Where a rotated token was stored. Absent if unknown. */
  readonly stored?: 'sealed' | 'memory'
  /** Whether a future time is shown as a time of day or as a duration from the event. */
  readonly as?: 'clock' | 'countdown'
  /**
   * Categories in which others use the whole refill. For these, it is unknown when a retry after a 429 is
   * safe.
   */
  readonly othersTakeAll?: ReadonlySet<string>
}

/** The groups of events in the list of incidents. */
export type EventGroup = 'tokens' | 'quotas' | 'streams' | 'service'

export type Said = readonly [severity: Severity, title: string, ...details: (string | false | undefined)[]]

/** The text for one kind of event. */
export interface Words<E> {
  readonly of: EventGroup
  readonly say: (event: E, style: EventStyle) => Said
  /**
   * Replaces the event's own detail after the condition has ended, for example because advice no longer
   * applies. Absent if the event's own detail still fits.
   */
  readonly over?: (event: E, ends: readonly LoggedEvent[]) => string
  /** The text of several events that share one line. The worst event is first. */
  readonly many?: (events: readonly [E, ...E[]]) => readonly [title: string, detail?: string]
  /** Events with equal values share a line. */
  readonly alike?: (event: E) => string | number
}

export type Kind = LoggedEvent['kind']
export type Of<K extends Kind> = Extract<LoggedEvent, { kind: K }>

/**
 * A time as text: a time of day (`at 14:31:20`), or the time from `atMs` to `momentMs` (`in 40 s`). Both are
 * epoch ms.
 */
export const moment = (momentMs: number, atMs: number, as: EventStyle['as'] = 'clock') =>
  as === 'clock' ? `at ${clockText(momentMs)}` : `in ${untilText(momentMs, atMs)}`

/** How long something remains valid, as text: `until 14:31:20`, `for 40 s`. Both times are epoch ms. */
export const until = (momentMs: number, atMs: number, as: EventStyle['as'] = 'clock') =>
  as === 'clock' ? `until ${clockText(momentMs)}` : `for ${untilText(momentMs, atMs)}`

/** The time of the next attempt, as text. `false` if unknown. `retryAt`: epoch ms. */
export const nextTry = (retryAt: number | undefined, atMs: number, as: EventStyle['as']) =>
  retryAt !== undefined && `next try ${moment(retryAt, atMs, as)}`

/** Maximum number of named streams or quotas per line. */
const MAX_NAMED = 3

/** A list of names, shortened: `Accounts, Balances and 2 more`. */
export function fewText(names: readonly string[]): string {
  const more = names.length - MAX_NAMED + 1
  return listText(names.length <= MAX_NAMED ? names : [...names.slice(0, MAX_NAMED - 1), `${more} more`])
}
