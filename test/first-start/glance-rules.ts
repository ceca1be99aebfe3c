import { countOf, longestNamed } from './counted.ts'
import { inUsage, isCalm, isToldOf, OF_QUOTA } from './headline-rules.ts'
import { tokenContradicted } from './key-rules.ts'
import { isUnsettledNow, type Look, MIDDLE, type Note } from './look.ts'
import { inState } from './row-rules.ts'

/** Checks the page Glance: its word, its large number, its sentences, its cards and the facts below them. */
export function inGlance(looks: readonly Look[], look: Look, note: Note): void {
  const { glance, shown, after } = look
  const { word, subject, lines, caption, number, cards, facts } = glance
  const said = `glance: ${word} ${subject}, ${caption} ${number}, ${lines.join(' ')}`
  const own = (_: unknown, __: string, counted: string) => note('glance', said, counted)
  if (isCalm(word)) {
    for (const { category, state } of shown.rows) {
      if (state !== 'not checked') inState({ category, told: 'ok', said }, looks, own)
    }
  } else if (OF_QUOTA.test(word)) {
    const category = longestNamed(subject, after)
    const share = caption === 'left' && number.endsWith('%') ? number : ''
    if (category === undefined) note('glance', said, 'no such quota')
    else inState({ category, told: `${word} ${share}`.trim(), said }, looks, own)
    const row = shown.rows.find((one) => one.category === category)
    if (row !== undefined) inUsage({ row, detail: lines.join(' '), said }, looks, look, note)
  } else if (!isToldOf(word, look)) note('glance', said, 'nothing of the kind happened')

  const tightest = /^tightest: (.+)$/.exec(caption)?.[1]
  const count = tightest === undefined ? undefined : countOf(tightest, look)
  if (count !== undefined && !isWithin(number, count)) note('glance', said, count.told)

  for (const { label, subject: category, note: beside } of cards) {
    const card = `card: ${label} ${category} ${beside}`
    if (OF_QUOTA.test(label)) {
      inState({ category, told: `${label} ${beside}`.trim(), said: card }, looks, note)
    } else if (!isToldOf(label, look)) note('glance', card, 'nothing of the kind happened')
  }
  if (/silent/.test(facts['Streams'] ?? '') && !isUnsettledNow(look)) {
    note('glance', `streams: ${facts['Streams']}`, `${after.streams.length} open, none kept silent`)
  }
  const token = facts['Token'] ?? ''
  const left = tokenContradicted(token, look)
  if (left !== undefined) note('glance', `token: ${token}`, left)
}

/** Whether a share such as `17 %` matches the count. */
function isWithin(
  share: string,
  { fewest, most, limit }: { fewest: number; most: number; limit: number },
): boolean {
  const told = Number(/^(\d+) %$/.exec(share)?.[1] ?? Number.NaN) / 100
  return Number.isNaN(told) || (told <= most / limit + MIDDLE && told >= fewest / limit - MIDDLE)
}
