import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { SimulatorOptions } from '../../main/simulator/options.ts'
import { provesInBrowser } from '../proof/proves-in-browser.ts'
import { smallDisk } from '../storm/small-disk.ts'
import { THOROUGH_TAG } from '../thorough.ts'
import { BadDay } from './bad-day.ts'
import { test as base, expect } from './fixtures.ts'

/*
 * Each root cause of design's table on real processes: a host that is closed, a token that the service ends, damaged files,
 * silent streams. What the window, `headroom status` and `--json` say of it is read as a person and a program read it.
 */

const test = base.extend<{ readonly dayOptions: Partial<SimulatorOptions>; readonly day: BadDay }>({
  dayOptions: [{}, { option: true }],
  day: async ({ dayOptions, problems }, use) => {
    const day = await BadDay.prepare(dayOptions)
    await use(day)
    problems.end()
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
  await expect(panel.getByTestId('verdict-headline')).toHaveText(expected.headline, { timeout: 60_000 })
  const said = await day.said(page)
  expect(said.detail).toMatch(expected.detail)
  expect(said.buttons).toEqual(expected.buttons ?? [])
  expect(said.health).toMatchObject({ cause: expected.cause, severity: expected.severity })
  expect(said.status).toContain(said.health.title)
  expect(said.status).toContain(said.health.action)
  expect(said.health.title.replaceAll('’', "'")).toBe(said.headline.replaceAll('’', "'").split(' Also: ')[0])
  provesInBrowser('C2', 1)
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

test.describe('a sign-in host that is away', () => {
  test.use({ dayOptions: { accessLifetimeSeconds: 45 } })

  test('access works until it expires, then checks are paused', { tag: THOROUGH_TAG }, async ({
    page,
    day,
  }) => {
    await day.open(page)
    await ready(page)
    await day.signIn.close()
    await expectSaid(page, day, {
      cause: 'sign-in-host-unreachable',
      severity: 'warning',
      headline: /^Can’t reach the sign-in host\. Access works until \d\d:\d\d\.$/,
      detail: /^Check the network\./,
      buttons: ['Try now'],
    })
    await expectSaid(page, day, {
      cause: 'sign-in-host-gone',
      severity: 'critical',
      headline: 'Can’t reach the sign-in host. Access has expired; checks are paused.',
      detail: /^Check the network\./,
      buttons: ['Try now'],
    })
  })
})

for (const { what, fault, ...expected } of [
  {
    what: 'a valid token that is rejected',
    fault: 'resources-401',
    cause: 'token-rejected',
    severity: 'critical',
    headline: /^Token rejected \(401\) since/,
    detail: /^Check the key’s host, or sign in again\./,
    buttons: ['Sign in'],
  },
  {
    what: 'permissions that are missing',
    fault: 'resources-403',
    cause: 'permission-missing',
    severity: 'warning',
    headline: /permission missing \(403\)/,
    detail: /^Sign in again with /,
    buttons: ['Sign in'],
  },
  {
    what: 'responses without rate-limit headers',
    fault: 'no-quota-headers',
    cause: 'no-headers',
    severity: 'warning',
    headline: 'Responses have no rate-limit headers.',
    detail: /^Check the service address, VPN and proxy\./,
  },
] as const) {
  test(what, async ({ page, day }) => {
    await day.open(page)
    await ready(page)
    day.simulator.faults.set(fault, true)
    await expectSaid(page, day, expected)
  })
}

test('no stream that receives data', async ({ page, day }) => {
  day.simulator.faults.set('silent-stream', true)
  await day.open(page)
  await ready(page)
  await expectSaid(page, day, {
    cause: 'no-stream-data',
    severity: 'critical',
    headline: /^No stream is receiving data/,
    detail: /Treat last prices as stale\./,
    buttons: ['Reopen all'],
  })
})

test('others that use the whole refill', { tag: THOROUGH_TAG }, async ({ page, day }) => {
  await day.open(page)
  await ready(page)
  day.simulator.service.setTraffic({ Positions: 20 })
  await expectSaid(page, day, {
    cause: 'others-use-refill',
    severity: 'critical',
    headline: /^429 on Positions\. Others use the whole refill \(1\.07\/s\)\./,
    detail: /^Slow or stop the other programs\./,
  })
})

test('a revocation that the service does not confirm', async ({ page, day }) => {
  day.simulator.faults.set('revoke-503', true)
  await day.open(page)
  await ready(page)
  await page.getByRole('button', { name: 'Revoke tokens…' }).click()
  await page.getByRole('button', { name: 'Revoke all tokens' }).click()
  await expectSaid(page, day, {
    cause: 'revocation-unconfirmed',
    severity: 'critical',
    headline: /^Revocation not confirmed/,
    detail: /No action needed\./,
    buttons: ['Try now'],
  })
})

test('a full disk', async ({ page, problems }) => {
  const disk = smallDisk(true)
  test.skip(disk.why !== undefined, disk.why)
  const day = await BadDay.prepare({}, disk.folder)
  try {
    await day.open(page)
    await ready(page)
    disk.fill()
    await expectSaid(page, day, {
      cause: 'history-paused',
      severity: 'warning',
      headline: 'Disk full. History is paused; monitoring continues.',
      detail: /^Free space on the data folder’s disk\./,
      buttons: ['Free space'],
    })
    await page.getByRole('button', { name: 'Free space' }).click()
    await expect(page.getByText(`The data folder is ${day.folder}.`)).toBeVisible()
    disk.free()
    await expect(page.getByTestId('verdict-headline')).not.toContainText('Disk full', { timeout: 30_000 })
  } finally {
    problems.end()
    await day.close()
    disk.close()
  }
})

test.describe('slots that others hold', () => {
  test.use({ dayOptions: { slotsElsewhere: { 'Positions Stream': 40 } } })

  test('all slots in use while a stream waits', async ({ page, day }) => {
    await day.open(page)
    await ready(page)
    await expectSaid(page, day, {
      cause: 'slots-full',
      severity: 'warning',
      headline:
        /^Positions Stream: all 40 slots in use \(40 others\)\.|^Positions Stream: all 40 slots in use/,
      detail: /Close a stream/,
    })
  })
})
