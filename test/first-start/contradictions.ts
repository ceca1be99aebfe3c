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
  | 'headline'
  | 'own'
  | 'safe'
  | 'check'

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
/** A row that is looked at is checked at least as often. */
const FRESH_MS = 60_000
/** How far back own use is held against what is said of it. */
const OWN_MS = 60_000
/** How much later than it was said a check may come: the checks are looked through once a second. */
const CHECK_MS = 5_000
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
  inHeadline(looks, look, note)
  inOwnUse(look, note)
  inEvents(look, note)
  inUseEvents(looks, look, note)
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
  const { fewest, most, limit, told } = count
  const said = `${row.category}: ${row.state}, ${row.left} of ${row.limit}, others ${row.others}/s, ${row.age} old`
  if (row.limit !== limit) note('number', said, `a limit of ${limit}`)
  const state = row.state.replace(/ \d.*$| could run out$| now$| within.*$| recovering$| any moment$/, '')
  inState({ category: row.category, told: row.state, said }, looks, note)
  const [low, high] = numberOf(row)
  const apart = low === high ? limit * MIDDLE : 0
  if (low > most + apart + unforeseen(row.category, looks) || high < fewest - apart) {
    note('number', said, told)
  }
  inAge(row, look, said, note)
  if (state !== 'not checked') inFullAt(row, count, look, said, note)
  inOthers(row, looks, said, note)
  inOwn(row, look, said, note)
  inSafePace(row, looks, said, note)
  inNextCheck(row, looks, note)
}

interface ToldState {
  readonly category: string
  readonly told: string
  readonly said: string
}

/** A state of a quota by its word, and what stands beside it, wherever it is told. */
function inState({ category, told, said }: ToldState, looks: readonly Look[], note: Note): void {
  const look = looks.at(-1)
  const count = look && countOf(category, look)
  if (look === undefined || count === undefined) return
  const { fewest, most, limit, isFull, told: counted } = count
  const state = told.replace(/ \d.*$| could run out$| now$| within.*$| recovering$| any moment$/, '')
  switch (state) {
    case 'ok':
      if (most + unforeseen(category, looks) < limit * LOW) note('state', said, counted)
      return
    case 'low': {
      const share = Number(/(\d+) %/.exec(told)?.[1] ?? Number.NaN) / 100
      if (share > most / limit + MIDDLE || share < fewest / limit - MIDDLE) note('state', said, counted)
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
      return
    default:
      note('state', said, 'a state that is not known here')
  }
}

/** What is left as it is told: a range, or twice the same; all that may be where nothing is told. */
function numberOf({ left, limit }: Pick<ShownRow, 'left' | 'limit'>): readonly [number, number] {
  if (left === '–') return [0, limit]
  const [low = 0, high = low] = left.replace('~', '').split('–').map(Number)
  return [low, high]
}

/**
 * Requests of others since the row’s last header beyond what is said of their use: what they begin after it nobody can
 * know before the next one. 0 where the header is old, as such a row is checked again.
 */
function unforeseen(category: string, looks: readonly Look[]): number {
  const now = looks.at(-1)
  const row = now?.shown.rows.find((one) => one.category === category)
  const ageMs = durationMs(row?.age ?? '')
  if (now === undefined || row === undefined || ageMs === undefined || ageMs > FRESH_MS) return 0
  const from = looks.findLast(({ shown }) => shown.atMs <= now.shown.atMs - ageMs)
  const most = Number(row.others.split('–').at(-1))
  if (from === undefined || Number.isNaN(most)) return 0
  const made = madeByOthers(category, now.after) - madeByOthers(category, from.before)
  return Math.max(0, made - (most * ageMs) / 1000)
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
  const use = othersOf(row, looks)
  if (least === undefined || most === undefined || Number.isNaN(most) || use === undefined) return
  if (use.rates.every((rate) => rate === 0) && least >= SOME_USE) note('others', said, 'none for as long')
  if (use.rates.every((rate) => rate >= SOME_USE) && most === 0) {
    note('others', said, `${use.mean.toFixed(2)}/s all the time`)
  }
}

/** What others asked of a category by then, whether it was answered or refused. */
function madeByOthers(category: string, { requests }: Truth): number {
  const elsewhere = requests.find((request) => request.category === category)?.elsewhere
  return elsewhere === undefined ? 0 : elsewhere.accepted + elsewhere.refused
}

/**
 * What others made of a row from well before its last header until now, requests per second: at each step, or the rate
 * is that of a change in the midst of it, and on average. `undefined` before there are looks of all that time.
 */
function othersOf({ category, age }: Pick<ShownRow, 'category' | 'age'>, looks: readonly Look[]) {
  const now = looks.at(-1)
  const ageMs = durationMs(age)
  if (now === undefined || ageMs === undefined) return undefined
  const fromMs = now.shown.atMs - 2 * (ageMs + USE_MS)
  const from = looks.findLast(({ shown }) => shown.atMs <= fromMs)
  if (from === undefined) return undefined
  const made = (truth: Truth) => madeByOthers(category, truth)
  const steps = looks.slice(looks.indexOf(from))
  const rates = steps.slice(1).map((step, index) => {
    const before = steps[index] ?? from
    return (made(step.after) - made(before.after)) / ((step.after.at - before.after.at) / 1000)
  })
  const mean = (made(now.after) - made(from.after)) / Math.max(1, (now.after.at - from.after.at) / 1000)
  return { rates, mean }
}

/** Own use against the requests that the simulator got from this app, others’ not being among them. */
function inOwn({ category, own }: ShownRow, { shown, after }: Look, said: string, note: Note): void {
  const told = Number(own)
  if (own === '' || Number.isNaN(told)) return
  const within = (ms: number) =>
    after.ledger.filter((one) => one.category === category && one.atMs > shown.atMs - ms).length
  const made = within(OWN_MS) / (OWN_MS / 1000)
  if (told === 0 && made >= SOME_USE) note('own', `${said}, own ${own}/s`, `${made.toFixed(2)}/s lately`)
  if (told >= SOME_USE && within(3 * OWN_MS) === 0) note('own', `${said}, own ${own}/s`, 'none lately')
}

/** A safe pace beside the least that others made all the time, and `none` beside others that made nothing. */
function inSafePace(row: ShownRow, looks: readonly Look[], said: string, note: Note): void {
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

/** A check that was said to come now came by the next look, and one that was said for a moment came by then. */
function inNextCheck({ category }: ShownRow, looks: readonly Look[], note: Note): void {
  const now = looks.at(-1)
  if (now === undefined) return
  const at = (look: Look) => look.shown.rows.find((row) => row.category === category)
  const since = looks.findLast((look) => {
    const row = at(look)
    const dueMs = row?.nextCheck === 'now' ? 0 : durationMs(row?.nextCheck ?? '')
    return dueMs !== undefined && look.shown.atMs + dueMs + CHECK_MS <= now.before.at
  })
  const told = since && at(since)
  if (since === undefined || told === undefined) return
  const steps = looks.slice(looks.indexOf(since))
  // What a row may be asked follows its state: after a 429, and where it is empty, later.
  if (steps.some((look) => at(look)?.state.split(' ')[0] !== told.state.split(' ')[0])) return
  if (now.after.ledger.some((one) => one.category === category && one.atMs > since.before.at - PUSH_MS))
    return
  note('check', `${category}: next check ${told.nextCheck}`, 'none came', since.shown.atMs)
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

/** Words that the headline may begin with on a first start, beside those of a quota’s state. */
const CALM = /^(ok|ok so far)$/
const OF_QUOTA = /^(low|running out|empty|429)$/
const OF_OTHERS = /^(full|not checked|\d+ of \d+ silent)$/

/** The headline, its chips and the tab’s title: each names a state of a quota, or of something else that is so. */
function inHeadline(looks: readonly Look[], look: Look, note: Note): void {
  const { shown, after } = look
  const { word, text, detail } = shown.headline
  const said = `${text} ${detail}`
  if (!shown.title.includes(word)) note('headline', `tab: ${shown.title}`, `headline: ${word}`)
  const body = text.slice(word.length).trim()
  const subject = longestNamed(body, after)
  if (CALM.test(word)) {
    for (const { category, state } of shown.rows) {
      if (state !== 'not checked') {
        inState({ category, told: 'ok', said }, looks, (_, __, counted) =>
          note('headline', said, `${category}: ${counted}`),
        )
      }
    }
  } else if (OF_QUOTA.test(word)) {
    const share = /\d+ %/.exec(body)?.[0] ?? ''
    const told = body.includes('could run out') ? 'low could run out' : `${word} ${share}`.trim()
    if (subject === undefined) note('headline', said, 'no such quota')
    else inState({ category: subject, told, said }, looks, note)
  } else if (!OF_OTHERS.test(word)) {
    note('headline', said, 'nothing of the kind happened')
  }
  const row = shown.rows.find(({ category }) => category === subject)
  if (row !== undefined && subject !== undefined) inUsage({ row, detail, said }, looks, look, note)
  const tightest = /Tightest: (.+), (~?\d+(?:–\d+)?) of (\d+) left/.exec(detail)
  const count = countOf(tightest?.[1] ?? '', look)
  if (tightest !== null && count !== undefined) {
    const [low, high] = numberOf({ left: tightest[2] ?? '', limit: count.limit })
    const apart = low === high ? count.limit * MIDDLE : 0
    const most = count.most + unforeseen(tightest[1] ?? '', looks)
    if (low > most + apart || high < count.fewest - apart) note('number', said, count.told)
  }
  for (const { label, text: beside } of shown.chips) {
    const [category = '', ...rest] = beside.split(', ')
    const chip = `chip: ${label} ${beside}`
    if (OF_QUOTA.test(label)) {
      inState({ category, told: [label, ...rest].join(' '), said: chip }, looks, note)
    } else if (!OF_OTHERS.test(label)) note('headline', chip, 'nothing of the kind happened')
  }
}

const longestNamed = (text: string, { requests }: Truth): string | undefined =>
  requests
    .map(({ category }) => category)
    .filter((category) => text.startsWith(category))
    .toSorted((a, b) => b.length - a.length)[0]

interface Usage {
  readonly row: ShownRow
  readonly detail: string
  readonly said: string
}

/** Who is said to use the quota of the headline, and at which pace it may be used. */
function inUsage({ row, detail, said }: Usage, looks: readonly Look[], look: Look, note: Note): void {
  const none = detail.includes('No use measured')
  const others = /Others use ([\d.–]+)\/s/.exec(detail)?.[1] ?? (none ? '0' : undefined)
  const own = /Headroom uses ([\d.]+)\/s/.exec(detail)?.[1] ?? (none ? '0' : undefined)
  const safe = /Safe pace: (1 per [\d.]+ s|none)/.exec(detail)?.[1]
  if (others !== undefined) inOthers({ ...row, others }, looks, said, note)
  if (own !== undefined) inOwn({ ...row, own }, look, said, note)
  if (safe !== undefined) inSafePace({ ...row, safe }, looks, said, note)
}

/** What Headroom says of its own streams and checks. */
function inOwnUse({ before, shown, after }: Look, note: Note): void {
  const streams = Number(/(\d+) streams?/.exec(shown.ownUse)?.[1] ?? Number.NaN)
  if (before.streams.length === after.streams.length && streams !== after.streams.length) {
    note('own', shown.ownUse, `${after.streams.length} streams`)
  }
  const perMinute = Number(/(\d+(?:\.\d+)?) checks?\/min/.exec(shown.ownUse)?.[1] ?? Number.NaN)
  const counted = new Set(after.requests.map(({ category }) => category))
  const made = after.ledger.filter(
    ({ atMs, category, path }) =>
      category !== undefined &&
      counted.has(category) &&
      !path.includes('/stream/') &&
      atMs > shown.atMs - 60_000 &&
      atMs <= shown.atMs,
  ).length
  if (!(Math.abs(perMinute - made) <= SLACK + made * MIDDLE))
    note('own', shown.ownUse, `${made} in the last minute`)
}

/** How long before a line others’ use has to have begun, at most: the time between two headers. */
const USE_LINE_MS = 5 * 60_000

/** Others that are said to have begun made something lately, and those that are said to have stopped did not go on. */
function inUseEvents(looks: readonly Look[], { shown, after }: Look, note: Note): void {
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
