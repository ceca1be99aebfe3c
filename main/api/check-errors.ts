import type { CommandError } from '../../app/contract/outcome.ts'
import type { ApiAnswer } from './client.ts'

/** The errors of "check now": why it did not check, and what a person can do. Times in epoch milliseconds. */

const checkError = (code: string, message: string): CommandError => ({
  ok: false,
  code,
  message: `Not checked: ${message}`,
})

const later = (code: string, message: string, atMs: number, nowMs: number): CommandError => ({
  ...checkError(code, `${message} in ${Math.max(1, Math.ceil((atMs - nowMs) / 1000))} s.`),
  retryAt: Math.round(atMs),
})

export const notProbed = (category: string): CommandError =>
  checkError('not-probed', `there is no request that shows ${category} and does nothing else.`)

export const countedElsewhere = (category: string, counted: string): CommandError =>
  checkError('counted-elsewhere', `requests of ${category} are counted by ${counted}. Check that one.`)

export const needsAccount = (category: string): CommandError =>
  checkError('no-account', `${category} needs an account, and none is known yet. Check Accounts first.`)

export const cannotAsk = (category: string): CommandError =>
  checkError(
    'cannot-ask',
    `no request can be sent for ${category} now: signed out, or the service is out of reach.`,
  )

export const held = (category: string, untilMs: number, nowMs: number): CommandError =>
  later('held', `the service refused ${category}. It can be asked again`, untilMs, nowMs)

export const nothingLeft = (category: string, atMs: number | undefined, nowMs: number): CommandError =>
  atMs === undefined
    ? checkError('nothing-left', `no request of ${category} is left.`)
    : later('nothing-left', `no request of ${category} is left. One comes back`, atMs, nowMs)

export const budgetSpent = (category: string, atMs: number, nowMs: number): CommandError =>
  later('budget-spent', `what checks may spend of ${category} is spent. The next can go out`, atMs, nowMs)

export const noSlotFree = (category: string): CommandError =>
  checkError('no-slot', `all slots of ${category} are in use, and a look needs one for a moment.`)

export const needsTarget = (category: string): CommandError =>
  checkError('needs-target', `${category} needs to know what to stream. Open such a stream to see its quota.`)

export const unreachable = (why: string): CommandError => checkError('unreachable', `${why}.`)

export const refusedBy = (category: string, status: number): CommandError =>
  checkError('no-headers', `the service answered ${status}, without a word on ${category}.`)

export function noHeaders(category: string, answer: ApiAnswer, nowMs: number): CommandError {
  switch (answer.kind) {
    case 'limited':
      return held(category, answer.retryAtMs, nowMs)
    case 'no-token':
    case 'unreachable':
      return unreachable(answer.why)
    case 'answered':
      return refusedBy(category, answer.status)
  }
}
