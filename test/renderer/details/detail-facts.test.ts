import '../utc.ts'
import { expect, it } from 'vitest'
import type { RequestQuota } from '../../../app/contract/snapshot.ts'
import { detailFacts } from '../../../renderer/details/detail-facts.ts'
import { defaultQuota, NOW_MS, quota } from '../fixtures.ts'

const said = (row: RequestQuota) =>
  Object.fromEntries(detailFacts(row, NOW_MS + 4000).map(({ name, value }) => [name, value]))

it('tells a header’s word from the model’s', () => {
  const row = quota('Positions', 320, 300, 38, {
    source: 'modelled',
    seen: 34,
    low: 37,
    high: 39,
    used: { own: 12, elsewhere: 30.4 },
    resource: 'positions',
  })
  expect(said(row)).toMatchObject({
    Source: 'an estimate since the last header',
    'Last header': '34 at 14:31:05, 4 s ago',
    'Somewhere in': '37–39',
    Model: 'rolling interval, seen in headers',
    'Refills every': '0.94 s',
    Resource: 'positions',
    'Used since start': '12 by Headroom, 30 by others',
  })
})

it('shows a dash for what no header told', () => {
  expect(said(defaultQuota('Barchart Stream', 500, 300))).toMatchObject({
    Source: 'the documented default: not checked yet',
    'Last header': '—',
    'Somewhere in': '—',
    Model: 'rolling interval, assumed',
    Resource: '—',
    'Used since start': '—',
  })
})

it('speaks of the window where there is one', () => {
  const row = quota('Accounts', 250, 300, 38, { model: 'fixed', windowEndsAt: NOW_MS + 60_000 })
  expect(said(row)['Window ends']).toBe('14:32:05')
})
