import { NOW_MS, slots, snapshot, stream } from '../../renderer/fixtures.ts'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'
import { layoutFaults } from '../../renderer/harness/layout-faults.ts'
import { asked, expect, problemsOf, test } from './window-fixtures.ts'

test('an own stream can be pinned, restarted and, once closed, reopened', async ({ page, open }) => {
  const host = await open(
    snapshot({
      streams: [
        stream('s1', 'Positions Stream', '123', { pinned: true }),
        stream('s2', 'Quote Change Stream', 'MSFT,NOPE', {
          restarts: 2,
          symbolErrors: [{ symbol: 'NOPE', error: 'FAILED, EX_INVALID_SYMBOL', at: NOW_MS }],
        }),
        stream('s3', 'MarketDepth Stream', 'MSFT', {
          streamKind: 'depth',
          state: 'closed',
          reason: 'closed by you',
        }),
      ],
    }),
  )
  await page.getByRole('button', { name: 'Pin Positions · 123', pressed: true }).click()
  await page.getByRole('button', { name: 'Pin Quotes · MSFT,NOPE', pressed: false }).click()
  await page.getByRole('button', { name: 'Restart Quotes · MSFT,NOPE' }).click()
  await page.getByRole('button', { name: 'Open again Depth quotes · MSFT' }).click()
  await expect(page.getByRole('button', { name: 'Close Depth quotes · MSFT' })).toHaveCount(0)
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
  await page.getByRole('button', { name: 'Remove Depth quotes · MSFT' }).click()
  await expect.poll(() => asked(host, 'closeStream')).toEqual([{ profile: 'main', stream: 's3' }])
  const quotes = page.locator('[data-stream=s2]')
  await expect(quotes).toContainText('↻2')
  await expect(quotes.getByTestId('unserved')).toHaveText(
    'NOPE rejected: invalid symbol (FAILED, EX_INVALID_SYMBOL)',
  )
})

test('with every slot taken, room is made only when a person agrees', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.keyboard.press('o')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Kind').selectOption('depth')
  await dialog.getByLabel('Symbol').fill('AAPL')
  const proposal = {
    stream: 's3',
    streamKind: 'depth-aggregates',
    target: 'MSFT',
    openedAt: NOW_MS,
    framesPerSecond: 0,
  }
  host.answer('openStream', { ok: false, code: 'no-slot', message: 'All 10 slots are taken.', proposal })
  await dialog.getByRole('button', { name: 'Open stream', exact: true }).click()
  await expect(dialog.getByRole('alert')).toHaveText('All 10 slots are taken.')
  host.answer('openStream', { ok: true, stream: 's9' })
  await dialog.getByRole('button', { name: 'Replace Depth aggregates · MSFT' }).click()
  await expect(dialog).toBeHidden()
  const plain = { profile: 'main', kind: 'depth', target: 'AAPL' }
  expect(asked(host, 'openStream')).toEqual([plain, { ...plain, replace: 's3' }])
})

test('closing can be undone, and no click target is smaller than 24 px', async ({ page, open }) => {
  const depth = stream('s3', 'MarketDepth Stream', 'MSFT', { streamKind: 'depth' })
  const chains = ['A', 'B', 'C', 'D', 'E'].map((target) => stream(target, 'Option Chain Stream', target))
  const host = await open(snapshot({ streams: [depth, ...chains] }))
  const list = page.getByRole('region', { name: 'Own streams, list' })
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await list.getByRole('button', { name: 'Option chains 5' }).click()
  await expect(list.getByRole('listitem')).toHaveCount(6)
  for (const button of await list.getByRole('button').all()) {
    const box = await button.boundingBox()
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(24)
  }
  await list.getByRole('button', { name: 'Close Depth quotes · MSFT' }).click()
  await expect
    .poll(() => asked(host, 'closeStream'))
    .toEqual([{ profile: 'main', stream: 's3', inSeconds: 5 }])
  host.show(snapshot({ revision: 2, streams: [{ ...depth, closingAt: NOW_MS + 60_000 }, ...chains] }))
  await expect(page.locator('[data-stream=s3]').getByTestId('state')).toHaveText(/^closes in \d+ s$/)
  const undo = list.getByRole('button', { name: 'Undo closing Depth quotes · MSFT' })
  await expect(undo).toBeFocused()
  await undo.click()
  await expect.poll(() => asked(host, 'keepStream')).toEqual([{ profile: 'main', stream: 's3' }])
  host.show(snapshot({ revision: 3, streams: [depth, ...chains] }))
  await expect(list.getByRole('button', { name: 'Pin Depth quotes · MSFT' })).toBeFocused()
})

test('a full group of slots is one word, on one line', async ({ page, open }) => {
  const full = slots('Option Chain Stream', 10, 9, 1)
  await open(snapshot({ slots: [slots('Positions Stream', 40, 1, 2), full] }))
  const group = page.locator('[data-slots="Option Chain Stream"]')
  await expect(group).toHaveAttribute('data-severity', 'warning')
  await expect(group.getByTestId('free')).toHaveText('full')
  await expect(group.getByTestId('used')).toHaveText('10 / 10')
  const box = await group.boundingBox()
  expect(box?.height ?? 99).toBeLessThan(34)
})

test('programs that share a slot are named next to it and next to their stream', async ({ page, open }) => {
  await open(
    snapshot({
      streams: [
        stream('s1', 'Option Chain Stream', 'MSFT', {
          streamKind: 'option-chains',
          readers: 3,
          readBy: [
            { program: 'bot', readers: 2 },
            { program: 'notes', readers: 1 },
          ],
        }),
        stream('s2', 'Option Chain Stream', 'AAPL', { streamKind: 'option-chains' }),
      ],
    }),
  )
  const words = '2 programs on 1 slot: bot ×2, notes'
  await expect(page.locator('[data-slots="Option Chain Stream"]').getByTestId('shared')).toHaveText(
    `MSFT: ${words}`,
  )
  await expect(page.locator('[data-stream=s1]').getByTestId('read-by')).toHaveText(
    words.replace('slot', 'stream'),
  )
  await expect(page.getByTestId('shared')).toHaveCount(1)
  await expect(page.getByTestId('read-by')).toHaveCount(1)
})

test('all streams are closed after a question, each with its time to undo', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.getByRole('button', { name: 'Close all…' }).click()
  await expect(page.getByRole('button', { name: 'Keep', exact: true })).toBeFocused()
  expect(await problemsOf(page, 'section[aria-labelledby=streams-title]')).toEqual([])
  await page.keyboard.press('Enter')
  expect(asked(host, 'closeStream')).toEqual([])
  await page.getByRole('button', { name: 'Close all…' }).click()
  await page.getByRole('button', { name: /^Close \d+ streams$/ }).click()
  const open3 = snapshot().streams.map(({ id }) => ({ profile: 'main', stream: id, inSeconds: 5 }))
  await expect.poll(() => asked(host, 'closeStream')).toEqual(open3)
})

test('open streams say that they can’t reopen while all calls fail', async ({ page, open }) => {
  const host = await open(BAD_DAYS['token rejected (401)']!)
  const streams = page.getByRole('region', { name: 'Own streams', exact: true })
  const sentence = 'If one ends, it can’t reopen until calls work.'
  await expect(streams).toContainText(sentence)
  await expect(page.locator('[data-aspect=streams]')).toHaveText('Streams still live')
  expect(await layoutFaults(page)).toEqual([])
  // A restart would only end the stream, so it can only be closed.
  const live = streams.locator('[data-state=live]').first()
  const restart = live.getByRole('button', { name: /^Restart/ })
  await expect(restart).toBeDisabled()
  await expect(restart).toHaveAttribute('title', sentence)
  await expect(live.getByRole('button', { name: /^Close/ })).toBeEnabled()
  host.show({ ...BAD_DAYS['all is well']!, revision: 2 })
  await expect(streams).not.toContainText(sentence)
  await expect(restart).toBeEnabled()
  await expect(restart).toHaveAttribute('title', 'Restart')
})
