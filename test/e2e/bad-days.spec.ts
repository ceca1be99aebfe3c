import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { SimulatorOptions } from '../../main/simulator/options.ts'
import { BadDay } from './bad-day.ts'
import { test as base, expect } from './fixtures.ts'

/*
 * Each root cause of design's table on real processes: a host that is closed, a token that the service ends, damaged files,
 * silent streams. What the window, `headroom status` and `--json` say of it is read as a person and a program read it.
 */

const test = base.extend<{ readonly dayOptions: Partial<SimulatorOptions>; readonly day: BadDay }>({
  dayOptions: [{}, { option: true }],
  day: async ({ dayOptions }, use) => {
    const day = await BadDay.prepare(dayOptions)
    await use(day)
    await day.close()
  },
})

interface Expected {
  readonly cause: string
  readonly severity: string
  readonly headline: string | RegExp
  readonly detail: string | RegExp
  readonly buttons?: readonly string[]
}

/** Waits for the cause in the window, and compares every other surface with it. */
async function expectSaid(page: Page, day: BadDay, expected: Expected): Promise<void> {
  const panel = page.getByRole('region', { name: 'Verdict' })
  await expect(panel.getByTestId('verdict-headline')).toHaveText(expected.headline, { timeout: 30_000 })
  const said = await day.said(page)
  expect(said.detail).toMatch(expected.detail)
  expect(said.buttons).toEqual(expected.buttons ?? [])
  expect(said.health).toMatchObject({ cause: expected.cause, severity: expected.severity })
  expect(said.status).toContain(said.health.title)
  expect(said.status).toContain(said.health.action)
  expect(said.health.title.replaceAll('’', "'")).toBe(said.headline.replaceAll('’', "'").split(' Also: ')[0])
}

const ready = (page: Page) =>
  expect(page.locator('tr[data-category="Accounts"]')).not.toHaveAttribute('data-source', 'default')

test('damaged saved keys', async ({ page, day }) => {
  writeFileSync(join(day.folder, 'vault.db'), 'no database, but long enough to be one'.repeat(200))
  await day.open(page)
  expect(day.lines[0]).toMatch(/^Your saved keys are damaged\. Connect them again\. Old file: vault\.damaged/)
  await expectSaid(page, day, {
    cause: 'keys-damaged',
    severity: 'critical',
    headline: 'Your saved keys are damaged.',
    detail: /^Connect them again\./,
    buttons: ['Connect again'],
  })
  await page.getByRole('button', { name: 'Connect again' }).click()
  await expect(page.getByRole('dialog').getByLabel('API key')).toBeVisible()
})

test('saved keys without their passphrase', async ({ page, day }) => {
  await day.open(page, {})
  expect(day.lines[0]).toBe('Your saved keys are locked. Restart Headroom with HEADROOM_PASSPHRASE.')
  await expectSaid(page, day, {
    cause: 'keys-locked',
    severity: 'critical',
    headline: 'Your saved keys are locked.',
    detail: /^Restart Headroom with HEADROOM_PASSPHRASE\./,
  })
})

test('both hosts unreachable', async ({ page, day }) => {
  await day.open(page)
  await ready(page)
  await Promise.all([day.resources.close(), day.signIn.close()])
  await expectSaid(page, day, {
    cause: 'hosts-unreachable',
    severity: 'critical',
    headline: /^Can’t reach the service or the sign-in host since/,
    detail: /^Check the network\./,
    buttons: ['Try now'],
  })
})

test('the service alone unreachable', async ({ page, day }) => {
  await day.open(page)
  await ready(page)
  await day.resources.close()
  await expectSaid(page, day, {
    cause: 'service-unreachable',
    severity: 'critical',
    headline: /^Can’t reach the service since/,
    detail: /No action needed/,
    buttons: ['Try now'],
  })
})

test('the service answers 503', async ({ page, day }) => {
  await day.open(page)
  await ready(page)
  day.resources.strike('503')
  await expectSaid(page, day, {
    cause: 'service-failing',
    severity: 'critical',
    headline: /^The service/,
    detail: /No action needed/,
    buttons: ['Try now'],
  })
})

test('a sign-in that the service ended', async ({ page, day }) => {
  await day.open(page)
  await ready(page)
  const { service } = day.simulator
  service.tokens.endEverySignIn()
  service.tokens.expireAccess(service.nowMs())
  await expectSaid(page, day, {
    cause: 'signed-out',
    severity: 'critical',
    headline: 'Signed out.',
    detail: /^Sign in to resume/,
    buttons: ['Sign in'],
  })
})
