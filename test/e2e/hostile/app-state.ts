import type { Alert } from '../../../app/contract/alerts.ts'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import type { ApiClient } from '../../canary/api-client.ts'

/** Events that occur on a quiet simulator without any request. Every other event was caused by a request. */
const BY_ITSELF: ReadonlySet<string> = new Set([
  'quota-short',
  'quota-short-ended',
  'rate-limit-over',
  'token-refreshed',
  'stream-opened',
  'elsewhere',
])

/** Everything that a command of the contract could change, as a connected window sees it. */
export async function appState(window: ApiClient) {
  const snapshots = (await window.ask('snapshots')) as readonly Snapshot[]
  const events = (await window.ask('events', { after: 0 })) as readonly LoggedEvent[]
  return {
    keys: snapshots.map(({ profile, refresh, streams }) => ({
      profile,
      signedIn: refresh.state,
      streams: streams.map(({ id, target, restarts }) => `${id} ${target} ${restarts}`),
    })),
    events: events.filter(({ kind }) => !BY_ITSELF.has(kind)).map(({ kind }) => kind),
    storage: Object.keys(Object((await window.ask('storage')) as object)),
    retention: await retention(window),
    thresholds: await window.ask('alertThresholds', { profile: 'simulator' }),
    alerts: ((await window.ask('alerts')) as readonly Alert[]).map(({ id, dismissed }) => ({
      id,
      dismissed,
    })),
  }
}

async function retention(window: ApiClient): Promise<unknown> {
  const { rawMs, rollupMs } = Object((await window.ask('storage')) as object) as Record<string, unknown>
  return { rawMs, rollupMs }
}

/** Commands whose effect would be visible in the state. */
export const COMMANDS: Readonly<Record<string, unknown>> = {
  revoke: { profile: 'simulator' },
  disconnect: { profile: 'simulator' },
  setRetention: { rawMs: 3_600_000, rollupMs: 86_400_000 },
  setAlertThreshold: { profile: 'simulator', below: 0 },
  connect: {
    name: 'Theirs',
    environment: 'custom',
    authUrl: 'http://127.0.0.1:9',
    baseUrl: 'http://127.0.0.1:9',
    clientId: 'theirs',
    refreshToken: 'their-own-token',
  },
  openStream: { profile: 'simulator', kind: 'quotes', target: 'THEIRS' },
}
