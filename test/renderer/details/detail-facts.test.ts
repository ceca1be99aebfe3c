import '../utc.ts'
import { expect, it } from 'vitest'
import type { RequestQuota } from '../../../app/contract/snapshot.ts'
import { rateText } from '../../../app/status/rates.ts'
import { detailFacts, programsText } from '../../../renderer/details/detail-facts.ts'
import { addedPerSecond } from '../../../renderer/details/what-if.tsx'
import { exampleProgram } from '../../main/hosts/terminal/example-snapshot.ts'
import { defaultQuota, NOW_MS, quota } from '../fixtures.ts'

const said = (row: RequestQuota) =>
  Object.fromEntries(detailFacts(row, NOW_MS + 4000, undefined).map(({ name, value }) => [name, value]))

it('distinguishes a header’s number from the model’s', () => {
  const row = quota('Positions', 320, 300, 38, {
    source: 'modelled',
    seen: 34,
    low: 37,
    high: 39,
    used: { own: 12, elsewhere: 30.4 },
    resource: 'positions',
  })
  expect(said(row)).toMatchObject({
    Source: 'estimate since the last header',
    'Last header': '34 at 14:31:05, 4 s ago',
    'Requests left (range)': '37–39',
    Model: 'rolling interval, seen in headers',
    'Refills every': '0.94 s',
    Resource: 'positions',
    'Used since start': '12 by Headroom, 30 by others',
  })
})

it('shows the desk’s other machines as a third part of the use', () => {
  const use = { total: 1.2, own: 0.1, desk: 0.4, elsewhere: 0.7, elsewhereLow: 0.7, elsewhereHigh: 0.7 }
  const row = quota('Positions', 320, 300, 38, { use, used: { own: 12, desk: 5, elsewhere: 30.4 } })
  expect(said(row)).toMatchObject({
    'The desk uses': '0.4/s',
    'Others use': '0.7/s',
    'Used since start': '12 by this machine, 5 by the desk, 30 by others',
  })
  expect(said(quota('Positions', 320, 300, 38))).not.toHaveProperty('The desk uses')
})

it('shows a dash for a number no header gave', () => {
  expect(said(defaultQuota('Barchart Stream', 500, 300))).toMatchObject({
    Source: 'documented default, not checked yet',
    'Last header': '—',
    'Requests left (range)': '—',
    Model: 'rolling interval, assumed',
    Resource: '—',
    'Used since start': '—',
  })
})

it('mentions the window if there is one', () => {
  const row = quota('Accounts', 250, 300, 38, { model: 'fixed', windowEndsAt: NOW_MS + 60_000 })
  expect(said(row)['Window ends']).toBe('14:32:05')
  // The facts are those of 4 s later. The end of the next window is not known yet.
  expect(said({ ...row, windowEndsAt: NOW_MS + 4_000 })['Window ends']).toBe('—')
})

it('shows the safe pace with the burst above the reserve, and names others if they use the whole refill', () => {
  const safe = (everySeconds: number | null, burst: number) =>
    said(quota('Balances', 320, 300, 100, { safe: { everySeconds, burst } }))['Safe pace']
  expect(safe(1.899, 36)).toBe('1 per 1.9 s, 36 at once above the gateway’s reserve')
  expect(safe(1.899, 0)).toBe('1 per 1.9 s')
  expect(safe(null, 0)).toBe('none: others may use the whole refill')
})

it('shows others as a poller if they are recognized as one', () => {
  const others = (poller?: RequestQuota['poller']) =>
    said(quota('Balances', 320, 300, 100, { ...(poller && { poller }) }))['Others are']
  expect(others({ everySeconds: 5, calls: 1, since: NOW_MS - 3_600_000 })).toBe(
    'a poller, every 5 s, since 13:31',
  )
  expect(others({ everySeconds: 10, calls: 3, since: NOW_MS })).toBe(
    'a poller, 3 calls every 10 s, since 14:31',
  )
  expect(others({ everySeconds: 30, calls: 2, mayBeMore: true, since: NOW_MS })).toBe(
    'a poller, 2 or more calls every 30 s, since 14:31',
  )
  expect(others()).toBeUndefined()
})

it('accepts the ways to type a rate, and nothing else', () => {
  expect(['0.5', ' 2 ', '0,25', '.5', '0'].map(addedPerSecond)).toEqual([0.5, 2, 0.25, 0.5, 0])
  expect(['', '-1', 'x', '1e3', '101', '1.2.3', '1,000'].map(addedPerSecond)).toEqual(
    Array(7).fill(undefined),
  )
})

it('a row lists the programs that use it, and those that wait', () => {
  const program = exampleProgram('My bot', {
    use: [{ category: 'Accounts', forwarded: 7, perSecond: 0.25, waiting: 2 }],
  })
  const notes = {
    ...program,
    name: 'notes',
    use: [{ category: 'Accounts', forwarded: 1, perSecond: 0, waiting: 0 }],
  }
  expect(programsText({ programs: [program, notes] }, 'Accounts')).toBe(
    `My bot ${rateText(0.25)}, 2 waiting · notes ${rateText(0)}`,
  )
  expect(programsText({ programs: [program] }, 'Positions')).toBe('')
  expect(programsText({}, 'Accounts')).toBe('')
})
