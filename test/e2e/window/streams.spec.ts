import { NOW_MS, snapshot, stream } from '../../renderer/fixtures.ts'
import { asked, expect, test } from './window-fixtures.ts'

test('an own stream is pinned, restarted and, once closed, opened again', async ({ page, open }) => {
  const host = await open(
    snapshot({
      streams: [
        stream('s1', 'Positions Stream', '123', { pinned: true }),
        stream('s2', 'Quote Change Stream', 'MSFT,NOPE', {
          restarts: 2,
          symbolErrors: [{ symbol: 'NOPE', error: 'FAILED, EX_INVALID_SYMBOL', at: NOW_MS }],
        }),
        stream('s3', 'MarketDepth Stream', 'MSFT', { state: 'closed', reason: 'closed here' }),
      ],
    }),
  )
  await page.getByRole('button', { name: 'Pin Positions · 123', pressed: true }).click()
  await page.getByRole('button', { name: 'Pin Quotes · MSFT,NOPE', pressed: false }).click()
  await page.getByRole('button', { name: 'Restart Quotes · MSFT,NOPE' }).click()
  await page.getByRole('button', { name: 'Open again Depth · MSFT' }).click()
  await expect(page.getByRole('button', { name: 'Close Depth · MSFT' })).toHaveCount(0)
  await expect
    .poll(() => asked(host, 'pinStream'))
    .toEqual([
      { profile: 'main', stream: 's1', pinned: false },
      { profile: 'main', stream: 's2', pinned: true },
    ])
  await expect
    .poll(() => asked(host, 'restartStream'))
    .toEqual([
      { profile: 'main', stream: 's2' },
      { profile: 'main', stream: 's3' },
    ])
  const quotes = page.locator('[data-stream=s2]')
  await expect(quotes).toContainText('↻2')
  await expect(quotes.getByTestId('unserved')).toHaveText('NOPE not served: FAILED, EX_INVALID_SYMBOL')
})

test('where every slot is taken, room is made only when a person says so', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.keyboard.press('o')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Kind').selectOption('depth')
  await dialog.getByLabel('Symbol').fill('AAPL')
  const proposal = { stream: 's3', target: 'MSFT', openedAt: NOW_MS, framesPerSecond: 0 }
  host.answer('openStream', { ok: false, code: 'no-slot', message: 'All 10 slots are taken.', proposal })
  await dialog.getByRole('button', { name: 'Open stream', exact: true }).click()
  await expect(dialog.getByRole('alert')).toHaveText('All 10 slots are taken.')
  host.answer('openStream', { ok: true, stream: 's9' })
  await dialog.getByRole('button', { name: 'Close the oldest, open this' }).click()
  await expect(dialog).toBeHidden()
  const plain = { profile: 'main', kind: 'depth', target: 'AAPL' }
  expect(asked(host, 'openStream')).toEqual([plain, { ...plain, whenFull: 'close-oldest' }])
})
