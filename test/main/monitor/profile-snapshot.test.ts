import { expect, test } from 'vitest'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { streamStatus } from '../../../app/status/stream-status.ts'
import { profileSnapshot } from '../../../main/monitor/profile-snapshot.ts'
import { DEFAULT_PROBES } from '../../../main/ports/profile.ts'
import { defaultQuota, NOW_MS, quota, slots, snapshot, stream } from '../../renderer/fixtures.ts'
import { EXAMPLE_KEY } from '../example-key.ts'

const [AUTH, API] = ['signin.test', 'api.test']

/** A snapshot of a key whose parts have the values in `at`, while the hosts `away` do not answer. */
function shown(at: Snapshot, ...away: readonly string[]): Snapshot {
  const down = { failures: 1, sinceMs: NOW_MS - 20_000, retryAtMs: NOW_MS + 5_000, why: 'timed out' }
  return profileSnapshot(
    {
      revision: 1,
      settingsAt: 0,
      profile: {
        ...EXAMPLE_KEY,
        id: 'main',
        name: 'Main key',
        environment: 'live',
        probes: DEFAULT_PROBES,
        authUrl: `https://${AUTH}`,
        baseUrl: `https://${API}`,
      },
      keystore: at.keystore,
      pausedHistory: at.pausedHistory,
      reachability: {
        down: (host) => (away.includes(host) ? down : undefined),
        hasAnswered: () => true,
      },
      keeper: {
        accessSummary: () => at.access,
        canUseService: true,
        refreshSummary: () => at.refresh,
      },
      ledger: { view: () => at.requests },
      slots: { view: () => at.slots },
      streams: { summaries: () => at.streams },
      prober: { summary: () => at.probes, nextCheckAt: () => undefined },
      tap: { problemOf: (category) => at.requests.find((row) => row.category === category)?.problem },
    },
    NOW_MS,
  )
}

const rows = [quota('Positions', 320, 300, 250), quota('Balances', 320, 300, 250)]
const of = (state: Snapshot['streams'][number]['state']) =>
  stream(state, 'Order Stream', state, { state, retryAt: NOW_MS + 1000 })
const streams = [of('live'), of('stale'), of('waiting'), of('opening'), of('closed')]
const labels = (at: Snapshot) => at.streams.map((one) => streamStatus(one).label)

test('while the service is unreachable, streams without data share one word', () => {
  const at = snapshot({ requests: rows, streams })
  expect(labels(shown(at, API))).toEqual(['live', 'paused', 'paused', 'paused', 'closed'])
  // While a host is unreachable, its next attempt is in the headline, so a paused stream has no time of its
  // own.
  const tries = shown(at, API).streams.map(({ retryAt }) => retryAt !== undefined)
  expect(tries).toEqual([true, false, false, false, true])
  expect(labels(shown(at, API, AUTH))).toEqual(['live', 'paused', 'paused', 'paused', 'closed'])
  expect(labels(shown(at, AUTH))).toEqual(['live', 'silent', 'waiting', 'opening', 'closed'])
})

test('a token that the service ended early is shown as expired while the sign-in host is unreachable, and no row as rejected', () => {
  const problem = { status: 401, since: NOW_MS - 5_000 }
  const at = snapshot({ requests: rows.map((row) => ({ ...row, problem })) })
  const { access, requests } = shown(at, AUTH)
  expect(access.state).toBe('expired')
  expect(requests.map(({ state, problem: told }) => [state, told])).toEqual([
    ['not-checked', undefined],
    ['not-checked', undefined],
  ])
  // If the sign-in host responds, the 401 is the problem to report.
  expect(shown(at).requests.map((row) => row.problem)).toEqual([problem, problem])
})

test.each(['record-corrupt', 'unreadable', 'no-passphrase', 'waiting', 'key-changed'] as const)(
  'keys that are "%s" have no documented rows',
  (keystore) => {
    const requests = [defaultQuota('Positions', 320, 300), quota('Balances', 320, 300, 250)]
    const groups = [slots('Option Chain Stream', 10, 0, 0, 'default')]
    const at = shown(snapshot({ keystore, requests, slots: groups }))
    expect(at.requests.map(({ category }) => category)).toEqual(['Balances'])
    expect(at.slots).toEqual([])
    expect(shown(snapshot({ requests, slots: groups })).requests).toHaveLength(2)
  },
)
