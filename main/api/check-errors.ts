import type { CommandError } from '../../app/contract/outcome.ts'
import { wholeSeconds } from '../../app/contract/units.ts'
import type { ApiAnswer } from './client.ts'

/**
 * Errors of "check now". Each message says why no check was made and what to do. All times are epoch
 * milliseconds.
 */

const checkError = (code: string, message: string): CommandError => ({
  ok: false,
  code,
  message: `Not checked: ${message}`,
})

const later = (code: string, message: string, atMs: number, nowMs: number): CommandError => ({
  ...checkError(code, `${message} in ${wholeSeconds(atMs - nowMs)} s.`),
  retryAt: Math.round(atMs),
})

export const notProbed = (category: string): CommandError =>
  checkError('not-probed', `no read-only request can check ${category}.`)

/** Requests for `category` count in another row, `counted`. Only that row can be checked. */
export const countedElsewhere = (category: string, counted: string): CommandError =>
  checkError(
    'counted-elsewhere',
    `requests for ${category} count against ${counted}. Check ${counted} instead.`,
  )

export const needsAccount = (category: string): CommandError =>
  checkError('no-account', `${category} needs an account. Check Accounts first.`)

export const cannotAsk = (category: string): CommandError =>
  checkError('cannot-ask', `can’t send requests for ${category} now: signed out or unreachable.`)

export const held = (category: string, untilMs: number, nowMs: number): CommandError =>
  later('held', `429 for ${category}. Next check possible`, untilMs, nowMs)

/** The quota has no whole request left. `atMs` is when a whole request is left again, if known. */
export const nothingLeft = (category: string, atMs: number | undefined, nowMs: number): CommandError =>
  atMs === undefined
    ? checkError('nothing-left', `no requests are left for ${category}.`)
    : later('nothing-left', `no requests are left for ${category}. Next one`, atMs, nowMs)

export const budgetSpent = (category: string, atMs: number, nowMs: number): CommandError =>
  later('budget-spent', `the check budget of ${category} is used up. Next check`, atMs, nowMs)

export const noSlotFree = (category: string): CommandError =>
  checkError('no-slot', `all slots of ${category} are in use. A check needs one.`)

/** The stream needs a target that only a person can choose. */
export const needsTarget = (category: string): CommandError =>
  checkError('needs-target', `open a stream of ${category} to see its quota.`)

/** The service is unreachable, or there is no token. `why` is a sentence without its full stop. */
export const unreachable = (why: string): CommandError => checkError('unreachable', `${why}.`)

export const refusedWith = (category: string, status: number): CommandError =>
  checkError('no-headers', `the service responded ${status} without headers for ${category}.`)

export function noHeaders(category: string, answer: ApiAnswer, nowMs: number): CommandError {
  switch (answer.kind) {
    case 'limited':
      return held(category, answer.retryAtMs, nowMs)
    case 'no-token':
    case 'unreachable':
      return unreachable(answer.why)
    case 'answered':
      return refusedWith(category, answer.status)
  }
}
