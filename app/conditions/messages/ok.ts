import type { RequestQuota, Snapshot } from '../../contract/snapshot.ts'
import { doubtfulRows, type JudgedRow, mayBeEmpty, shownRows } from '../../quota/verdict.ts'
import { unansweredRows } from '../../status/problem-status.ts'
import {
  leftText,
  MEASURING,
  othersText,
  STATE_LABELS,
  shareLeftText,
  stateAt,
} from '../../status/quota-status.ts'
import { countText, listText } from '../../status/rates.ts'
import { judgedRows } from '../evaluate.ts'
import type { Finding, KeyStatus } from '../key-status.ts'

/** Label for rows that are ok while others' use is still being measured: `measuring` if one may be empty. */
export const soFarLabel = (doubtful: readonly RequestQuota[]): string =>
  doubtful.some(mayBeEmpty) ? MEASURING : `${STATE_LABELS.ok} so far`

/** The words for a key without conditions at `nowMs`, epoch ms. */
export function okStatus(snapshot: Snapshot, nowMs: number): Omit<KeyStatus, 'others'> {
  const rows = judgedRows(snapshot, nowMs)
  const [tightest] = rows
  const doubtful = doubtfulRows(rows)
  const soFar = soFarLabel(doubtful)
  const unchecked = uncheckedRows(snapshot, nowMs)
  const unanswered = unansweredRows(snapshot, nowMs)
  const which = unchecked.length === 0 && unanswered.length === 0 ? '' : 'checked '
  const note =
    tightest === undefined ? '' : `tightest: ${tightest.row.category} ${shareLeftText(tightest.row)}`
  const words = { text: '', action: '', note, moment: note }
  const detail = [
    doubtSentence(doubtful),
    tightest && tightestSentence(rows, nowMs),
    namedSentence('Not checked', unchecked),
    namedSentence('No rate-limit headers in the last response', unanswered),
  ]
  return {
    ...words,
    ...(doubtful.length === 0
      ? {
          severity: 'ok',
          label: STATE_LABELS.ok,
          name: STATE_LABELS.ok,
          title: `No ${which}quota runs out within 10 min.`,
        }
      : {
          severity: 'unknown',
          label: soFar,
          name: soFar,
          title: doubtful.some(mayBeEmpty)
            ? 'Still measuring the quotas.'
            : `All ${which}quotas look fine so far.`,
        }),
    detail: detail.filter(Boolean).join(' '),
    ...(tightest && { row: tightest.row }),
  }
}

/**
 * `Tightest: Balances, 210 of 320 left.` If every row is probably full, it names the row whose lower bound is
 * the smallest share of the limit: `Tightest: Balances, at least 86 of 320 left.`
 */
function tightestSentence(rows: readonly JudgedRow[], nowMs: number): string {
  const [uncertain] = rows
    .filter(({ row }) => row.low < row.limit - 1)
    .toSorted((a, b) => a.row.low / a.row.limit - b.row.low / b.row.limit)
  const { row } = rows.find((one) => one.row.level < one.row.limit - 1) ?? {}
  if (row !== undefined) return `Tightest: ${row.category}, ${leftText(row, nowMs)} of ${row.limit} left.`
  if (uncertain === undefined) return 'Every checked quota is full.'
  const { category, low, limit } = uncertain.row
  return `Tightest: ${category}, at least ${low} of ${limit} left.`
}

/** `Still measuring other traffic: Positions (0–5.9/s).`. Empty without rows. */
function doubtSentence(rows: readonly RequestQuota[]): string {
  if (rows.length === 0) return ''
  const named = rows.map((row) =>
    row.use === null ? row.category : `${row.category} (${othersText(row)}/s)`,
  )
  const which = rows.length > MAX_NAMED ? countText(rows.length, 'quota') : listText(named)
  return `Still measuring other traffic: ${which}.`
}

/** Rows without a recent header. */
function uncheckedRows(snapshot: Snapshot, nowMs: number): readonly RequestQuota[] {
  return shownRows(snapshot.requests).filter((row) => stateAt(row, nowMs) === 'not-checked')
}

/** `Not checked: Positions.`. Empty without rows. */
function namedSentence(what: string, rows: readonly RequestQuota[]): string {
  if (rows.length === 0) return ''
  if (rows.length > MAX_NAMED) return `${what}: ${countText(rows.length, 'quota')}.`
  return `${what}: ${listText(rows.map(({ category }) => category))}.`
}

/** Maximum number of further findings that are named. */
const MAX_NAMED = 3

/** `Also: Positions 429, Option Chain Stream full.`. Empty if there are no further findings. */
export function alsoSentence(others: readonly Finding[]): string {
  if (others.length === 0) return ''
  const more = others.length > MAX_NAMED ? `, +${others.length - MAX_NAMED} more` : ''
  return `Also: ${others
    .slice(0, MAX_NAMED)
    .map(({ name }) => name)
    .join(', ')}${more}.`
}
