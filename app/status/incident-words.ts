import type { LoggedEvent } from '../contract/events.ts'
import type { Severity } from '../contract/severity.ts'
import {
  type EventSentence,
  type EventStyle,
  eventSentence,
  refusedCountText,
  sentenceOf,
} from './event-sentence.ts'
import { countText, listText, rateRangeText, rateText } from './rates.ts'
import { reasonBeside, reconnectedFacts, streamChange } from './stream-changes.ts'
import { streamKindName } from './stream-status.ts'

/** The words of a line that is over: what is known of the whole of it. */
export function overWords(
  words: EventSentence,
  events: readonly [LoggedEvent, ...LoggedEvent[]],
  ends: readonly LoggedEvent[],
): EventSentence {
  const [first] = events
  const { requestId } = words
  const over = (detail: string): EventSentence => ({
    ...sentenceOf('ok', words.title, detail),
    ...(requestId !== undefined && { requestId }),
  })
  switch (first.kind) {
    case 'rate-limited': {
      const refused = Math.max(
        events.length,
        ...ends.flatMap((end) => (end.kind === 'rate-limit-over' ? end.refused : [])),
      )
      const { othersLow, othersHigh } = first.before ?? {}
      const others =
        othersLow === undefined || othersHigh === undefined
          ? ''
          : `, others ${rateRangeText(othersLow / 60, othersHigh / 60)}/s`
      return over(`${refusedCountText(refused)}${others}`)
    }
    case 'elsewhere': {
      const [end] = ends
      const isOne = events.length === 1 && end?.kind === 'elsewhere-ended'
      return over(isOne ? `${rateText(end.perSecond)} on average` : words.detail)
    }
    // What was to be done, and when it was tried again, is no news once it is over.
    case 'service-unreachable':
      return over(first.why ?? '')
    case 'requests-refused': {
      const { message, status } = first
      if (events.length > 1) return over(words.detail)
      return over(message !== undefined && status >= 400 ? `“${message}”` : '')
    }
    default:
      return over(words.detail)
  }
}

/** The words of several events of one kind in one second, the worst first. `severity`: that of the worst. */
export function groupWords(
  events: readonly [LoggedEvent, ...LoggedEvent[]],
  severity: Severity,
  style: EventStyle,
): EventSentence {
  const [first] = events
  const count = events.length
  const said = (title: string, detail = '') => sentenceOf(severity, title, detail)
  switch (first.kind) {
    case 'elsewhere':
      return said(
        `Others active on ${countText(count, 'quota')}`,
        `most: ${first.category} ${rateText(first.perSecond)}`,
      )
    case 'elsewhere-ended':
      return said(
        `Others stopped on ${countText(count, 'quota')}`,
        `most: ${first.category} ${rateText(first.perSecond)}`,
      )
    case 'quota-short':
    case 'quota-short-ended': {
      const [, words] = eventSentence(first).title.split(first.category)
      return said(`${countText(count, 'quota')}${words ?? ''}`, listText(fewOf(categoriesOf(events))))
    }
    case 'stream-opened':
      return said(`${countText(count, 'stream')} opened`, kindsText(events))
    case 'stream-restarted':
      return said(streamChange(countText(count, 'stream'), 'reconnected', first.reason), sharedFacts(events))
    case 'stream-closed':
      return said(
        streamChange(countText(count, 'stream'), 'closed', first.reason),
        reasonBeside('closed', first.reason) || kindsText(events),
      )
    case 'stream-silent':
      return said(`${countText(count, 'stream')} silent`, kindsText(events))
    case 'stream-resumed':
      return said(
        `${countText(count, 'stream')} ${count === 1 ? 'brings' : 'bring'} data again`,
        kindsText(events),
      )
    case 'requests-refused':
      return said(
        `${countText(count, 'quota')} ${first.status >= 400 ? 'refused' : 'without a number'} (${first.status})`,
        listText(fewOf(categoriesOf(events))),
      )
    case 'requests-answered':
      return said(
        `${countText(count, 'quota')} answer again`,
        `after ${first.status}: ${listText(fewOf(categoriesOf(events)))}`,
      )
    case 'program-refused':
      return said(
        `${first.program} refused by Headroom`,
        `${countText(count, 'quota')}: ${listText(fewOf(categoriesOf(events)))}`,
      )
    default:
      // Several refusals of one category: the request id of each is in the details.
      return eventSentence(first, style)
  }
}

/** What is known of all the reconnections of a line. */
function sharedFacts(events: readonly LoggedEvent[]): string {
  const each = events.map((event) => (event.kind === 'stream-restarted' ? reconnectedFacts(event) : []))
  const shared = (each[0] ?? []).filter(
    (fact) => fact !== false && each.every((facts) => facts.includes(fact)),
  )
  return shared.join(' · ')
}

const categoriesOf = (events: readonly LoggedEvent[]): readonly string[] =>
  events.flatMap((event) => ('category' in event ? event.category : []))

/** How many kinds of streams, or quotas, of a line are named. */
const MAX_NAMED = 3

/** `Positions, Orders and 2 Quotes`: the kinds of the streams of a line, with how many there are of each. */
function kindsText(events: readonly LoggedEvent[]): string {
  const counts = new Map<string, number>()
  for (const event of events) {
    if (!('target' in event)) continue
    const kind = streamKindName(event)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return listText(fewOf([...counts].map(([kind, count]) => (count === 1 ? kind : `${count} ${kind}`))))
}

function fewOf(names: readonly string[]): readonly string[] {
  return names.length <= MAX_NAMED
    ? names
    : [...names.slice(0, MAX_NAMED - 1), `${names.length - MAX_NAMED + 1} more`]
}
