import type { MonitorEvent } from '../../../app/contract/events.ts'
import { durationText } from '../../../app/status/durations.ts'
import { rateText } from '../../../app/status/rates.ts'
import { duration, printable } from './cells.ts'

/** One event as one line for a person. */
export function eventLine(event: MonitorEvent, atMs: number): string {
  return printable(lineOf(event, atMs))
}

function lineOf(event: MonitorEvent, atMs: number): string {
  const retry = (retryAt: number | undefined) =>
    retryAt === undefined ? '' : `; trying again in ${duration(retryAt - atMs)}`
  const request = (id: string | undefined) => (id === undefined ? '' : ` (request ${id})`)
  switch (event.kind) {
    case 'token-refreshed':
      return event.rotated ? 'access token refreshed, refresh token rotated' : 'access token refreshed'
    case 'token-refresh-failed':
      return `token refresh failed: ${event.outcome}${event.why === undefined ? '' : ` (${event.why})`}${retry(event.retryAt)}`
    case 'sign-in-required':
      return event.cause === 'misconfigured'
        ? `key not accepted: ${event.reason}`
        : `sign-in needed: ${event.reason}`
    case 'sign-in-due':
      return `the sign-in ends in ${duration(event.endsAt - atMs)}: sign in again before that`
    case 'revoked':
      return 'every refresh token of this key is revoked'
    case 'revoke-unconfirmed':
      return `revocation not confirmed: ${event.reason}${retry(event.retryAt)}`
    case 'service-unreachable':
      return `${event.host} cannot be reached${event.why === undefined ? '' : ` (${event.why})`}${retry(event.retryAt)}`
    case 'service-back':
      return `${event.host} answers again`
    case 'storage-problem':
      return `storage problem: ${event.what}`
    case 'window-admitted':
      return `a browser window was let in (${event.window}); status lists them`
    case 'rate-limited':
      return `${event.category} refused (429); safe to retry in ${duration(event.retryAt - atMs)}${request(event.requestId)}`
    case 'slots-exhausted':
      return `${event.category}: every slot is taken${request(event.requestId)}`
    case 'stream-opened':
    case 'stream-restarted':
    case 'stream-closed':
      return `${event.category} ${event.target} ${happened(event.kind, event.reason)}`
    case 'elsewhere':
      return `others started using ${event.category} (${rateText(event.perSecond)})`
    case 'elsewhere-ended':
      return `others stopped using ${event.category} (${rateText(event.perSecond)} for ${durationText((atMs - event.since) / 1000)})`
  }
}

function happened(kind: 'stream-opened' | 'stream-restarted' | 'stream-closed', reason: string): string {
  const verb = kind.slice('stream-'.length)
  return reason === verb ? verb : `${verb}: ${reason}`
}
