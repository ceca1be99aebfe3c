import { countOf, numberOf, unforeseen } from './counted.ts'
import { inUsage, OF_QUOTA } from './headline-rules.ts'
import { delayMs, type Look, MIDDLE, type Note } from './look.ts'
import { inState } from './row-rules.ts'
import { EXPECTED, isUnsettled } from './troubles.ts'

/** How long a condition that is caused by others must last before it is announced. */
const HOLD_MS = 10_000

/**
 * Checks the open alerts. Each must name a state that is true, with the current numbers. Each quota that is
 * empty or gets 429 must have an alert.
 */
export function inAlerts(looks: readonly Look[], look: Look, note: Note): void {
  const { alerts, shown } = look
  for (const { titles, body } of alerts) {
    for (const title of titles) inAlert(title, titles.length === 1 ? body : '', looks, look, note)
  }
  // The alerts are read from another window, which may be later than this one by `delayMs`.
  const former = looks.findLast(
    (one) => one !== look && one.shown.atMs <= shown.atMs - HOLD_MS - delayMs(look),
  )
  const lately = former === undefined ? [] : looks.slice(looks.indexOf(former))
  const isTold = (category: string) =>
    alerts.some(({ titles }) => titles.some((title) => quotaOf(title, look)?.category === category))
  for (const { category, state } of shown.rows) {
    const states = lately.map((one) => one.shown.rows.find((row) => row.category === category)?.state ?? '')
    if (states.length > 0 && states.every(isGrave) && !isTold(category)) {
      note('alert', `${category}: ${state}, but no alert`, countOf(category, look)?.told ?? 'no use')
    }
  }
}

/** A quota that cannot be called. */
const isGrave = (state: string): boolean => /^(empty|429)\b/.test(state)

/** How the title of an alert says the state of a quota. */
const TITLES: readonly (readonly [title: RegExp, state: string])[] = [
  [/^429 on (.+)$/, '429'],
  [/^(.+) is empty$/, 'empty'],
  [/^(.+) (?:runs out .+|is about to run out|may run out within .+|was running out)$/, 'running out'],
  [/^(.+) may run out as early as .+$/, 'watch'],
  [/^(.+) (?:is|may be) low$/, 'low'],
  [/^(.+) (?:can be called again|may have recovered)$/, 'can be called again'],
  [/^(.+) recovered$/, 'recovered'],
]

/** The quota and its state in a title. `undefined` for other titles. */
function quotaOf(
  title: string,
  look: Look,
): { readonly category: string; readonly word: string } | undefined {
  for (const [pattern, word] of TITLES) {
    const category = pattern.exec(title)?.[1]
    if (category !== undefined && countOf(category, look) !== undefined) return { category, word }
  }
  return undefined
}

/** Whether an alert is about a fault that lasts or ended lately, or about its end. */
const isAlertOfTrouble = (title: string, { troubles, shown }: Look): boolean =>
  // Restarting streams are shown until their restarts no longer count.
  (/streams? keeps? restarting$/.test(title) && troubles.length > 0) ||
  troubles.some(
    (one) =>
      isUnsettled(one, shown.atMs) && (title === 'Mine recovered' || EXPECTED[one.kind].alert.test(title)),
  )

function inAlert(title: string, body: string, looks: readonly Look[], look: Look, note: Note): void {
  const said = `alert: ${title}. ${body}`
  const { category, word = '' } = quotaOf(title, look) ?? {}
  const count = category === undefined ? undefined : countOf(category, look)
  if (category === undefined || count === undefined) {
    if (isAlertOfTrouble(title, look)) return
    note('alert', said, 'nothing of the kind happened')
    return
  }
  if (word === 'can be called again') {
    if (count.most < 1) note('alert', said, count.told)
  } else if (OF_QUOTA.test(word)) {
    const share = word === 'low' ? (/^\d+(?:–\d+)? %/.exec(body)?.[0] ?? '') : ''
    const told = `${word} ${share}`.trim()
    inState({ category, told, said }, looks, (_, __, counted) => note('alert', said, counted))
  }
  const [, left = ''] = /(\d+(?:–\d+)?) of \d+ left/.exec(body) ?? []
  if (left !== '') {
    const [low, high] = numberOf({ left, limit: count.limit })
    const apart = low === high ? count.limit * MIDDLE : 0
    if (low > count.most + apart + unforeseen(category, looks) || high < count.fewest - apart) {
      note('alert', said, count.told)
    }
  }
  const row = look.shown.rows.find((one) => one.category === category)
  if (row !== undefined) inUsage({ row, detail: body, said }, looks, look, note)
}
