import type { Severity } from '../../app/contract/severity.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { untilText } from '../../app/status/durations.ts'
import { clockText } from '../../app/status/moments.ts'
import { MAX_TABS } from '../api/tab-place.ts'
import type { Link } from '../api/window-api.ts'

/** A banner. Only the most urgent banner is shown. */
export interface Banner {
  readonly id: string
  readonly severity: Severity
  readonly title: string
  readonly text: string
  readonly action?: BannerAction
}

export type BannerAction = 'connect-a-key' | 'reach-host'

export const BANNER_ACTION_LABELS: Readonly<Record<BannerAction, string>> = {
  'connect-a-key': 'Connect a key',
  'reach-host': 'Try now',
}

/**
 * The banner for facts that no key's headline covers: the window's connection, and a simulated key.
 * `windowMs` is the time of the window's own clock, epoch ms.
 */
export function bannerFor(link: Link, snapshot: Snapshot | undefined, windowMs: number): Banner | undefined {
  return linkBanner(link, windowMs) ?? (snapshot && simulatedBanner(snapshot))
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
        title: `Headroom stopped responding at ${clockText(link.sinceMs)}`,
        text: `Numbers since then are estimates. ${nextTry(link.retryAtMs, windowMs)}`,
        action: 'reach-host',
      }
    case 'too-many-tabs':
      return {
        id: 'too-many-tabs',
        severity: 'warning',
        title: `Headroom is open in ${MAX_TABS} tabs of this browser`,
        text: 'Close one.',
        action: 'reach-host',
      }
    case 'no-session':
      return link.why === 'restarted'
        ? {
            id: 'host-restarted',
            severity: 'critical',
            title: 'Headroom restarted. Open the new link from your terminal',
            text: 'Look for the line “headroom ready”. This page belongs to an earlier run.',
          }
        : {
            id: 'no-code',
            severity: 'warning',
            title: 'Open the link Headroom printed',
            text: 'Look for the line “headroom ready”. Its code works once, in one tab.',
          }
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
