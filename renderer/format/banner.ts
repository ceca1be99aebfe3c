import type { Snapshot } from '../../app/contract/snapshot.ts'
import { untilText } from '../../app/status/durations.ts'
import {
  CHECK_NETWORK,
  isServiceAway,
  SIGN_IN_HOST_UNREACHABLE,
  signInHostEffect,
  UNREACHABLE,
} from '../../app/status/key-findings.ts'
import { clockText, minuteText } from '../../app/status/moments.ts'
import { capitalised, sentence } from '../../app/status/sentences.ts'
import type { Severity } from '../../app/status/severity.ts'
import { keystoreTrouble, refreshStatus } from '../../app/status/token-status.ts'
import type { Link } from '../api/link.ts'

/** The banner; only the most urgent one is shown. */
export interface Banner {
  readonly id: string
  readonly severity: Severity
  readonly title: string
  readonly text: string
  readonly action?: BannerAction
}

export type BannerAction =
  | 'connect-a-key'
  | 'sign-in'
  | 'correct-key'
  | 'try-now'
  | 'save-now'
  | 'store-unprotected'
  | 'reach-host'

export const BANNER_ACTION_LABELS: Readonly<Record<BannerAction, string>> = {
  'connect-a-key': 'Connect a key',
  'sign-in': 'Sign in',
  'correct-key': 'Correct the secret',
  'try-now': 'Try now',
  'save-now': 'Save now',
  'store-unprotected': 'Store anyway',
  'reach-host': 'Try now',
}

/** The most urgent banner. `nowMs` is on main's clock; `windowMs` is on the window's, as are the times of the link. */
export function bannerFor(
  link: Link,
  snapshot: Snapshot | undefined,
  nowMs: number,
  windowMs: number,
): Banner | undefined {
  return linkBanner(link, windowMs) ?? (snapshot && snapshotBanner(snapshot, nowMs))
}

function linkBanner(link: Link, windowMs: number): Banner | undefined {
  switch (link.kind) {
    case 'connecting':
    case 'live':
      return undefined
    case 'lost':
      return {
        id: 'host-gone',
        severity: 'critical',
        title: `Headroom stopped answering at ${clockText(link.sinceMs)}`,
        text: `Numbers since then are estimates. ${nextTry(link.retryAtMs, windowMs)}`,
        action: 'reach-host',
      }
    case 'no-session':
      return link.why === 'restarted'
        ? {
            id: 'host-restarted',
            severity: 'critical',
            title: 'Headroom restarted. Open the new link from your terminal',
            text: 'It is the line that begins with “headroom ready”. This page belongs to a run that has ended.',
          }
        : {
            id: 'no-code',
            severity: 'warning',
            title: 'Open the link Headroom printed',
            text: 'It is the line that begins with “headroom ready”. Its code works once, for one tab.',
          }
  }
}

function snapshotBanner(snapshot: Snapshot, nowMs: number): Banner | undefined {
  return (
    refreshBanner(snapshot, nowMs) ??
    unsavedBanner(snapshot) ??
    keystoreBanner(snapshot) ??
    signInHostBanner(snapshot, nowMs) ??
    serviceBanner(snapshot, nowMs) ??
    unconfirmedBanner(snapshot, nowMs) ??
    simulatedBanner(snapshot)
  )
}

function refreshBanner({ refresh }: Snapshot, nowMs: number): Banner | undefined {
  const { severity, label } = refreshStatus(refresh, nowMs)
  const title = capitalised(label)
  switch (refresh.state) {
    case 'sign-in-required':
      if (refresh.cause === 'misconfigured') {
        return {
          id: 'key-misconfigured',
          severity,
          title: `${title}: ${refresh.reason ?? 'the service does not accept this API key or secret'}`,
          text: 'Nothing is lost. Enter the right secret here; if the API key itself is wrong, connect the right one.',
          action: 'correct-key',
        }
      }
      return {
        id: 'sign-in-required',
        severity,
        title: `${title}: ${signInReason(refresh.endsAt, refresh.reason, nowMs)}`,
        text: 'Nothing is lost; streams reopen after you sign in.',
        action: 'sign-in',
      }
    case 'revoke-unconfirmed': {
      const reason = refresh.reason === undefined ? '' : `${sentence(refresh.reason)} `
      const restart = refresh.stored === 'sealed' ? ', also after a restart' : ''
      const again =
        refresh.retryAt === undefined ? '' : `Trying again at ${clockText(refresh.retryAt)}${restart}. `
      return {
        id: 'revoke-unconfirmed',
        severity,
        title,
        text: `${reason}${again}Assume the tokens still work.`,
        action: 'try-now',
      }
    }
    case 'revoking':
      return {
        id: 'revoking',
        severity,
        title,
        text: 'Waiting for the service to confirm. Assume that the tokens still work until then.',
      }
    case 'revoked':
      return {
        id: 'revoked',
        severity,
        title,
        text:
          refresh.revokedAt === undefined
            ? 'Confirmed by the service.'
            : `Confirmed by the service at ${clockText(refresh.revokedAt)}.`,
        action: 'sign-in',
      }
    default:
      return undefined
  }
}

function signInReason(endsAt: number | undefined, reason: string | undefined, nowMs: number): string {
  if (endsAt !== undefined && endsAt <= nowMs) {
    return `the refresh token's 24 hours ended at ${minuteText(endsAt)}`
  }
  return reason ?? 'the service no longer accepts the refresh token'
}

/** The banner for a new refresh token that is not stored, and would be lost with this process. */
function unsavedBanner({ refresh }: Snapshot): Banner | undefined {
  if (refresh.unsaved === undefined) return undefined
  const hint =
    refresh.unsaved === 'the disk is full'
      ? 'Free some space before quitting.'
      : 'Fix this before you quit, or you must sign in again.'
  return {
    id: 'refresh-unsaved',
    severity: 'critical',
    title: `New refresh token not saved: ${refresh.unsaved}`,
    text: `It is in use from memory. ${hint}`,
    action: 'save-now',
  }
}

function keystoreBanner(snapshot: Snapshot): Banner | undefined {
  const trouble = keystoreTrouble(snapshot)
  if (trouble === undefined) return undefined
  const { keystore } = snapshot
  const action = KEYSTORE_ACTIONS[keystore]
  return {
    id: `keystore-${keystore}`,
    severity: trouble.severity,
    title: trouble.label,
    text: `${trouble.text} ${trouble.action}`.trimStart(),
    ...(action && { action }),
  }
}

const KEYSTORE_ACTIONS: { readonly [State in Snapshot['keystore']]?: BannerAction } = {
  'key-changed': 'sign-in',
  'record-corrupt': 'sign-in',
  unprotected: 'store-unprotected',
}

function signInHostBanner(snapshot: Snapshot, nowMs: number): Banner | undefined {
  const { signInHost } = snapshot
  if (signInHost === undefined) return undefined
  const { host, since, retryAt, why } = signInHost
  const next = retryAt === undefined ? '' : ` ${nextTry(retryAt, nowMs)}`
  return {
    id: 'sign-in-host-unreachable',
    severity: 'warning',
    title: `${SIGN_IN_HOST_UNREACHABLE} since ${clockText(since)}`,
    text: `${host}: ${why}. ${signInHostEffect(snapshot, nowMs)} ${CHECK_NETWORK}${next}`,
    action: 'try-now',
  }
}

function serviceBanner({ service }: Snapshot, nowMs: number): Banner | undefined {
  if (!isServiceAway(service)) return undefined
  const since = service.since === undefined ? '' : ` since ${clockText(service.since)}`
  const next = service.retryAt === undefined ? '' : ` ${nextTry(service.retryAt, nowMs)}`
  return {
    id: 'service-unreachable',
    severity: 'warning',
    title: `${UNREACHABLE}${since}`,
    text: `${service.why === undefined ? '' : `${sentence(service.why)} `}Numbers since then are estimates.${next}`,
    action: 'try-now',
  }
}

/** The banner for an unconfirmed token. None during the first refresh, which takes a moment. */
function unconfirmedBanner({ refresh, access }: Snapshot, nowMs: number): Banner | undefined {
  if (refresh.state !== 'unconfirmed' || access.state === 'refreshing') return undefined
  const { severity, label } = refreshStatus(refresh, nowMs)
  return {
    id: 'refresh-unconfirmed',
    severity,
    title: `Sign-in ${label}`,
    text: `${refresh.reason === undefined ? '' : `${sentence(refresh.reason)} `}Headroom keeps trying; nothing to do yet.`,
    action: 'try-now',
  }
}

function simulatedBanner({ profile }: Snapshot): Banner | undefined {
  if (profile.environment !== 'simulator') return undefined
  return {
    id: 'simulated',
    severity: 'ok',
    title: 'Simulated brokerage',
    text: 'These numbers come from the built-in simulator.',
    action: 'connect-a-key',
  }
}

const nextTry = (atMs: number, nowMs: number) =>
  atMs > nowMs ? `Next try in ${untilText(atMs, nowMs)}.` : 'Trying now.'
