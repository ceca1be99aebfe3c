import { STREAM_TABLE } from '../../service/stream-kinds.ts'
import { sinceText } from '../../status/durations.ts'
import { clockText } from '../../status/moments.ts'
import { countText } from '../../status/rates.ts'
import { type NamedStream, streamKindName } from '../../status/stream-status.ts'
import { fewText, type Of, type Words } from './event-words.ts'

type Kind = 'stream-opened' | 'stream-restarted' | 'stream-closed' | 'stream-silent' | 'stream-resumed'

/** The text of each kind of event about one stream. */
export const STREAM_EVENTS: { readonly [K in Kind]: Words<Of<K>> } = {
  'stream-opened': {
    of: 'streams',
    // At the first opening, the reason would repeat the title.
    say: (event) => [
      'ok',
      `${subjectOf(event)} opened`,
      event.target,
      event.reason !== 'opened' && event.reason,
    ],
    many: (events) => [`${countText(events.length, 'stream')} opened`, kindsText(events)],
  },
  'stream-restarted': {
    of: 'streams',
    say: (event) => [
      'ok',
      changeText(subjectOf(event), 'reconnected', event.reason),
      event.target,
      ...reconnectedFacts(event),
    ],
    alike: ({ reason }) => reason,
    many: (events) => [
      changeText(countText(events.length, 'stream'), 'reconnected', events[0].reason),
      sharedFacts(events),
    ],
  },
  'stream-closed': {
    of: 'streams',
    say: (event) => [
      'unknown',
      changeText(subjectOf(event), 'closed', event.reason),
      event.target,
      unstatedReason('closed', event.reason),
    ],
    alike: ({ reason }) => reason,
    many: (events) => [
      changeText(countText(events.length, 'stream'), 'closed', events[0].reason),
      unstatedReason('closed', events[0].reason) || kindsText(events),
    ],
  },
  'stream-silent': {
    of: 'streams',
    say: (event) => [
      'warning',
      `${subjectOf(event)} silent`,
      event.target,
      `last data at ${clockText(event.since)}`,
    ],
    many: (events) => [`${countText(events.length, 'stream')} silent`, kindsText(events)],
  },
  'stream-resumed': {
    of: 'streams',
    say: (event) => [
      'ok',
      `${subjectOf(event)}: receiving data again`,
      event.target,
      `silent for ${sinceText(event.since, event.at)}`,
    ],
    many: (events) => [`${countText(events.length, 'stream')}: receiving data again`, kindsText(events)],
  },
}

/** `Positions stream`: the kind alone is also the name of a quota. */
const subjectOf = (stream: NamedStream): string => `${streamKindName(stream)} stream`

/** The reason for a restart that the service requested. Service 12 calls the request GoAway. */
const GOING_AWAY = 'server going away'

type Change = 'reconnected' | 'closed'

/**
 * `Orders stream reconnected (GoAway)`, or `Orders stream closed by you` if the reason already contains the
 * verb.
 */
function changeText(subject: string, verb: Change, reason: string): string {
  if (reason === GOING_AWAY) return `${subject} ${verb} (GoAway)`
  return saysVerb(verb, reason) ? `${subject} ${reason}` : `${subject} ${verb}`
}

/** The reason for a change, unless the title already contains it. */
const unstatedReason = (verb: Change, reason: string): string | false =>
  reason !== GOING_AWAY && !saysVerb(verb, reason) && reason

const saysVerb = (verb: Change, reason: string): boolean =>
  reason.startsWith(verb === 'closed' ? 'closed' : 'restarted')

/** Why a stream reconnected, and the known effect on its data. */
function reconnectedFacts({
  reason,
  overlapped,
  streamKind,
}: Of<'stream-restarted'>): readonly (string | false)[] {
  const why = unstatedReason('reconnected', reason)
  if (overlapped === true) return [why, 'nothing missed']
  const hasSnapshot = streamKind !== undefined && STREAM_TABLE[streamKind]?.snapshot === true
  return [why, hasSnapshot && 'new snapshot']
}

/** Facts that apply to all reconnections of a line. */
function sharedFacts(events: readonly Of<'stream-restarted'>[]): string {
  const [first = [], ...others] = events.map(reconnectedFacts)
  return first.filter((fact) => fact && others.every((facts) => facts.includes(fact))).join(' · ')
}

/** `Positions, Orders and 2 Quotes`: the kinds of the streams on a line, with counts. */
function kindsText(
  events: readonly Of<'stream-opened' | 'stream-closed' | 'stream-silent' | 'stream-resumed'>[],
): string {
  const kinds = [...Map.groupBy(events, streamKindName)]
  return fewText(kinds.map(([kind, { length }]) => (length === 1 ? kind : `${length} ${kind}`)))
}
