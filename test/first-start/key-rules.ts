import { delayMs, isUnsettledNow, type Look, MIDDLE, type Note, PUSH_MS, SLACK } from './look.ts'
import { durationMs } from './times.ts'
import { isUnsettled } from './troubles.ts'

const ACCESS_LIFETIME_MS = 1_200_000

/** Whether the app's streams have not changed for longer than the display may be late. */
function hasSteadyStreams(look: Look): boolean {
  const { before, after } = look
  const fromMs = before.at - delayMs(look)
  const isNew = after.ledger.some(({ atMs, path }) => path.includes('/stream/') && atMs > fromMs)
  return before.streams.length === after.streams.length && !isNew
}

export function inStreams(look: Look, note: Note): void {
  const { shown, after } = look
  const isSteady = hasSteadyStreams(look) && !isUnsettledNow(look)
  const open = Number(/(\d+) open/.exec(shown.ownStreams)?.[1] ?? 0)
  if (isSteady && open !== after.streams.length) {
    note('streams', `own streams: ${shown.ownStreams}`, `${after.streams.length} open`)
  }
  const silent = /(\d+) silent/.exec(shown.aspects['streams'] ?? '')?.[0]
  if (silent !== undefined && !isUnsettledNow(look))
    note('streams', `streams: ${silent}`, `${after.streams.length} open, none kept silent`)
  for (const group of shown.slots) {
    const is = after.slots.find(({ category }) => category === group.category)
    const said = `${group.category}: ${group.used}/${group.limit}, ${group.free}`
    if (is === undefined || group.source !== 'header') continue
    const free = group.free === 'full' ? 0 : Number.parseInt(group.free, 10)
    const isSame = group.limit === is.limit && group.used === is.limit - is.remaining && free === is.remaining
    if (isSteady && !isSame) note('slots', said, `${is.remaining} of ${is.limit} free, ${is.own} own`)
  }
}

export function inToken(look: Look, note: Note): void {
  const { accessToken } = look.shown
  const left = tokenContradicted(accessToken, look)
  if (left !== undefined) note('token', `access token: ${accessToken} left`, left)
}

/** The correct remaining time of the access token. `undefined` if the shown one is correct. */
export function tokenContradicted(told: string, look: Look): string | undefined {
  const { shown, after } = look
  const left = durationMs(told)
  const issued = after.ledger.findLast(({ path, status }) => path === '/oauth/token' && status === 200)
  if (left === undefined || issued === undefined) return undefined
  const real = issued.atMs + ACCESS_LIFETIME_MS - shown.atMs
  const leewayMs = 2 * PUSH_MS + delayMs(look)
  if (look.troubles.some((one) => one.kind === 'sign-in' && isUnsettled(one, shown.atMs))) return undefined
  const isWrong = Math.abs(real - left) > leewayMs + 1_000 && shown.atMs - issued.atMs > leewayMs
  return isWrong ? `${Math.round(real / 1000)} s left` : undefined
}

/** Checks the header's text about Headroom's own streams and checks. */
export function inOwnUse(look: Look, note: Note): void {
  const { shown, after } = look
  const streams = Number(/(\d+) streams?/.exec(shown.ownUse)?.[1] ?? Number.NaN)
  if (hasSteadyStreams(look) && !isUnsettledNow(look) && streams !== after.streams.length) {
    note('own', shown.ownUse, `${after.streams.length} streams`)
  }
  const perMinute = Number(/(\d+(?:\.\d+)?) checks?\/min/.exec(shown.ownUse)?.[1] ?? Number.NaN)
  const counted = new Set(after.requests.map(({ category }) => category))
  const made = (fromMs: number, toMs: number) =>
    after.ledger.filter(
      ({ atMs, category, path }) =>
        category !== undefined &&
        counted.has(category) &&
        !path.includes('/stream/') &&
        atMs > shown.atMs - fromMs &&
        atMs <= shown.atMs - toMs,
    ).length
  const lateMs = delayMs(look)
  const [fewest, most] = [made(60_000, lateMs), made(60_000 + lateMs, 0)]
  const isSo = perMinute >= fewest * (1 - MIDDLE) - SLACK && perMinute <= most * (1 + MIDDLE) + SLACK
  // While something is broken, checks may not reach the service, so the service does not count them.
  if (!isSo && !isUnsettledNow(look)) note('own', shown.ownUse, `${fewest} to ${most} in the last minute`)
}
