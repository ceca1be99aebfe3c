import { type Look, MIDDLE, type Note, PUSH_MS, SLACK } from './look.ts'
import { durationMs } from './times.ts'

const ACCESS_LIFETIME_MS = 1_200_000

export function inStreams({ before, shown, after }: Look, note: Note): void {
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

export function inToken(look: Look, note: Note): void {
  const { accessToken } = look.shown
  const left = tokenContradicted(accessToken, look)
  if (left !== undefined) note('token', `access token: ${accessToken} left`, left)
}

/** What is left of the access token, where that is not what is told. */
export function tokenContradicted(told: string, { shown, after }: Look): string | undefined {
  const left = durationMs(told)
  const issued = after.ledger.findLast(({ path, status }) => path === '/oauth/token' && status === 200)
  if (left === undefined || issued === undefined) return undefined
  const real = issued.atMs + ACCESS_LIFETIME_MS - shown.atMs
  const isWrong = Math.abs(real - left) > 2 * PUSH_MS + 1_000 && shown.atMs - issued.atMs > 2 * PUSH_MS
  return isWrong ? `${Math.round(real / 1000)} s left` : undefined
}

/** What Headroom says of its own streams and checks. */
export function inOwnUse({ before, shown, after }: Look, note: Note): void {
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
