import { madeByOthers, USE_MS } from './counted.ts'
import { delayMs, type Look, type Note, PUSH_MS, SOME_USE } from './look.ts'

/** Maximum time between the start of others' use and its line in the log: the time between two headers. */
const USE_LINE_MS = 5 * 60_000

/** Each shown 429 was counted, and each counted one is shown. */
export function inEvents(looks: readonly Look[], look: Look, note: Note): void {
  const { before, shown, after } = look
  // The app may record a 429 as late as it was at that time.
  const apartMs = (atMs: number) => 2 * PUSH_MS + delayMs(looks.find((one) => one.shown.atMs >= atMs) ?? look)
  const told = shown.events.filter(({ kind }) => kind === 'rate-limited')
  const counted = after.ledger.filter(({ status, category }) => status === 429 && category !== undefined)
  const startMs = after.ledger[0]?.atMs ?? shown.atMs
  for (const { atMs, text } of told) {
    if (atMs < startMs - PUSH_MS) continue
    const isThis = (one: { readonly atMs: number; readonly category?: string | undefined }) =>
      text.includes(one.category ?? '?') && Math.abs(one.atMs - atMs) <= apartMs(atMs)
    if (!counted.some(isThis)) {
      note('429', `${text}, at ${new Date(atMs).toISOString()}`, 'no such 429')
    }
  }
  for (const { category = '?', atMs } of counted) {
    if (atMs > before.at - 2 * PUSH_MS - delayMs(look)) continue
    const isTold = told.some(
      (one) => one.text.includes(category) && Math.abs(one.atMs - atMs) <= apartMs(one.atMs),
    )
    if (!isTold) note('429', 'no line', `a 429 of ${category} at ${new Date(atMs).toISOString()}`)
  }
}

/**
 * Where a line says that others began, they must have sent requests lately. Where it says that they stopped,
 * they must not have continued.
 */
export function inUseEvents(looks: readonly Look[], { shown, after }: Look, note: Note): void {
  for (const { atMs, kind, text } of shown.events) {
    const isEnd = kind === 'elsewhere-ended'
    if (!isEnd && kind !== 'elsewhere') continue
    const from = looks.findLast((look) => look.shown.atMs <= atMs - (isEnd ? USE_MS : USE_LINE_MS))
    const to = looks.find((look) => look.shown.atMs >= atMs)
    if (from === undefined || to === undefined) continue
    for (const { category } of after.requests) {
      if (!text.includes(category)) continue
      const steps = looks.slice(looks.indexOf(from), looks.indexOf(to) + 1)
      const made = steps.map((look) => madeByOthers(category, look.after))
      const seconds = (to.after.at - from.after.at) / 1000
      const isSteady = made.every((sum, at) => at === 0 || sum > (made[at - 1] ?? 0))
      const rate = ((made.at(-1) ?? 0) - (made[0] ?? 0)) / Math.max(1, seconds)
      if (!isEnd && rate === 0) note('others', text, `none of ${category} by others`, atMs)
      if (isEnd && isSteady && rate >= SOME_USE)
        note('others', text, `${rate.toFixed(2)}/s at that time`, atMs)
    }
  }
}
