import { countOf, longestNamed, numberOf, unforeseen } from './counted.ts'
import { inUsage, OF_QUOTA } from './headline-rules.ts'
import { delayMs, type Look, MIDDLE, type Note } from './look.ts'
import { inState } from './row-rules.ts'

/** The open alerts: each names a state that is so, with the numbers of now; what is empty or refused has one. */
export function inAlerts(looks: readonly Look[], look: Look, note: Note): void {
  const { alerts, shown, after } = look
  for (const { titles, body } of alerts) {
    for (const title of titles) inAlert(title, titles.length === 1 ? body : '', looks, look, note)
  }
  // The window of alerts may be as late as the other is early.
  const former = looks.findLast((one) => one !== look && one.shown.atMs <= shown.atMs - delayMs(look))
  const lately = former === undefined ? [] : looks.slice(looks.indexOf(former))
  const isTold = (category: string) =>
    alerts.some(({ titles }) => titles.some((title) => longestNamed(title, after) === category))
  for (const { category, state } of shown.rows) {
    const states = lately.map((one) => one.shown.rows.find((row) => row.category === category)?.state ?? '')
    if (states.length > 0 && states.every(isGrave) && !isTold(category)) {
      note('alert', `${category}: ${state}, but no alert`, countOf(category, look)?.told ?? 'no use')
    }
  }
}

/** A quota that cannot be called. */
const isGrave = (state: string): boolean => /^(empty|429)\b/.test(state)

function inAlert(title: string, body: string, looks: readonly Look[], look: Look, note: Note): void {
  const said = `alert: ${title}. ${body}`
  const category = longestNamed(title, look.after)
  const count = category === undefined ? undefined : countOf(category, look)
  if (category === undefined || count === undefined) {
    note('alert', said, 'nothing of the kind happened')
    return
  }
  const word = title.slice(category.length).trim()
  if (word === 'can be called again') {
    if (count.most < 1) note('alert', said, count.told)
  } else if (OF_QUOTA.test(word)) {
    inState({ category, told: word, said }, looks, (_, __, counted) => note('alert', said, counted))
  } else if (word !== 'ok') note('alert', said, 'nothing of the kind happened')

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
