import { mkdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { openByFile } from '../../main/storage/address-file.ts'
import { expect, test } from './fixtures.ts'

test('a first start shows the simulator’s live data without a cookie; the policy blocks none', async ({
  page,
  headroom,
}) => {
  await page.goto(headroom.url)
  await expect(page.getByText('Positions', { exact: true }).first()).toBeVisible()
  await expect(page.getByText(/simulator/i).first()).toBeVisible()
  expect(await page.context().cookies()).toEqual([])
})

test('a used code opens no second window; the terminal shows a new one', async ({ page, headroom }) => {
  await page.goto(headroom.url)
  const fresh = await headroom.waitForReady(2)
  expect(new URL(fresh).origin).toBe(headroom.origin)
  expect(fresh).not.toBe(headroom.url)
})

test('a window leaves neither its code nor the file that opened it in the tab’s history', async ({
  page,
  headroom,
}, testInfo) => {
  const folder = testInfo.outputPath('opened')
  mkdirSync(folder, { recursive: true })
  let file = ''
  const open = openByFile({
    folder,
    clock: { after: () => () => {} },
    randomBytes: (size) => new Uint8Array(size).fill(7),
    openFile: async (path) => {
      file = path
    },
  })
  const used = await open(headroom.url)
  // A running browser opens the file in a tab that already has a page. That page must not have a server that
  // the browser asks for an icon.
  await page.goto('data:text/html,<title>A page of its own</title>')
  await page.goto(pathToFileURL(file).href)
  await expect(page.getByText('Positions', { exact: true }).first()).toBeVisible()
  used()
  expect(page.url()).toBe(`${headroom.origin}/`)
  const session = await page.context().newCDPSession(page)
  const { entries } = await session.send('Page.getNavigationHistory')
  const { hash } = new URL(headroom.url)
  expect(hash.length).toBeGreaterThan('#code='.length)
  expect(entries.map(({ url }) => url).filter((url) => url.includes(hash))).toEqual([])
  expect(entries.map(({ url }) => url)).not.toContain(pathToFileURL(file).href)
  // The address in the browser's history connects no window, because its code is used up.
  const later = await page.context().newPage()
  await later.goto(headroom.url)
  await expect(later.getByText('Open the link Headroom printed')).toBeVisible()
  await expect(later.getByText('Positions', { exact: true })).toHaveCount(0)
})
