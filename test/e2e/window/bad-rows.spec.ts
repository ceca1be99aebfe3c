import type { Page } from '@playwright/test'
import { SLOTS, slots, snapshot } from '../../renderer/fixtures.ts'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'
import { layoutFaults } from '../../renderer/harness/layout-faults.ts'
import { expect, overflow, test } from './window-fixtures.ts'

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 700 },
  { width: 960, height: 600 },
  { width: 400, height: 800 },
] as const

/** For each day on which the key can't call, the text that its rows show instead of a pace. */
const CANNOT_CALL = {
  'both hosts unreachable': 'calls fail: no response',
  'service unreachable': 'calls fail: no response',
  'sign-in host unreachable, access expired': 'calls fail: access expired',
  'signed out': 'paused until sign-in',
  'key not accepted': 'paused until sign-in',
  'revoked here': 'signed out here',
  'revocation not confirmed': 'signed out here',
  'token rejected (401)': 'calls get 401',
} as const

const row = (page: Page, category: string) => page.locator(`tr[data-category="${category}"]`)
/** Widths of the solid and the hatched part of a bar in pixels, and the bar's colour. */
const barOf = (page: Page, category: string) =>
  row(page, category)
    .getByRole('meter')
    .evaluate((bar) => ({
      solid: bar.querySelector('i')?.getBoundingClientRect().width ?? 0,
      hatched: bar.querySelector('em')?.getBoundingClientRect().width ?? 0,
      tone: getComputedStyle(bar).getPropertyValue('--tone').trim(),
    }))
const colour = (page: Page, name: string) =>
  page.evaluate((one) => getComputedStyle(document.documentElement).getPropertyValue(one).trim(), name)

/** Days that are tested at every size. The others are tested only at the first size. */
const EVERYWHERE = ['service unreachable', 'signed out', 'token rejected (401)']

for (const colorScheme of ['dark', 'light'] as const)
  for (const viewport of colorScheme === 'dark' ? SIZES : SIZES.slice(0, 1))
    test.describe(`at ${viewport.width} × ${viewport.height}, ${colorScheme}`, () => {
      test.use({ viewport, colorScheme })
      for (const [day, reason] of Object.entries(CANNOT_CALL)) {
        if (viewport !== SIZES[0] && !EVERYWHERE.includes(day)) continue
        test(`rows are grey, with their last value and why: ${day}`, async ({ page, open }) => {
          await open(BAD_DAYS[day]!)
          const rows = page.locator(
            'tr[data-category][data-source=modelled], tr[data-category][data-source=header]',
          )
          expect(await rows.count()).toBeGreaterThan(5)
          for (const text of await rows.getByTestId('allowance').allTextContents())
            expect(text.trim()).toBe(reason)
          for (const text of await rows.getByTestId('state').allTextContents())
            expect(text).toMatch(/^(not checked|rejected401)$/)
          await expect(row(page, 'Accounts').locator('td', { hasText: '/ 320' })).toHaveText('was 294 / 320')
          // Only the age is shown, without a next check.
          expect(await rows.getByTestId('age-and-check').allInnerTexts()).toEqual(
            Array.from({ length: await rows.count() }, () =>
              viewport.width > 700 ? '29 min' : '29 min old',
            ),
          )
          if (viewport.width > 700) {
            const bar = await barOf(page, 'Accounts')
            expect(bar.solid).toBe(0)
            expect(bar.hatched).toBeGreaterThan(30)
            expect(bar.tone).toBe(await colour(page, '--muted'))
          }
          expect(await layoutFaults(page)).toEqual([])
          expect((await overflow(page))[0]).toBe(0)
        })
      }

      test('a row shows what may be sent now; lasting 429s have no countdown', async ({ page, open }) => {
        await open(BAD_DAYS['others use the whole refill, 429']!)
        await expect(row(page, 'Accounts').getByTestId('allowance')).toHaveText('294 now, then 1 per 1.0 s')
        const positions = row(page, 'Positions')
        await expect(positions.getByTestId('state')).toHaveText('429×12')
        await expect(positions.getByTestId('allowance')).toHaveText('none until others slow down')
        // None of the requests left can be sent, so their number is grey and thin.
        const weightOf = (one: Element) => getComputedStyle(one).fontWeight
        expect(await positions.getByTestId('remaining').evaluate(weightOf)).toBe('400')
        expect(await layoutFaults(page)).toEqual([])
      })

      test('the age and the time of the next check say what they are', async ({ page, open }) => {
        await open(BAD_DAYS['all is well']!)
        const isCard = viewport.width < 700
        await expect(page.getByRole('columnheader', { name: 'Age / check in' })).toHaveCount(isCard ? 0 : 1)
        expect(await row(page, 'Accounts').getByTestId('age-and-check').innerText()).toMatch(
          isCard ? /^\d+ s old \/ check in \d+ s$/ : /^\d+ s \/ \d+ s$/,
        )
      })

      test('a row on watch is filled like an ok one, in amber, with its end', async ({ page, open }) => {
        await open(BAD_DAYS['a row on watch']!)
        await expect(row(page, 'Positions').getByTestId('state')).toHaveText('watchas early as 14:38')
        const { tone, solid } = await barOf(page, 'Positions')
        expect([tone, solid > 20]).toEqual([await colour(page, '--ok'), true])
        const outline = await row(page, 'Positions')
          .getByRole('meter')
          .evaluate((bar) => getComputedStyle(bar).outlineStyle)
        expect(outline).toBe('solid')
      })

      test('slots that were never observed are not shown as free', async ({ page, open }) => {
        await open(snapshot())
        const group = (category: string) => page.locator(`[data-slots="${category}"]`)
        await expect(group('Option Chain Stream').getByTestId('used')).toHaveText('? / 10')
        await expect(group('Option Chain Stream').getByTestId('free')).toHaveText('not observed')
        await expect(group('MarketDepth Stream').getByTestId('free')).toHaveText('3 free')
        expect(await layoutFaults(page)).toEqual([])
      })

      test('a signed-out key’s slots are not shown as free', async ({ page, open }) => {
        await open({ ...BAD_DAYS['signed out']!, slots: [...SLOTS, slots('More', 10, 2, 1, 'counted')] })
        const words = await page.locator('[data-slots]').getByTestId('free').allTextContents()
        expect(new Set(words)).toEqual(new Set(['not observed', 'others ?']))
        // The app's own open streams are known even if the key can't call.
        const more = page.locator('[data-slots="More"]')
        await expect(more.getByTestId('used')).toHaveText('2 own / 10')
        await expect(more.getByTestId('free')).toHaveText('others ?')
        await expect(more.locator('[data-slot=own]')).toHaveCount(2)
        const marks = await page
          .locator('[data-slots]')
          .evaluateAll((all) => all.map((one) => one.getAttribute('data-severity')))
        expect(new Set(marks)).toEqual(new Set(['unknown']))
        expect(await page.locator('[data-slots] [data-slot=elsewhere]').count()).toBe(0)
        expect(await layoutFaults(page)).toEqual([])
      })
    })
