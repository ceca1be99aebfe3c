import { expect, test } from 'vitest'
import type { OrdersSummary } from '../../../../app/contract/orders.ts'
import { orders } from '../../../../main/hosts/terminal/orders-command.ts'
import { exampleSnapshot } from './example-snapshot.ts'
import { fakeTerminal } from './fake-terminal.ts'

async function said(summary: OrdersSummary | undefined, json = false) {
  const terminal = fakeTerminal()
  const { orders: _, ...snapshot } = exampleSnapshot()
  const snapshots = [{ ...snapshot, ...(summary && { orders: summary }) }]
  const exitCode = await orders(json ? { json: true } : {}, {
    terminal,
    defaultDataFolder: () => '/default',
    askRunning: async () => ({ kind: 'answered', answer: { ok: true, snapshots } }),
  })
  expect(exitCode).toBe(0)
  return terminal.lines.join('\n')
}

const unknown: OrdersSummary['unknown'] = [
  { id: '1', program: 'bot', at: 1, kind: 'order', accountEnding: '001', state: 'looking' },
]

test.each<[OrdersSummary | undefined, string]>([
  [undefined, 'orders are off'],
  [{ state: 'off', today: 0, unknown: [] }, 'orders are off'],
  [{ state: 'on', today: 12, unknown: [] }, 'orders are allowed, 12 today'],
  [{ state: 'on', today: 1, unknown }, 'orders are allowed, 1 today, 1 outcome unknown'],
  [{ state: 'stopped', why: 'by you', today: 0, unknown: [] }, 'orders are stopped: by you, 0 today'],
  [
    { state: 'failed', why: 'disk full', today: 3, unknown },
    'stopped: disk full, 3 today, 1 outcome unknown',
  ],
])('%j is said as: %s', async (summary, words) => {
  expect(await said(summary)).toContain(words)
})

test('with --json each key is one line', async () => {
  expect(JSON.parse(await said({ state: 'on', today: 1, unknown }, true))).toEqual({
    v: 1,
    type: 'orders',
    profile: exampleSnapshot().profile.id,
    state: 'on',
    today: 1,
    unknown,
  })
})

test('without a running Headroom it fails', async () => {
  const terminal = fakeTerminal()
  const deps = {
    terminal,
    defaultDataFolder: () => '/d',
    askRunning: async () => ({ kind: 'nobody' }) as const,
  }
  expect(await orders({}, deps)).toBe(1)
  expect(terminal.errors).toEqual(['no Headroom is running on /d; start it first'])
})
