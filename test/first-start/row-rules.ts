import { type Count, countOf, lastRefusalMs, numberOf, othersOf, unforeseen } from './counted.ts'
import { delayMs, isUnsettledNow, type Look, MIDDLE, type Note, PUSH_MS, SOME_USE } from './look.ts'
import type { ShownRow } from './shown.ts'
import { durationMs, timeOfDayMs } from './times.ts'
import { isUnsettled } from './troubles.ts'

/** Share of the limit below which a row is low by default. */
const LOW = 0.2
/**
 * Tolerance of the time at which a quota is full, as a share of the period. The time follows from the
 * displayed number.
 */
const FULL_AT = 0.15
/** Time over which own use is compared with what is shown. */
const OWN_MS = 60_000
/** Maximum delay of a check after its announced time. The checks are evaluated once a second. */
const CHECK_MS = 5_000

/** Checks a row of the table: its state, number, age, time until full, use, safe pace and next check. */
export function inRow(row: ShownRow, looks: readonly Look[], look: Look, note: Note): void {
  const count = countOf(row.category, look)
  if (count === undefined) {
    // The simulator has counted no request of this row, so the row must be full.
    const [, high] = numberOf(row)
    if (high < row.limit) note('number', `${row.category}: ${row.left}`, 'no use')
    return
  }
  const { fewest, most, limit, told } = count
  const said = `${row.category}: ${row.state}, ${row.left} of ${row.limit}, others ${row.others}/s, ${row.age} old`
  if (row.limit !== limit) note('number', said, `a limit of ${limit}`)
  inState({ category: row.category, told: row.state, said }, looks, note)
  inAge(row, look, said, note)
  inNextCheck(row, looks, note)
  // An unchecked or rejected row shows the number of its last header, so its number is not compared.
  if (/^(?:not checked|rejected)$/.test(stateOf(row.state) ?? '')) return
  const [low, high] = numberOf(row)
  const apart = low === high ? limit * MIDDLE : 0
  if (low > most + apart + unforeseen(row.category, looks) || high < fewest - apart) {
    note('number', said, told)
  }
  inFullAt(row, count, look, said, note)
  inOthers(row, looks, said, note)
  inOwn(row, look, said, note)
  inSafePace(row, looks, said, note)
}

/**
 * The state's word, without the share, the time or the note after it; `undefined` where it isn't known here.
 */
function stateOf(told: string): string | undefined {
  return /^(ok|watch|low|running out|empty|429|not checked|measuring|rejected)(?= |$)/.exec(told)?.[1]
}

interface ToldState {
  readonly category: string
  readonly told: string
  readonly said: string
}

/** A state of a quota by its word, and the text after it, wherever it is shown. */
export function inState({ category, told, said }: ToldState, looks: readonly Look[], note: Note): void {
  const look = looks.at(-1)
  const count = look && countOf(category, look)
  if (look === undefined || count === undefined) return
  const { fewest, most, limit, isFull, told: counted } = count
  switch (stateOf(told)) {
    case 'ok':
    case 'watch':
      if (most + unforeseen(category, looks) < limit * LOW) note('state', said, counted)
      return
    case 'low': {
      const [, from, to = from] = /(\d+)(?:–(\d+))? %/.exec(told) ?? []
      const [least, greatest] = [Number(from) / 100, Number(to) / 100]
      if (least > most / limit + MIDDLE || greatest < fewest / limit - MIDDLE) note('state', said, counted)
      return
    }
    case 'running out':
      if (isFull) note('state', said, counted)
      return
    case 'empty':
      if (fewest > limit * MIDDLE) note('state', said, counted)
      return
    case '429':
      if (lastRefusalMs(category, look) === undefined) note('429', said, 'no 429 in its period')
      return
    case 'not checked':
    case 'measuring':
      return
    case 'rejected':
      // An expired token is rejected too if no other token can be obtained.
      if (
        !look.troubles.some(
          (one) => (one.kind === 'token' || one.kind === 'sign-in') && isUnsettled(one, look.shown.atMs),
        )
      ) {
        note('state', said, 'no answer was a 401')
      }
      return
    default:
      note('state', said, 'a state that is not known here')
  }
}

/** A row’s age is that of the newest answer with a header. */
function inAge({ category, age }: ShownRow, look: Look, said: string, note: Note): void {
  const { shown, after } = look
  const headers = after.ledger.filter(
    (one) =>
      one.category === category && (one.status === 200 || one.status === 429) && one.atMs <= shown.atMs,
  )
  const shownMs = durationMs(age)
  const last = headers.at(-1)
  if (shownMs === undefined || last === undefined) return
  // A displayed age in minutes is rounded down to whole minutes.
  const stepMs = /min|h/.test(age) && !/ s/.test(age) ? 60_000 : 1_000
  const leewayMs = PUSH_MS + delayMs(look)
  const fits = ({ atMs }: { readonly atMs: number }) => {
    const realMs = shown.atMs - atMs
    return shownMs <= realMs + leewayMs && shownMs >= realMs - stepMs - leewayMs
  }
  // The newest responses may not have been pushed yet.
  const pushed = headers.findLast(({ atMs }) => atMs < shown.atMs - PUSH_MS - leewayMs)
  const mayBe = pushed === undefined ? headers : headers.slice(headers.indexOf(pushed))
  if (!mayBe.some(fits)) {
    note('age', said, `answered ${((shown.atMs - last.atMs) / 1000).toFixed(1)} s before`)
  }
}

function inFullAt(row: ShownRow, count: Count, look: Look, said: string, note: Note): void {
  const { shown } = look
  const { fullAt } = row
  const sentence = `${said}, full at ${fullAt}`
  if (fullAt === 'full') {
    if (count.most < count.limit * (1 - MIDDLE)) note('full-at', sentence, count.told)
    return
  }
  const saidMs = timeOfDayMs(fullAt, shown.atMs)
  if (saidMs === undefined) return
  // The displayed time is that of the middle of the range.
  const [low, high] = numberOf(row)
  const refillMs = (count.periodSeconds / count.limit) * 1000
  const toleranceMs = FULL_AT * count.periodSeconds * 1000 + ((high - low) / 2) * refillMs + delayMs(look)
  if (Math.abs(saidMs - Math.max(count.fullAtMs, shown.atMs)) > toleranceMs) {
    note('full-at', sentence, `full ${new Date(count.fullAtMs).toISOString()}`)
  }
}

/**
 * Compares the displayed rate of others with their requests since before the last header. Reports use where
 * there was none at all, and no use where there was much.
 */
export function inOthers(row: ShownRow, looks: readonly Look[], said: string, note: Note): void {
  const [least, most = least] = row.others.split('–').map((text) => (text === '0' ? 0 : Number(text)))
  const use = othersOf(row, looks)
  if (least === undefined || most === undefined || Number.isNaN(most) || use === undefined) return
  if (use.rates.every((rate) => rate === 0) && least >= SOME_USE) note('others', said, 'none for as long')
  if (use.rates.every((rate) => rate >= SOME_USE) && most === 0) {
    note('others', said, `${use.mean.toFixed(2)}/s all the time`)
  }
}

/**
 * Compares own use with the requests that the simulator received from this app. Others' requests are not
 * included.
 */
export function inOwn({ category, own }: ShownRow, look: Look, said: string, note: Note): void {
  const { shown, after } = look
  const told = Number(own)
  if (own === '' || Number.isNaN(told)) return
  const lateMs = delayMs(look)
  const since = (ms: number) =>
    after.ledger.filter((one) => one.category === category && one.atMs > shown.atMs - ms)
  const made = since(OWN_MS).filter(({ atMs }) => atMs <= shown.atMs - lateMs).length / (OWN_MS / 1000)
  if (told === 0 && made >= SOME_USE) note('own', `${said}, own ${own}/s`, `${made.toFixed(2)}/s lately`)
  if (told >= SOME_USE && since(3 * OWN_MS + lateMs).length === 0)
    note('own', `${said}, own ${own}/s`, 'none lately')
}

/**
 * Reports a safe pace that exceeds the refill together with others' minimum use. Also reports `none` if there
 * are no others.
 */
export function inSafePace(row: ShownRow, looks: readonly Look[], said: string, note: Note): void {
  const look = looks.at(-1)
  const count = look && countOf(row.category, look)
  const use = othersOf(row, looks)
  if (count === undefined || use === undefined || use.rates.length === 0) return
  const sentence = `${said}, safe pace ${row.safe}`
  const refill = count.limit / count.periodSeconds
  const everySeconds = Number(/^1 per (\d+(?:\.\d+)?) s$/.exec(row.safe)?.[1] ?? Number.NaN)
  if (1 / everySeconds + Math.min(...use.rates) > refill * 1.1 + SOME_USE / 2) {
    note('safe', sentence, `others ${use.mean.toFixed(2)}/s of ${refill.toFixed(2)}/s`)
  }
  if (row.safe === 'none' && use.rates.every((rate) => rate === 0)) note('safe', sentence, 'no others')
}

/** Reports a check that did not come when it was announced. */
function inNextCheck({ category }: ShownRow, looks: readonly Look[], note: Note): void {
  const now = looks.at(-1)
  if (now === undefined) return
  const at = (look: Look) => look.shown.rows.find((row) => row.category === category)
  const since = looks.findLast((look, index) => {
    const row = at(look)
    const dueMs = row?.nextCheck === 'now' ? 0 : durationMs(row?.nextCheck ?? '')
    const lateMs = Math.max(...looks.slice(index).map(delayMs))
    return dueMs !== undefined && look.shown.atMs + dueMs + CHECK_MS + lateMs <= now.before.at
  })
  const told = since && at(since)
  if (since === undefined || told === undefined) return
  const steps = looks.slice(looks.indexOf(since))
  if (steps.some(isUnsettledNow)) return
  // A change of state also changes the next check. After a 429, and for an empty row, it comes later.
  if (steps.some((look) => at(look)?.state.split(' ')[0] !== told.state.split(' ')[0])) return
  const fromMs = since.before.at - PUSH_MS - delayMs(since)
  if (now.after.ledger.some((one) => one.category === category && one.atMs > fromMs)) return
  note('check', `${category}: next check ${told.nextCheck}`, 'none came', since.shown.atMs)
}
