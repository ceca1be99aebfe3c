import { countOf, longestNamed, numberOf, unforeseen } from './counted.ts'
import { type Look, MIDDLE, type Note } from './look.ts'
import { inOthers, inOwn, inSafePace, inState } from './row-rules.ts'
import type { ShownRow } from './shown.ts'
import { isOfTrouble } from './troubles.ts'

/** How long the headline promises that no quota will run out. */
const PROMISED_MS = 10 * 60_000

/** Labels that the headline may have on a first start, besides those of a quota’s state. */
const CALM = /^(ok|ok so far)$/
export const isCalm = (word: string): boolean => CALM.test(word)
export const OF_QUOTA = /^(watch|low|running out|empty|429)$/
const OF_OTHERS = /^(full|not checked|measuring|\d+ (?:silent|restarting))$/
/** Whether a label that names no quota is possible: for slots, for streams, or for a fault. */
export const isToldOf = (label: string, { troubles, shown }: Look): boolean =>
  OF_OTHERS.test(label) || isOfTrouble(label, troubles, shown.atMs)

/**
 * Checks the headline, its chips and the title of the tab. Each must name a state of a quota that is true, or
 * another possible label.
 */
export function inHeadline(looks: readonly Look[], look: Look, note: Note): void {
  const { shown, after } = look
  const { word, text, detail } = shown.headline
  const said = `${text} ${detail}`
  // For such labels, the title may name what the label counts, such as streams without data.
  if (!shown.title.includes(word) && !isToldOf(word, look))
    note('headline', `tab: ${shown.title}`, `headline: ${word}`)
  const subject = longestNamed(text.replace(/^429 on /, ''), after)
  if (isCalm(word)) {
    for (const { category, state } of shown.rows) {
      if (state !== 'not checked') {
        inState({ category, told: 'ok', said }, looks, (_, __, counted) =>
          note('headline', said, `${category}: ${counted}`),
        )
      }
    }
  } else if (OF_QUOTA.test(word)) {
    const share = /\d+(?:–\d+)? %/.exec(text)?.[0] ?? ''
    const told = `${word} ${share}`.trim()
    if (subject === undefined) note('headline', said, 'no such quota')
    else inState({ category: subject, told, said }, looks, note)
  } else if (!isToldOf(word, look)) {
    note('headline', said, 'nothing of the kind happened')
  }
  const row = shown.rows.find(({ category }) => category === subject)
  if (row !== undefined && subject !== undefined) inUsage({ row, detail, said }, looks, look, note)
  const tightest = /Tightest: (.+), (?:at least )?(~?\d+(?:–\d+)?) of (\d+) left/.exec(detail)
  const count = countOf(tightest?.[1] ?? '', look)
  if (tightest !== null && count !== undefined) {
    const [low, high] = numberOf({ left: tightest[2] ?? '', limit: count.limit })
    const apart = low === high ? count.limit * MIDDLE : 0
    const isBound = detail.includes('at least')
    const most = count.most + unforeseen(tightest[1] ?? '', looks)
    if (low > most + apart || (!isBound && high < count.fewest - apart)) note('number', said, count.told)
  }
  for (const { label, text: beside } of shown.chips) {
    const [category = '', ...rest] = beside.split(', ')
    const chip = `chip: ${label} ${beside}`
    if (OF_QUOTA.test(label)) {
      inState({ category, told: [label, ...rest].join(' '), said: chip }, looks, note)
    } else if (!isToldOf(label, look)) note('headline', chip, 'nothing of the kind happened')
  }
}

export interface Usage {
  readonly row: ShownRow
  readonly detail: string
  readonly said: string
}

/** Checks who uses a quota and its safe pace, as the sentences and Glance's short lines show them. */
export function inUsage({ row, detail, said }: Usage, looks: readonly Look[], look: Look, note: Note): void {
  const none = /no use measured/i.test(detail)
  const others =
    /[Oo]thers(?:(?: on this key)? use about)? ([\d.–]+)\/s/.exec(detail)?.[1] ?? (none ? '0' : undefined)
  const own = /(?:Headroom uses|\bown) ([\d.]+)\/s/.exec(detail)?.[1] ?? (none ? '0' : undefined)
  const safe = /(?:[Ss]afe pace:?|[Ss]low(?: it)? to|\d+ now, (?:then|or)) (1 per [\d.]+ s|none)/.exec(
    detail,
  )?.[1]
  if (others !== undefined) inOthers({ ...row, others }, looks, said, note)
  if (own !== undefined) inOwn({ ...row, own }, look, said, note)
  if (safe !== undefined) inSafePace({ ...row, safe }, looks, said, note)
}

/**
 * Reports a quota that has become empty, although the headline said within the last ten minutes that none
 * would run out.
 */
export function brokenPromise(looks: readonly Look[], note: Note): void {
  const [former, now] = [looks.at(-2), looks.at(-1)]
  if (now === undefined) return
  for (const { category, remaining } of now.after.requests) {
    const was = former?.after.requests.find((one) => one.category === category)?.remaining ?? 1
    if (remaining >= 1 || was < 1) continue
    const promised = looks.find(
      ({ shown }) =>
        shown.atMs >= now.shown.atMs - PROMISED_MS &&
        /^No (?:checked )?quota runs out within 10 min/.test(shown.headline.text),
    )
    if (promised !== undefined) {
      note(
        'forecast',
        promised.shown.headline.text,
        `${category} empty at ${new Date(now.after.at).toISOString()}`,
        promised.shown.atMs,
      )
    }
  }
}
