import type { LoggedEvent } from '../contract/events.ts'
import { type Severity, urgencyOf } from '../contract/severity.ts'
import type { RequestQuota, Snapshot } from '../contract/snapshot.ts'
import { allowanceOf } from '../status/allowance.ts'
import { coarseSinceText, countdownSeconds } from '../status/durations.ts'
import { dayAndMinuteText } from '../status/moments.ts'
import { notFound } from '../status/orders-status.ts'
import { leftText, quotaStatus, runsOutText, shareLeftText, stateAt } from '../status/quota-status.ts'
import { isStreamSilent } from '../status/stream-status.ts'
import { judgedRows, streamsHeard } from './evaluate.ts'
import { type Finding, keyFindings, keyStatus } from './key-status.ts'
import { usageLine } from './messages/rows.ts'

/** The large number on a key's card, and its caption, readable from afar. Both are empty without a number. */
export interface GlanceNumber {
  readonly caption: string
  readonly value: string
}

const NONE: GlanceNumber = { caption: '', value: '' }

/**
 * The number for a key's worst finding at `nowMs`, epoch ms. A healthy key shows the number of its tightest
 * quota.
 */
export function glanceNumber(snapshot: Snapshot, nowMs: number): GlanceNumber {
  const [worst] = keyFindings(snapshot, nowMs)
  if (worst === undefined) {
    const [tightest] = judgedRows(snapshot, nowMs)
    return tightest === undefined
      ? NONE
      : { caption: `tightest: ${tightest.row.category}`, value: shareLeftText(tightest.row) }
  }
  switch (worst.aspect) {
    case 'quotas':
      return quotaNumber(worst, nowMs)
    case 'slots':
      return { caption: 'slots free', value: '0' }
    case 'streams':
      return streamsNumber(worst, snapshot, nowMs)
    case 'sign-in': {
      const { endsAt } = snapshot.refresh
      const isEnding = worst.kind === 'sign-in-ends' && endsAt !== undefined && endsAt > nowMs
      return isEnding ? { caption: 'sign-in ends in', value: countdown(endsAt - nowMs, 'down') } : NONE
    }
    case 'service': {
      const { since, problem } = worst
      const caption =
        problem === undefined ? 'silent for' : problem.problem.status < 400 ? 'no headers for' : 'failing for'
      return since === undefined ? NONE : { caption, value: digits((nowMs - since) / 1000) }
    }
    case 'orders': {
      const open = notFound(snapshot.orders?.unknown ?? [])
      return open.length === 0 ? NONE : { caption: 'orders unknown', value: String(open.length) }
    }
    case 'desk': {
      const { since } = worst
      return since === undefined ? NONE : { caption: 'alone for', value: digits((nowMs - since) / 1000) }
    }
    case 'data': {
      if (worst.kind === 'history-paused') return NONE
      const newest = Math.max(...snapshot.requests.map(({ observedAt }) => observedAt ?? 0))
      return newest > 0 ? { caption: 'since last data', value: coarseSinceText(newest, nowMs) } : NONE
    }
  }
}

/** Share of the wanted streams that are silent, waiting or restarting: `2/3`. */
function streamsNumber({ kind }: Finding, snapshot: Snapshot, nowMs: number): GlanceNumber {
  const { silent, missed, unheard, queued, restarting, wanted } = streamsHeard(snapshot, nowMs)
  const of = (what: string, count: number) => ({
    caption: `streams ${what}`,
    value: `${count}/${wanted.length}`,
  })
  if (kind === 'streams-waiting') return of('waiting', missed.length + unheard.length + queued.length)
  if (kind === 'streams-restarting') return of('restarting', restarting.length)
  return of('silent', silent.length + missed.length)
}

function quotaNumber({ row: quota }: Finding, nowMs: number): GlanceNumber {
  if (quota === undefined) return NONE
  const { state, untilMs, note } = quotaStatus(quota, nowMs)
  switch (state) {
    case 'blocked':
      // No countdown: the 429 ends only when others slow down. The level is an estimate above 0, and would
      // look like an offer.
      if (untilMs === undefined) return { caption: 'can be sent now', value: '0' }
      return untilMs <= nowMs
        ? { caption: 'safe to retry', value: 'now' }
        : { caption: 'safe to retry in', value: countdown(untilMs - nowMs, 'up') }
    case 'running-out':
      if (note === 'recovering') return { caption: 'left, recovering', value: shareLeftText(quota) }
      return emptyInNumber(quota, nowMs)
    case 'ok':
    case 'watch':
    case 'low':
    case 'empty':
      return { caption: 'left', value: state === 'empty' ? leftText(quota, nowMs) : shareLeftText(quota) }
    case 'not-checked':
      return NONE
  }
}

/**
 * The number for the caption `runs out 14:33–14:36`, such as `2–5 min`. It has whole minutes, so that it
 * changes no more often than the caption.
 */
function emptyInNumber(quota: RequestQuota, nowMs: number): GlanceNumber {
  const { emptyAt, emptyFrom = emptyAt, emptyTo = emptyFrom } = quota
  const caption = runsOutText(quota, nowMs)
  if (emptyFrom === undefined || emptyTo === undefined) return { caption: 'empty in', value: '10 min' }
  const least = Math.max(0, Math.floor((emptyFrom - nowMs) / 60_000))
  const most = Math.max(1, Math.ceil((emptyTo - nowMs) / 60_000))
  if (quota.emptyFrom !== undefined && quota.emptyTo === undefined) return { caption, value: `${least} min` }
  return { caption, value: `${least}–${most} min` }
}

/**
 * Short lines next to a quota's number: the text `moment`, how much may be sent now, and who uses the quota.
 */
export function glanceLines(quota: RequestQuota, moment: string, nowMs: number): readonly string[] {
  const { burst, text } = allowanceOf(quota, nowMs)
  const now = [moment, burst === undefined ? '' : `${burst} ${text}`].filter(Boolean).join(', ')
  return [now, usageLine(quota)].filter(Boolean)
}

const countdown = (leftMs: number, rounding: 'down' | 'up') => digits(countdownSeconds(leftMs, rounding))

/** `0:40`, `3:30`. From one hour on: `1 h 05`. */
function digits(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const two = (value: number) => String(value).padStart(2, '0')
  if (whole < 3600) return `${Math.floor(whole / 60)}:${two(whole % 60)}`
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))}`
}

/** The text next to a finding's subject on a small card: a countdown, a share or a count. */
export function glanceNote({ aspect, note, row: quota }: Finding, nowMs: number): string {
  if (aspect !== 'quotas' || quota === undefined) return aspect === 'slots' ? note : ''
  const { state, untilMs } = quotaStatus(quota, nowMs)
  if (state === 'empty') return leftText(quota, nowMs)
  if (untilMs === undefined || !/\d+ (s|min|h)$/.test(note) || note.startsWith('within') || untilMs <= nowMs)
    return note
  return countdown(untilMs - nowMs, state === 'blocked' ? 'up' : 'down')
}

/** One key's line in the table of all keys. */
export interface KeyLine {
  readonly id: string
  readonly severity: Severity
  /**
   * The key's state, and the quota or stream that causes it. A quota is not named here if `tightest` names
   * it.
   */
  readonly state: string
  readonly tightest: string
  /** The remaining requests and the limit. After a 429: `none` or `retry now`. Empty if no row is checked. */
  readonly left: string
  readonly note: string
  /** Number of today's 429s, by the date of the displayed time zone. Absent until counted. */
  readonly refusals?: number
  /** Number of silent streams, such as `1 of 13`. Empty without open streams. */
  readonly silent: string
  readonly signInBy: string
}

/**
 * All keys, worst first. Equally bad keys keep their order. `refusals` counts today's 429s by key, if known.
 */
export function keyLines(
  snapshots: readonly Snapshot[],
  nowMs: number,
  refusals: Readonly<Record<string, number>> = {},
): readonly KeyLine[] {
  return snapshots
    .map((snapshot) => keyLine(snapshot, nowMs, refusals[snapshot.profile.id]))
    .sort((a, b) => urgencyOf(b.severity) - urgencyOf(a.severity))
}

function keyLine(snapshot: Snapshot, nowMs: number, refusals: number | undefined): KeyLine {
  const { profile, streams } = snapshot
  const status = keyStatus(snapshot, nowMs)
  const [tightest] = judgedRows(snapshot, nowMs)
  const open = streams.filter(({ state }) => state !== 'closed')
  const silent = open.filter((stream) => isStreamSilent(stream, nowMs)).length
  const row = tightest?.row
  return {
    id: profile.id,
    severity: status.severity,
    state: row !== undefined && status.subject === row.category ? status.label : status.name,
    tightest: row?.category ?? '',
    ...(row === undefined ? { left: '', note: status.note } : leftAndNote(row, nowMs)),
    ...(refusals !== undefined && { refusals }),
    silent: open.length === 0 ? '' : `${silent} of ${open.length}`,
    signInBy: signInByText(snapshot, nowMs),
  }
}

/** After a 429, `none` and `14:36:05`: the row itself shows `none until 14:36:05`. */
function leftAndNote(row: RequestQuota, nowMs: number): Pick<KeyLine, 'left' | 'note'> {
  if (stateAt(row, nowMs) === 'blocked') {
    const { text, until } = allowanceOf(row, nowMs)
    return until === undefined ? { left: text, note: '' } : { left: 'none', note: until }
  }
  return {
    left: `${leftText(row, nowMs)} / ${row.limit}`,
    note: quotaStatus(row, nowMs).note || shareLeftText(row),
  }
}

/**
 * Number of a key's 429s since `fromMs` (epoch ms), for requests and slots. A 429 counts once, even if both
 * the history and this run of the app report it.
 */
export function refusalsSince(events: readonly LoggedEvent[], profile: string, fromMs: number): number {
  const seen = events.flatMap((event) =>
    (event.kind === 'rate-limited' || event.kind === 'slots-exhausted') &&
    event.profile === profile &&
    event.at >= fromMs
      ? `${event.at} ${event.kind} ${event.category} ${event.requestId ?? event.seq}`
      : [],
  )
  return new Set(seen).size
}

/**
 * When the next sign-in is needed: a day and time, or `does not expire`. For an unusable token, the token's
 * state.
 */
export function signInByText({ refresh }: Pick<Snapshot, 'refresh'>, nowMs: number): string {
  switch (refresh.state) {
    case 'none':
    case 'revoked':
      return 'signed out'
    case 'sign-in-required':
      return refresh.cause === 'locked' ? '?' : 'now'
    case 'valid':
    case 'unconfirmed':
    case 'revoking':
    case 'revoke-unconfirmed':
      return refresh.endsAt === undefined ? 'does not expire' : dayAndMinuteText(refresh.endsAt, nowMs)
  }
}
