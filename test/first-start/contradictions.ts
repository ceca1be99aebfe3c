import type { Shown, ShownRow } from './shown.ts'
import type { Truth } from './truth.ts'

/** A look at the window between two looks into the simulator's books. */
export interface Look {
  readonly before: Truth
  readonly shown: Shown
  readonly after: Truth
}

/** One sentence of the window that the simulator's count contradicts. */
export interface Contradiction {
  readonly atMs: number
  readonly rule: Rule
  readonly said: string
  readonly counted: string
}

export type Rule =
  | 'state'
  | 'number'
  | 'others'
  | 'full-at'
  | 'age'
  | '429'
  | 'slots'
  | 'streams'
  | 'token'
  | 'forecast'

/** Main pushes at most four times a second, and the window moves its clock twice a second. */
const PUSH_MS = 1_000
/** What may have happened since the push. Requests. */
const SLACK = 2
/** The share of the limit under which a row is low, as on a first start. */
const LOW = 0.2
/** How far a number without a range may be off: a range is told from a tenth of the limit on. */
const MIDDLE = 0.1
/** A time of day at which it is full follows from that number. Share of the period. */
const FULL_AT = 0.15
/** How long the headline promises that no quota will run out. */
const PROMISED_MS = 10 * 60_000
/** How long use by others has to have begun or ended to be held against what is said of it, beyond the last header. */
const USE_MS = 30_000
/** Use that is worth a sentence, requests per second. */
const SOME_USE = 0.3

const ACCESS_LIFETIME_MS = 1_200_000

/**
 * Everything in the last look that is not so, by the simulator's books; `looks` are all so far, the last one included. A
 * forecast is told as false once it was, with the moment when it was shown.
 */
export function contradictions(looks: readonly Look[]): readonly Contradiction[] {
  const look = looks.at(-1)
  if (look === undefined) return []
  const { shown } = look
  const found: Contradiction[] = []
  const note = (rule: Rule, said: string, counted: string, atMs = shown.atMs) =>
    void found.push({ atMs, rule, said, counted })
  for (const row of shown.rows) inRow(row, looks, look, note)
  inEvents(look, note)
  inStreams(look, note)
  inToken(look, note)
  brokenPromise(looks, note)
  return found
}

type Note = (rule: Rule, said: string, counted: string, atMs?: number) => void

/** The count of a category around the look: use can only have lowered it, and what comes back only raised it. */
function countOf(category: string, { before, after }: Look) {
  const [first, last] = [before, after].map(({ requests }) =>
    requests.find((request) => request.category === category),
  )
  if (first === undefined || last === undefined) return undefined
  const { limit, periodSeconds } = last
  const slack = SLACK + Math.ceil((limit / periodSeconds) * ((after.at - before.at) / 1000 + PUSH_MS / 1000))
  return {
    limit,
    periodSeconds,
    isFull: first.remaining >= limit && last.remaining >= limit,
    fewest: Math.max(0, Math.min(first.remaining, last.remaining) - slack),
    most: Math.min(limit, Math.max(first.remaining, last.remaining) + slack),
    fullAtMs: last.remaining >= limit ? after.at : after.at + last.resetSeconds * 1000,
    told: `${first.remaining} to ${last.remaining} of ${limit}`,
  }
}

function inRow(row: ShownRow, looks: readonly Look[], look: Look, note: Note): void {
  const count = countOf(row.category, look)
  if (count === undefined) {
    // What answers speak of and nothing is counted against is full.
    const [, high] = numberOf(row)
    if (high < row.limit) note('number', `${row.category}: ${row.left}`, 'no use')
    return
  }
  const { fewest, most, limit, isFull, told } = count
  const said = `${row.category}: ${row.state}, ${row.left} of ${row.limit}, others ${row.others}/s, ${row.age} old`
  if (row.limit !== limit) note('number', said, `a limit of ${limit}`)
  const state = row.state.replace(/ \d.*$| could run out$| now$| within.*$/, '')
  switch (state) {
    case 'ok':
      if (most < limit * LOW) note('state', said, told)
      break
    case 'low': {
      const share = Number(/(\d+) %/.exec(row.state)?.[1] ?? Number.NaN) / 100
      if (share > most / limit + MIDDLE || share < fewest / limit - MIDDLE) note('state', said, told)
      break
    }
    case 'running out':
      if (isFull) note('state', said, told)
      break
    case 'empty':
      if (fewest > limit * MIDDLE) note('state', said, told)
      break
    case '429':
      if (lastRefusalMs(row.category, look) === undefined) note('429', said, 'no 429 in its period')
      break
    case 'not checked':
      break
    default:
      note('state', said, 'a state that is not known here')
  }
  const [low, high] = numberOf(row)
  const apart = low === high ? limit * MIDDLE : 0
  if (low > most + apart || high < fewest - apart) note('number', said, told)
  inAge(row, look, said, note)
  if (state !== 'not checked') inFullAt(row, count, look, said, note)
  inOthers(row, looks, said, note)
}

/** What is left as it is told: a range, or twice the same; all that may be where nothing is told. */
function numberOf({ left, limit }: ShownRow): readonly [number, number] {
  if (left === '–') return [0, limit]
  const [low = 0, high = low] = left.replace('~', '').split('–').map(Number)
  return [low, high]
}

/** A row’s age is that of the newest answer with a header. */
function inAge({ category, age }: ShownRow, { shown, after }: Look, said: string, note: Note): void {
  const headers = after.ledger.filter(
    (one) =>
      one.category === category && (one.status === 200 || one.status === 429) && one.atMs <= shown.atMs,
  )
  const shownMs = durationMs(age)
  const last = headers.at(-1)
  if (shownMs === undefined || last === undefined) return
  // An age in minutes is rounded down to one.
  const stepMs = /min|h/.test(age) && !/ s/.test(age) ? 60_000 : 1_000
  const realMs = shown.atMs - last.atMs
  // The answer that is newest by now may not have been pushed yet.
  const former = shown.atMs - (headers.at(-2)?.atMs ?? last.atMs)
  const fits = (ms: number) => shownMs <= ms + PUSH_MS && shownMs >= ms - stepMs - PUSH_MS
  if (!fits(realMs) && !(realMs <= 2 * PUSH_MS && fits(former))) {
    note('age', said, `answered ${(realMs / 1000).toFixed(1)} s before`)
  }
}

type Count = NonNullable<ReturnType<typeof countOf>>

function inFullAt({ fullAt }: ShownRow, count: Count, look: Look, said: string, note: Note): void {
  const { shown } = look
  const sentence = `${said}, full at ${fullAt}`
  if (fullAt === 'full') {
    if (count.most < count.limit * (1 - MIDDLE)) note('full-at', sentence, count.told)
    return
  }
  const saidMs = timeOfDayMs(fullAt, shown.atMs)
  if (saidMs === undefined) return
  const toleranceMs = FULL_AT * count.periodSeconds * 1000
  if (Math.abs(saidMs - Math.max(count.fullAtMs, shown.atMs)) > toleranceMs) {
    note('full-at', sentence, `full ${new Date(count.fullAtMs).toISOString()}`)
  }
}

/** What others did since the header before, and lately: no use where there was much of it, much where there was none. */
function inOthers(row: ShownRow, looks: readonly Look[], said: string, note: Note): void {
  const [least, most = least] = row.others.split('–').map((text) => (text === '0' ? 0 : Number(text)))
  const now = looks.at(-1)
  const ageMs = durationMs(row.age)
  if (least === undefined || most === undefined || Number.isNaN(most) || !now || ageMs === undefined) return
  const made = (truth: Truth) => {
    const elsewhere = truth.requests.find(({ category }) => category === row.category)?.elsewhere
    return elsewhere === undefined ? 0 : elsewhere.accepted + elsewhere.refused
  }
  const fromMs = now.shown.atMs - 2 * (ageMs + USE_MS)
  const from = looks.findLast(({ shown }) => shown.atMs <= fromMs)
  if (from === undefined) return
  // At each step of that time, or the rate is that of a change in the midst of it.
  const steps = looks.slice(looks.indexOf(from))
  const rates = steps.slice(1).map((step, index) => {
    const before = steps[index] ?? from
    return (made(step.after) - made(before.after)) / ((step.after.at - before.after.at) / 1000)
  })
  const mean = (made(now.after) - made(from.after)) / Math.max(1, (now.after.at - from.after.at) / 1000)
  if (rates.every((rate) => rate === 0) && least >= SOME_USE) note('others', said, 'none for as long')
  if (rates.every((rate) => rate >= SOME_USE) && most === 0) {
    note('others', said, `${mean.toFixed(2)}/s all the time`)
  }
}

/** The 429 that the row may be told of: within one period. */
function lastRefusalMs(category: string, { after }: Look): number | undefined {
  const period = after.requests.find((request) => request.category === category)?.periodSeconds ?? 0
  return after.ledger.findLast(
    (one) => one.category === category && one.status === 429 && one.atMs > after.at - (period + 5) * 1000,
  )?.atMs
}

/** Each 429 that is told was counted, and each that was counted is told. */
function inEvents({ before, shown, after }: Look, note: Note): void {
  const told = shown.events.filter(({ kind }) => kind === 'rate-limited')
  const counted = after.ledger.filter(({ status, category }) => status === 429 && category !== undefined)
  const startMs = after.ledger[0]?.atMs ?? shown.atMs
  for (const { atMs, text } of told) {
    if (atMs < startMs - PUSH_MS) continue
    if (
      !counted.some((one) => text.includes(one.category ?? '?') && Math.abs(one.atMs - atMs) <= 2 * PUSH_MS)
    ) {
      note('429', `${text}, at ${new Date(atMs).toISOString()}`, 'no such 429')
    }
  }
  for (const { category = '?', atMs } of counted) {
    if (atMs > before.at - 2 * PUSH_MS) continue
    const isTold = told.some((one) => one.text.includes(category) && Math.abs(one.atMs - atMs) <= 2 * PUSH_MS)
    if (!isTold) note('429', 'no line', `a 429 of ${category} at ${new Date(atMs).toISOString()}`)
  }
}

function inStreams({ before, shown, after }: Look, note: Note): void {
  const isSteady = before.streams.length === after.streams.length
  const open = Number(/(\d+) open/.exec(shown.ownStreams)?.[1] ?? 0)
  if (isSteady && open !== after.streams.length) {
    note('streams', `own streams: ${shown.ownStreams}`, `${after.streams.length} open`)
  }
  const silent = /(\d+) silent/.exec(shown.aspects['streams'] ?? '')?.[0]
  // Nothing here keeps a stream from its heartbeats.
  if (silent !== undefined)
    note('streams', `streams: ${silent}`, `${after.streams.length} open, none kept silent`)
  for (const group of shown.slots) {
    const is = after.slots.find(({ category }) => category === group.category)
    const said = `${group.category}: ${group.used}/${group.limit}, ${group.free}`
    if (is === undefined || group.source !== 'header') continue
    const free = group.free === 'FULL' ? 0 : Number.parseInt(group.free, 10)
    const isSame = group.limit === is.limit && group.used === is.limit - is.remaining && free === is.remaining
    if (isSteady && !isSame) note('slots', said, `${is.remaining} of ${is.limit} free, ${is.own} own`)
  }
}

function inToken({ shown, after }: Look, note: Note): void {
  const left = durationMs(shown.accessToken)
  const issued = after.ledger.findLast(({ path, status }) => path === '/oauth/token' && status === 200)
  if (left === undefined || issued === undefined) return
  const real = issued.atMs + ACCESS_LIFETIME_MS - shown.atMs
  if (Math.abs(real - left) > 2 * PUSH_MS + 1_000 && shown.atMs - issued.atMs > 2 * PUSH_MS) {
    note('token', `access token: ${shown.accessToken} left`, `${Math.round(real / 1000)} s left`)
  }
}

/** A quota that is empty now, although the headline said within the last ten minutes that none would run out. */
function brokenPromise(looks: readonly Look[], note: Note): void {
  const [former, now] = [looks.at(-2), looks.at(-1)]
  if (now === undefined) return
  for (const { category, remaining } of now.after.requests) {
    const was = former?.after.requests.find((one) => one.category === category)?.remaining ?? 1
    if (remaining >= 1 || was < 1) continue
    const promised = looks.find(
      ({ shown }) =>
        shown.atMs >= now.shown.atMs - PROMISED_MS &&
        shown.headline.text.includes('No quota will run out in the next 10 min'),
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

/** `14 min 32 s`, `4 min ago`, `12 s` in milliseconds; `undefined` for other texts. */
export function durationMs(text: string): number | undefined {
  const units: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 }
  const parts = [...text.matchAll(/(\d+) (s|min|h|d)\b/g)]
  return parts.length === 0
    ? undefined
    : parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0)
}

/** The moment of `14:35:16` that is nearest to `nowMs`, in this machine’s zone. */
export function timeOfDayMs(text: string, nowMs: number): number | undefined {
  const [, hours, minutes, seconds] = /^(\d\d):(\d\d):(\d\d)$/.exec(text) ?? []
  if (hours === undefined) return undefined
  const at = new Date(nowMs)
  at.setHours(Number(hours), Number(minutes), Number(seconds), 0)
  const day = 86_400_000
  const apart = at.getTime() - nowMs
  return at.getTime() - (apart > day / 2 ? day : apart < -day / 2 ? -day : 0)
}
