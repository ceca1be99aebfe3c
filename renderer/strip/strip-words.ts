import type { RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import { levelAt } from '../../app/quota/model.ts'
import { untilText } from '../../app/status/durations.ts'
import type { Severity } from '../../app/status/severity.ts'
import { isStale } from '../words/row-words.ts'

/** One line for the corner of a screen: what is tightest, and how long it lasts. */
export interface StripWords {
  readonly severity: Severity
  readonly name: string
  /** Requests left, and their share of the limit in per cent; absent where no row is meant. */
  readonly remaining?: string
  readonly percent?: number
  /** At the end: a countdown, or what else is known. */
  readonly note: string
}

const URGENCY: Readonly<Record<Severity, number>> = { critical: 3, watch: 2, ok: 1, unseen: 0 }

/** The most urgent profile speaks; among equals the first. */
export function stripWords(snapshots: readonly Snapshot[], nowMs: number): StripWords {
  const all = snapshots.map((snapshot) => wordsOf(snapshot, nowMs))
  const [first = { severity: 'unseen', name: 'No key connected', note: '' } satisfies StripWords] = all
  return all.reduce((most, words) => (URGENCY[words.severity] > URGENCY[most.severity] ? words : most), first)
}

function wordsOf(snapshot: Snapshot, nowMs: number): StripWords {
  const { refresh, service, verdict, requests, profile } = snapshot
  if (refresh.state === 'sign-in-required') {
    const name = refresh.cause === 'misconfigured' ? 'Key not accepted' : 'Sign in again'
    return { severity: 'critical', name, note: profile.name }
  }
  if (refresh.state === 'revoke-unconfirmed')
    return { severity: 'critical', name: 'Revocation not confirmed', note: profile.name }
  if (refresh.state === 'revoked') return { severity: 'unseen', name: 'Revoked', note: profile.name }
  if (!service.reachable) return { severity: 'watch', name: 'Service unreachable', note: profile.name }
  const row = requests.find(({ category }) => category === verdict.category)
  switch (verdict.kind) {
    case 'unknown':
      return { severity: 'unseen', name: 'Nothing seen yet', note: profile.name }
    case 'lasts':
      return { severity: 'ok', name: 'All quotas last', note: tightest(requests, nowMs) }
    case 'near-limit':
      return ofRow('watch', verdict.category, row, nowMs, 'near limit')
    case 'runs-out':
      return ofRow(
        'watch',
        verdict.category,
        row,
        nowMs,
        until('', verdict.at ?? row?.emptyAt, nowMs, 'runs out'),
      )
    case 'blocked':
      return ofRow('critical', verdict.category, row, nowMs, until('held ', verdict.at, nowMs, 'held'))
  }
}

const until = (before: string, atMs: number | undefined, nowMs: number, otherwise: string) =>
  atMs === undefined ? otherwise : `${before}${untilText(atMs, nowMs)}`

function ofRow(
  severity: Severity,
  category: string | undefined,
  row: RequestQuota | undefined,
  nowMs: number,
  note: string,
): StripWords {
  const name = category ?? 'A category'
  if (row === undefined) return { severity, name, note }
  const level = levelAt(row, nowMs)
  const remaining = `${isStale(row, nowMs) ? '~' : ''}${Math.floor(level)}`
  return { severity, name, remaining, percent: percentOf(row, nowMs), note }
}

function tightest(requests: readonly RequestQuota[], nowMs: number): string {
  const [least] = requests
    .filter(({ source }) => source !== 'default')
    .map((quota) => ({ category: quota.category, percent: percentOf(quota, nowMs) }))
    .sort((one, other) => one.percent - other.percent)
  return least === undefined ? '' : `tightest: ${least.category} ${Math.floor(least.percent)} %`
}

function percentOf(quota: RequestQuota, nowMs: number): number {
  const share = quota.limit > 0 ? levelAt(quota, nowMs) / quota.limit : 0
  return Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10
}
