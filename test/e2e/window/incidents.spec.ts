import type { LoggedEvent, MonitorEvent } from '../../../app/contract/events.ts'
import { NOW_MS, snapshot } from '../../renderer/fixtures.ts'
import { expect, test } from './window-fixtures.ts'

const stream = { stream: 's1', category: 'Order Stream', target: '123456782' } as const
const before = { limit: 90, low: 0, high: 1, own: 3, othersLow: 114, othersHigh: 114 } as const
const short = { kind: 'quota-short', limit: 320, othersLow: 1.2, othersHigh: 1.3, refill: 1.07 } as const

/** The incidents of a busy quarter of an hour: seconds before now, and the event. */
const HAPPENED: readonly (readonly [number, MonitorEvent])[] = [
  [600, { kind: 'rate-limited', category: 'Option Spread Types', retryAt: NOW_MS - 540_000, before }],
  [492, { kind: 'rate-limit-over', category: 'Option Spread Types', since: NOW_MS - 600_000, refused: 1 }],
  [400, { kind: 'elsewhere', category: 'Positions', perSecond: 1.2 }],
  [380, { kind: 'elsewhere', category: 'Option Expirations', perSecond: 1.9 }],
  [326, { kind: 'token-refreshed', rotated: true, expiresAt: NOW_MS + 871_000, tookMs: 400 }],
  [
    200,
    {
      kind: 'stream-restarted',
      streamKind: 'orders',
      ...stream,
      reason: 'server going away',
      since: NOW_MS - 201_000,
      overlapped: true,
    },
  ],
  [150, { ...short, category: 'Quote Snapshot', state: 'running-out', remaining: 61 }],
  [90, { ...short, category: 'Option Strikes', state: 'empty', remaining: 0 }],
  [
    20,
    {
      kind: 'rate-limited',
      category: 'Option Expirations',
      retryAt: NOW_MS + 40_000,
      before,
      requestId: 'r-1',
    },
  ],
]
const EVENTS = HAPPENED.map(
  ([ago, event], index): LoggedEvent => ({
    ...event,
    seq: 100 + index,
    at: NOW_MS - ago * 1000,
    profile: 'main',
  }),
)

test('each incident is two uncut lines; open ones first, ended with lengths', async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const host = await open(snapshot())
  for (const event of EVENTS) host.push('eventHappened', event)
  const list = page.getByRole('list', { name: 'Events' })
  const row = (title: string) => list.getByRole('listitem').filter({ hasText: title }).first()
  await expect(row('Option Strikes empty')).toContainText('others use the whole refill')
  await expect(page.getByRole('heading', { name: 'Incidents' }).locator('+ span')).toHaveText('4 open')
  const lines = await list.locator('> li').evaluateAll((items) =>
    items.map((item) => {
      const words = [...item.querySelectorAll('b > span, b + span > span')]
      return {
        rows: Math.round((item.getBoundingClientRect().height - 8) / 16),
        cut: words.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
        said: words.map((one) => one.textContent).join(' | '),
        isOpen: item.dataset['open'],
      }
    }),
  )
  expect(lines.filter(({ cut, rows }) => cut.length > 0 || rows !== 2)).toEqual([])
  expect(lines.slice(0, 9).map(({ said }) => said)).toEqual([
    expect.stringMatching(/^429 on Option Expirations \| safe to retry at /),
    'Option Strikes empty | others use the whole refill',
    'Quote Snapshot running out | began with others 1.2–1.3/s, refill 1.07/s',
    'Others active on 2 quotas | Option Expirations and Positions',
    expect.any(String),
    'Orders stream reconnected (GoAway) | 123456782 · nothing missed | 1 s',
    'Access token renewed | refresh token rotated, saved | 0.4 s',
    expect.any(String),
    '429 on Option Spread Types | others 1.9/s | 1 min 48 s',
  ])
  // An incident that has ended shows its end instead of the word "open".
  await expect(row('Orders stream reconnected').locator('time')).toHaveCount(2)
  await expect(row('Option Strikes empty').locator('time')).toHaveCount(1)
})

test('a click shows only the open ones, and a grouped line unfolds to each', async ({ page, open }) => {
  const host = await open(snapshot())
  for (const event of EVENTS) host.push('eventHappened', event)
  const list = page.getByRole('list', { name: 'Events' })
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(list.locator('> li')).toHaveCount(4)
  await list.getByText('Others active on 2 quotas').click()
  await expect(list).toContainText('Others active on Positions')
  await list.getByText('429 on Option Expirations').click()
  await expect(list.getByText('Others, last 60 s')).toBeVisible()
  await expect(list.getByRole('button', { name: 'Copy request id r-1' })).toBeVisible()
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await expect(list.locator('> li')).not.toHaveCount(4)
})

test('in forced colours a line that unfolds does not look like a link', async ({ page, open }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  const host = await open(snapshot())
  for (const event of EVENTS) host.push('eventHappened', event)
  const list = page.getByRole('list', { name: 'Events' })
  const colour = (title: string) =>
    list.getByText(title).evaluate((element) => getComputedStyle(element).color)
  expect(await colour('429 on Option Expirations')).toBe(await colour('Option Strikes empty'))
})
