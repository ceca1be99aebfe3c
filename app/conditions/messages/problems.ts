import type { RequestQuota, RowProblem, Snapshot } from '../../contract/snapshot.ts'
import { scopeOf } from '../../service/categories.ts'
import { sinceText } from '../../status/durations.ts'
import { dayAndMinuteText } from '../../status/moments.ts'
import { type KeyProblem, problemStatus } from '../../status/problem-status.ts'
import { countText, listText } from '../../status/rates.ts'
import type { ConditionKind } from '../kinds.ts'
import { fewText } from './event-words.ts'
import { joined, type Message, message, NO_ACTION } from './message.ts'

const HISTORY_WORDS: Readonly<Record<string, { readonly why: string; readonly action: string }>> = {
  full: { why: 'Disk full', action: 'Free space on the data folder’s disk.' },
  'not-allowed': { why: 'The data folder can’t be written', action: 'Check access to the folder.' },
  newer: { why: 'A newer version of Headroom wrote the history', action: 'Update Headroom.' },
  locked: { why: 'Another program is using the history file', action: 'Close that program.' },
}

/** Reason and action for a history that can't be written. `failure`: see `pausedHistory`. */
export const historyWords = (failure = '') =>
  HISTORY_WORDS[failure] ?? {
    why: 'The history can’t be written',
    action: 'Check the data folder’s disk.',
  }

/** Whether the rows outside `categories` work: none of them has a problem, and at least one is checked. */
function doOthersWork(categories: readonly string[], requests: readonly RequestQuota[]): boolean {
  const others = requests.filter((row) => !categories.includes(row.category))
  return (
    others.every(({ problem }) => problem === undefined) &&
    others.some(({ state }) => state !== 'not-checked')
  )
}

/** The message for responses without quota headers, for the whole key or one quota. */
export function problemMessage(
  kind: ConditionKind,
  { categories, problem, isWhole }: KeyProblem,
  { access, profile, requests, service }: Snapshot,
  nowMs: number,
): Message {
  const { label, note } = problemStatus(problem)
  const title = problemTitle(isWhole ? undefined : fewText(categories), problem)
  const lasts = (problem.status === 401 && isWhole) || problem.status >= 500
  const known: Partial<Record<ConditionKind, string>> = {
    'token-rejected': joined(
      // If the token is newer than the problem, the service rejected a renewed token too.
      (access.issuedAt ?? 0) > problem.since ? 'A new sign-in won’t help.' : '',
      profile.environment === 'custom'
        ? `This key’s host is ${service.host}.`
        : `This key is set to ${profile.environment.toUpperCase()}.`,
    ),
    'permission-missing': doOthersWork(categories, requests) ? 'Other quotas work.' : '',
    'quota-failing': 'Retrying.',
    'service-failing': 'Retrying.',
  }
  return message({
    label,
    name:
      kind === 'permission-missing' && categories.length > 1
        ? `Permission missing on ${countText(categories.length, 'quota')}`
        : problemName(kind, problem, categories[0], isWhole),
    ...(isWhole ? {} : { note }),
    title: lasts ? title : `${title}.`,
    text: lasts ? `since ${dayAndMinuteText(problem.since, nowMs)}.` : '',
    action: problemAdvice(categories, problem),
    detail: joined(
      known[kind] ?? '',
      quotedText(problem),
      lasts ? '' : `Since ${dayAndMinuteText(problem.since, nowMs)}.`,
    ),
  })
}

function problemName(
  kind: ConditionKind,
  problem: KeyProblem['problem'],
  category: string,
  isWhole: boolean,
): string {
  switch (kind) {
    case 'permission-missing':
      return `${category} permission missing`
    case 'check-rejected':
      return problem.status === 401 ? `${category} rejected` : `${category} check rejected`
    case 'quota-failing':
      return `${category} failing`
    case 'no-headers':
      return isWhole ? 'No rate-limit headers' : `${category} without rate-limit headers`
    case 'service-failing':
      return `Service responds with ${problem.status}`
    default:
      return problemTitle(undefined, problem)
  }
}

/**
 * What happened, without a full stop: `Positions: permission missing (403)`. Without a category, for the
 * whole key.
 */
export function problemTitle(category: string | undefined, { status }: Pick<RowProblem, 'status'>): string {
  if (status === 401) return category === undefined ? 'Token rejected (401)' : `${category}: rejected (401)`
  if (status === 403) return `${category ?? 'The key'}: permission missing (403)`
  if (status >= 500) return `${category ?? 'The service'} responds with ${status}`
  if (status >= 400) return `${category ?? 'The key'}: check rejected (${status})`
  return category === undefined
    ? 'Responses have no rate-limit headers'
    : `${category}: no rate-limit headers`
}

const scopesOf = (categories: readonly string[]) => [...new Set(categories.map(scopeOf))]

/** The scopes that rows need, for a button: `ReadAccount and MarketData`, `3 scopes`. */
export function scopesText(categories: readonly string[]): string {
  const scopes = scopesOf(categories)
  return scopes.length > 2 ? countText(scopes.length, 'scope') : listText(scopes)
}

/** The action for a problem: `Sign in again with ReadAccount.` */
export function problemAdvice(categories: readonly string[], { status }: Pick<RowProblem, 'status'>): string {
  if (status === 401) return 'Check the key’s host.'
  if (status === 403) return `Sign in again with ${listText(scopesOf(categories))}.`
  if (status >= 500) return NO_ACTION
  if (status >= 400) return 'Check the symbol and the account in the settings.'
  return 'Check the service address, VPN and proxy.'
}

/** The service's message, and when the problem began: `It says: “Forbidden”. Since 14:02 (3 min 4 s).` */
export function problemDetail(problem: RowProblem, nowMs: number): string {
  const { since } = problem
  return `${quotedText(problem)} Since ${dayAndMinuteText(since, nowMs)} (${sinceText(since, nowMs)}).`.trimStart()
}

/**
 * `It says: “Forbidden”.` for an error. `Something may be intercepting traffic.` for a successful response.
 * Empty without a message.
 */
export function quotedText({ message = '', status }: Pick<RowProblem, 'message' | 'status'>): string {
  if (status < 400) return 'Something may be intercepting traffic.'
  if (message === '') return ''
  // If the quote already ends a sentence, no full stop is added.
  return /[.!?]$/.test(message) ? `It says: “${message}”` : `It says: “${message}”.`
}
