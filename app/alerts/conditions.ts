import type { RequestQuota, SlotQuota, Snapshot, StreamSummary } from '../contract/snapshot.ts'
import { isOfWholeKey } from '../quota/row-problems.ts'
import { fewSlots, isSlotCountCurrent } from '../status/stream-status.ts'
import { SIGN_IN_ENDING } from '../status/token-status.ts'
import type { Reading } from './episode.ts'
import type { AlertKind } from './kinds.ts'

/** How far above the threshold a row has to be again before that counts as recovered, in shares of the limit. */
const HYSTERESIS = 0.1

/** One condition of one profile as a snapshot shows it. `subject` is a category, a stream's id, or empty. */
export interface Condition {
  readonly kind: AlertKind
  readonly subject: string
  readonly reading: Reading
}

const MINUTE_MS = 60_000
/** A deadline has to move this far away again before it counts as met. */
const DEADLINE_SLACK_MS = 5 * MINUTE_MS

const bad = (asOfMs: number): Reading => ({ kind: 'bad', asOfMs })
const good = (asOfMs: number): Reading => ({ kind: 'good', asOfMs })
const BETWEEN: Reading = { kind: 'between' }
const STALE: Reading = { kind: 'stale' }
const GONE: Reading = { kind: 'gone' }

/** All conditions of one profile and their readings. Restarts are counted over time, so they are not among them. */
export function conditionsOf(snapshot: Snapshot): readonly Condition[] {
  const { at, requests, slots, streams } = snapshot
  return [
    ...requests.flatMap((row) => requestConditions(row, at)),
    { kind: 'refused', subject: '', reading: refusedKey(requests, at) },
    ...slots.map(
      (row) => ({ kind: 'slots-low', subject: row.category, reading: slotsLow(row, at) }) as const,
    ),
    ...streams.map(
      (stream) => ({ kind: 'stream-stale', subject: stream.id, reading: streamStale(stream, at) }) as const,
    ),
    ...signIn(snapshot),
    { kind: 'revoke-unconfirmed', subject: '', reading: revokeUnconfirmed(snapshot) },
  ]
}

/** How old a header may be for its row to be taken at its word: half a period, 60 s at least, 150 s at most. */
export const freshForMs = (periodSeconds: number): number =>
  Math.min(150_000, Math.max(60_000, (periodSeconds * 1000) / 2))

/** When the row's evidence is from; `undefined` where there is none or it is old. */
function evidenceMs(row: RequestQuota, nowMs: number): number | undefined {
  if (row.source === 'default' || row.observedAt === undefined) return undefined
  return nowMs - row.observedAt <= freshForMs(row.period) ? row.observedAt : undefined
}

function requestConditions(row: RequestQuota, nowMs: number): readonly Condition[] {
  const { category: subject } = row
  const asOfMs = evidenceMs(row, nowMs)
  return [
    { kind: 'blocked', subject, reading: blocked(row, asOfMs, nowMs) },
    { kind: 'runs-out', subject, reading: runsOut(row, asOfMs) },
    { kind: 'empty', subject, reading: empty(row, asOfMs) },
    { kind: 'below-threshold', subject, reading: belowThreshold(row, asOfMs) },
    { kind: 'refused', subject, reading: refusedRow(row, nowMs) },
  ]
}

/** What concerns the whole key is one alert, with an empty subject; a missing permission is one of its row. */
function refusedKey(requests: readonly RequestQuota[], nowMs: number): Reading {
  return requests.some(({ problem }) => problem !== undefined && isOfWholeKey(problem.status))
    ? bad(nowMs)
    : good(nowMs)
}

function refusedRow({ problem }: RequestQuota, nowMs: number): Reading {
  return problem !== undefined && !isOfWholeKey(problem.status) ? bad(nowMs) : good(nowMs)
}

/** In force because the service said so, whatever else is known; over once a later header shows capacity. */
function blocked(row: RequestQuota, asOfMs: number | undefined, nowMs: number): Reading {
  if (row.blockedUntil !== undefined || row.nextTryAt !== undefined) return bad(nowMs)
  if (asOfMs === undefined) return STALE
  return row.remaining > 0 ? good(asOfMs) : BETWEEN
}

function runsOut(row: RequestQuota, asOfMs: number | undefined): Reading {
  if (asOfMs === undefined) return STALE
  switch (row.state) {
    case 'running-out':
      return bad(asOfMs)
    case 'ok':
      return good(asOfMs)
    // It has run out, which is an alert of its own.
    case 'empty':
    case 'blocked':
      return GONE
    case 'low':
    case 'not-checked':
      return BETWEEN
  }
}

function empty(row: RequestQuota, asOfMs: number | undefined): Reading {
  if (asOfMs === undefined) return STALE
  switch (row.state) {
    case 'empty':
      return bad(asOfMs)
    case 'ok':
    case 'low':
    case 'running-out':
      return good(asOfMs)
    case 'blocked':
    case 'not-checked':
      return BETWEEN
  }
}

/** Said only of a row whose state is low: what is worse has an alert of its own. */
function belowThreshold(row: RequestQuota, asOfMs: number | undefined): Reading {
  const { threshold, limit } = row
  if (threshold <= 0) return GONE
  if (asOfMs === undefined) return STALE
  if (row.state === 'low') return row.low < threshold * limit ? bad(asOfMs) : BETWEEN
  if (row.state !== 'ok') return BETWEEN
  // A threshold near the top leaves less room above it; full is good in any case.
  const recovered = Math.min(1, threshold + HYSTERESIS) * limit
  return row.remaining >= Math.floor(recovered) ? good(asOfMs) : BETWEEN
}

function slotsLow(row: SlotQuota, nowMs: number): Reading {
  if (!isSlotCountCurrent(row, nowMs)) return STALE
  const low = fewSlots(row.limit)
  if (row.free <= low) return bad(nowMs)
  return row.free > low + 1 ? good(nowMs) : BETWEEN
}

function streamStale({ state }: StreamSummary, nowMs: number): Reading {
  switch (state) {
    case 'stale':
      return bad(nowMs)
    case 'live':
    case 'snapshot':
      return good(nowMs)
    case 'opening':
    case 'waiting':
      return BETWEEN
    case 'closed':
      return GONE
  }
}

/** The nearest of the three deadlines speaks; the ones it overtakes are over without having been met. */
function signIn({ at, refresh }: Snapshot): readonly Condition[] {
  const condition = (kind: AlertKind, reading: Reading): Condition => ({ kind, subject: '', reading })
  const each = (hour: Reading, quarter: Reading, required: Reading) => [
    condition('sign-in-1h', hour),
    condition('sign-in-15min', quarter),
    condition('sign-in-required', required),
  ]
  switch (refresh.state) {
    case 'sign-in-required':
      return each(GONE, GONE, bad(at))
    case 'revoking':
    case 'revoke-unconfirmed':
    case 'revoked':
    case 'none':
      return each(GONE, GONE, GONE)
    case 'unconfirmed':
      return each(BETWEEN, BETWEEN, BETWEEN)
    case 'valid': {
      const leftMs = refresh.endsAt === undefined ? Number.POSITIVE_INFINITY : refresh.endsAt - at
      const { watchMs, criticalMs } = SIGN_IN_ENDING
      if (leftMs <= criticalMs) return each(GONE, bad(at), good(at))
      const quarter = leftMs > criticalMs + DEADLINE_SLACK_MS ? good(at) : BETWEEN
      if (leftMs <= watchMs) return each(bad(at), quarter, good(at))
      return each(leftMs > watchMs + DEADLINE_SLACK_MS ? good(at) : BETWEEN, quarter, good(at))
    }
  }
}

function revokeUnconfirmed({ at, refresh }: Snapshot): Reading {
  switch (refresh.state) {
    case 'revoke-unconfirmed':
      return bad(at)
    case 'revoking':
      return BETWEEN
    case 'none':
    case 'valid':
    case 'unconfirmed':
    case 'sign-in-required':
    case 'revoked':
      return good(at)
  }
}
