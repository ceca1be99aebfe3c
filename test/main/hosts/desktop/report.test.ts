import { describe, expect, it } from 'vitest'
import type { Snapshot } from '../../../../app/contract/snapshot.ts'
import { readDesktopState } from '../../../../main/hosts/desktop/desktop-state.ts'
import { reportText } from '../../../../main/hosts/desktop/report.ts'
import { snapshotOf } from '../browser/fake-windows.ts'
import { exampleQuota } from '../terminal/example-snapshot.ts'

const NAMES = ['My retirement', 'ACC-90210', 'IBM', 'broker.internal.test', 'profile-7f', 'ACC-555', '98-77']
const SECRETS = ['eyJhbGciOi.eyJzdWIiOi.c2ln', 'rt-0123456789abcdef']

const snapshot: Snapshot = {
  ...snapshotOf('profile-7f', 3),
  profile: { id: 'profile-7f', name: 'My retirement', environment: 'custom' },
  service: { reachable: false, host: 'broker.internal.test' },
  refresh: { ...snapshotOf('p', 1).refresh, reason: 'ACC-90210 said no' },
  requests: [exampleQuota({ problem: { status: 403, message: 'Account "ACC-555" is closed', since: 0 } })],
  streams: [
    {
      id: 'positions:ACC-90210',
      category: 'Positions Stream',
      target: 'ACC-90210',
      state: 'live',
      framesPerSecond: 2,
      restarts: 0,
    },
  ],
}

const log = [
  '2026-01-05T14:00:00.000Z stream-opened {"target":"ACC-90210","stream":"positions:ACC-90210"}',
  '2026-01-05T14:00:01.000Z stream-opened {"target":"IBM,F","profile":"gone-1"}',
  `2026-01-05T14:00:02.000Z an old line {"x":"Bearer ${SECRETS[0]}"} refresh_token=${SECRETS[1]}`,
  '2026-01-05T14:00:02.500Z requests-refused {"status":403,"message":"ACC-555 holds no IBM"}',
  '2026-01-05T14:00:02.600Z order-resolved {"state":"found","orderId":"98-77"}',
  '2026-01-05T14:00:03.000Z could not open /home/somebody/headroom/window.json',
  '',
].join('\n')

const inputs = {
  atMs: 0,
  app: 'version 1.2.3',
  system: 'linux x64',
  versions: { electron: '45.0.0', node: undefined },
  state: readDesktopState({}),
  snapshots: [snapshot],
  log,
  paths: ['/home/somebody/headroom', '/home/somebody'],
}
const report = reportText(inputs)

describe('a saved report', () => {
  it('contains what is needed to find a fault', () => {
    expect(report).toContain('version 1.2.3')
    expect(report).toContain('electron: 45.0.0')
    expect(report).toContain('"reachable": false')
    expect(report).toContain('Positions Stream')
    expect(report).toContain('stream-opened')
    expect(report).toContain('"status": 403')
  })

  it('contains no secret, name, account, symbol or path of the person', () => {
    for (const hidden of [...NAMES, ...SECRETS, 'somebody', 'gone-1'])
      expect([hidden, report.includes(hidden)]).toEqual([hidden, false])
  })

  it('hides every name, however many there are', () => {
    const [stream] = snapshot.streams
    if (stream === undefined) throw new Error('no stream')
    const streams = Array.from({ length: 100 }, (_, i) => ({ ...stream, id: `s-${i}`, target: `ACC-7${i}` }))
    const text = reportText({
      ...inputs,
      snapshots: [{ ...snapshot, streams }],
      log: 'ACC-70 of My retirement',
    })
    expect(text).not.toMatch(/ACC-70|My retirement/)
  })
})
