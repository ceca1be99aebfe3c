import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from '@playwright/test'
import { CONDITIONS, type ConditionKind } from '../../app/conditions/kinds.ts'
import { provesInBrowser } from '../proof/proves-in-browser.ts'
import { smallDisk } from '../storm/small-disk.ts'
import { quickIf, THOROUGH_TAG } from '../thorough.ts'
import { BadDay, PASSPHRASE, type Said } from './bad-day.ts'
import { expect, openReady, ready, revokeAll, test } from './bad-day-fixtures.ts'

/*
 * Each root cause from the design's table on real processes: a host that is closed, a token that the service
 * ends, damaged files, silent streams. The test reads the window, `headroom status` and `--json` as a person
 * and a program do. If the key can't call, no surface shows it as "ok", or shows a pace or a next check.
 */

interface Expected {
  readonly cause: ConditionKind
  readonly severity: string
  readonly headline: string | RegExp
  readonly detail: string | RegExp
  /** Their texts, or what matches them. */
  readonly buttons?: readonly unknown[]
}

/** Waits for the cause in the window, and compares every other surface with it. */
async function expectSaid(page: Page, day: BadDay, expected: Expected): Promise<void> {
  const panel = page.getByRole('region', { name: 'Verdict' })
  await expect(panel.getByTestId('verdict-headline')).toHaveText(expected.headline, { timeout: 60_000 })
  // The surfaces are read one after the other. If the condition changed in the meantime, they are read again.
  await expect(async () => compareSurfaces(await day.said(page), expected)).toPass({ timeout: 30_000 })
  provesInBrowser('C2', 1)
  if (CONDITIONS[expected.cause].stopsCalls) await expectNoCalls(page, day, expected)
}

/** Texts that may only be shown for a key that can call. */
const OF_CALLS = [
  ['ok', /\bok\b/i],
  ['a pace', /\b1 per \d|\d per s\b|\b1\/\d+(?:\.\d+)?s\b/],
  ['a burst', /\d now, then\b|\d at once\b/],
  ['a next check', /\bnext check\b/i],
] as const

/** The claims in a text, each with the words around it. */
const claimsIn = (text: string) =>
  OF_CALLS.flatMap(([claim, pattern]) => {
    const at = text.search(pattern)
    return at < 0 ? [] : [`${claim}: ${text.slice(Math.max(0, at - 40), at + 20)}`]
  })

/** Fails if a surface shows ok, a pace or a next check, also that of a `headroom watch` next to the app. */
async function expectNoCalls(page: Page, day: BadDay, { cause, headline }: Expected): Promise<void> {
  await expect(page.locator('tr[data-category]:not([data-state="not-checked"])')).toHaveCount(0)
  // The end of a sign-in causes 401s. They must not be shown as the state of a row.
  const rejected = page.locator('tr[data-category]').getByTestId('state').filter({ hasText: 'rejected' })
  if (cause === 'signed-out') await expect(rejected).toHaveCount(0)
  await expect(page.getByTestId('next-check')).toHaveCount(0)
  for (const [surface, text] of Object.entries(await day.texts(page)))
    expect(claimsIn(text), surface).toEqual([])
  const exported = (await day.metrics()).filter((line) =>
    /^headroom_requests_(?:safe|next_check)|^headroom_requests_state\{.*state="(?!not-checked).*} 1$/.test(
      line,
    ),
  )
  expect(exported).toEqual([])
  if (day.isWatched) {
    const shown = typeof headline === 'string' ? headline : new RegExp(headline.source, 'm')
    await expect.poll(() => day.table, { timeout: 60_000 }).toMatch(shown)
    expect(claimsIn(day.table)).toEqual([])
  }
  provesInBrowser('C1', 1)
}

/** Like `openReady`, with a `headroom watch` next to the app that has numbers too. */
async function openWatched(page: Page, day: BadDay): Promise<void> {
  await openReady(page, day)
  await day.watch()
  await expect.poll(() => day.table).toMatch(/^ok +Accounts/m)
}

/** Fails if one surface differs from `expected`, or from what `--json` says. */
function compareSurfaces(said: Said, expected: Expected): void {
  const { title, action, severity } = said.health
  expect(steady(said.headline)).toBe(steady(title))
  expect(said.detail).toMatch(expected.detail)
  expect(said.buttons).toEqual(expected.buttons ?? [])
  expect(said.health).toMatchObject({ cause: expected.cause, severity: expected.severity })
  const table = steady(said.status.replaceAll('\n', ' '))
  expect(table).toContain(steady(title))
  expect(table).toContain(steady(action))
  for (const surface of [said, said.glance, said.strip, said.tray]) expect(surface.severity).toBe(severity)
  if (!isOfQuota(expected.cause)) expect(steady(said.glance.text)).toContain(steady(title))
  const sample = said.metrics.find((line) => line.includes(`cause="${expected.cause}"`))
  expect(sample).toMatch(new RegExp(`severity="${severity}".*} 1$`))
}

/** Removes what changes every second, because the surfaces are read one after the other. */
const steady = (text: string) =>
  text
    .replaceAll(/(?:at )?\d\d:\d\d(?:–\d\d:\d\d| or later)?/g, '14:02')
    .replaceAll(/1 per [\d.]+ s/g, '1 per 1 s')

/** Whether a cause concerns one quota. For these, the glance shows a number instead of the sentence. */
const isOfQuota = (cause: string) => cause.endsWith('-use') || cause.endsWith('-refill')

/** A program of a person's own behind the gateway. */
class Scanner {
  readonly #gateway: string

  constructor(gateway: string) {
    this.#gateway = gateway
  }

  ask(): Promise<Response> {
    return fetch(`${this.#gateway}/v3/brokerage/accounts/SIM1001/positions`, {
      headers: { authorization: 'Bearer scanner-key-of-a-bad-day' },
    })
  }

  /** Asks again and again, until it is ended. */
  call({ perSecond }: { readonly perSecond: number }): { end(): Promise<void> } {
    const asked: Promise<unknown>[] = []
    const timer = setInterval(
      () =>
        void asked.push(
          this.ask().then(
            (answer) => answer.arrayBuffer(),
            () => {},
          ),
        ),
      1000 / perSecond,
    )
    return {
      end: async () => {
        clearInterval(timer)
        await Promise.all(asked)
      },
    }
  }
}

test('damaged saved keys', async ({ page, day }) => {
  writeFileSync(join(day.folder, 'vault.db'), 'no database, but long enough to be one'.repeat(200))
  await day.open(page)
  expect(day.lines[0]).toMatch(/^Your saved keys are damaged\. Connect them again\. Old file: vault\.damaged/)
  await expectSaid(page, day, {
    cause: 'keys-damaged',
    severity: 'critical',
    headline: 'Your saved keys are damaged or missing.',
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

test('keys encrypted with another passphrase', async ({ page, day }) => {
  await day.open(page, { HEADROOM_PASSPHRASE: 'copper thistle ravine lantern' })
  await expectSaid(page, day, {
    cause: 'keys-sealed-elsewhere',
    severity: 'critical',
    headline: 'Your keys were encrypted with another keyring or passphrase.',
    detail: /^Sign in again, or restart Headroom with that keyring or passphrase\./,
    buttons: ['Sign in'],
  })
})

test('both hosts unreachable', async ({ page, day }) => {
  await openWatched(page, day)
  await Promise.all([day.resources.close(), day.signIn.close()])
  await expectSaid(page, day, {
    cause: 'hosts-unreachable',
    severity: 'critical',
    headline: /^Can’t reach the service or the sign-in host since/,
    detail: /^Check the servers at [\w.]+:\d+ \(service\) and [\w.]+:\d+ \(sign-in\)\./,
    buttons: ['Try now'],
  })
})

test('the service alone unreachable', async ({ page, day }) => {
  await openWatched(page, day)
  await day.resources.close()
  await expectSaid(page, day, {
    cause: 'service-unreachable',
    severity: 'critical',
    headline: /^Can’t reach the service since/,
    detail: /No action needed/,
    buttons: ['Try now'],
  })
})

test('the service responds 503', { tag: THOROUGH_TAG }, async ({ page, day }) => {
  await openWatched(page, day)
  day.resources.strike('503')
  await expectSaid(page, day, {
    cause: 'service-failing',
    severity: 'critical',
    headline: /^The service responds with 503/,
    detail: /No action needed/,
    buttons: ['Try now'],
  })
})

test('a proxy that sends one byte a second', { tag: THOROUGH_TAG }, async ({ page, day }) => {
  await openReady(page, day)
  day.resources.strike('slow-head')
  await expectSaid(page, day, {
    cause: 'service-unreachable',
    severity: 'critical',
    headline: /^Can’t reach the service since/,
    detail: /^No action needed\..* timed out\.$/,
    buttons: ['Try now'],
  })
  day.resources.lift()
  await page.getByRole('button', { name: 'Try now' }).press('Enter')
  await expect(page.getByTestId('verdict-headline')).not.toContainText('Can’t reach')
})

test('tokens revoked by a person', async ({ page, day }) => {
  await openReady(page, day)
  await revokeAll(page)
  await expectSaid(page, day, {
    cause: 'revoked',
    severity: 'ok',
    headline: /^Revoked at \d\d:\d\d\.$/,
    detail: /^Sign in to use this key again\./,
    buttons: ['Sign in'],
  })
})

test('a sign-in ended by the service', async ({ page, day }) => {
  await openWatched(page, day)
  day.simulator.service.tokens.endEverySignIn()
  day.expireAccess()
  await expectSaid(page, day, {
    cause: 'signed-out',
    severity: 'critical',
    headline: 'Signed out.',
    detail: /^Sign in to resume/,
    buttons: ['Sign in'],
  })
})

test.describe('an unreachable sign-in host', () => {
  test.use({ dayOptions: { accessLifetimeSeconds: 45 } })

  test('access works until it expires, then checks are paused', { tag: THOROUGH_TAG }, async ({
    page,
    day,
  }) => {
    await openWatched(page, day)
    await day.signIn.close()
    await expectSaid(page, day, {
      cause: 'sign-in-host-unreachable',
      severity: 'warning',
      headline: /^Can’t reach the sign-in host\. Access works until \d\d:\d\d\.$/,
      detail: /^Check that a server is running at (localhost|127\.0\.0\.1):\d+\./,
      buttons: ['Try now'],
    })
    await expectSaid(page, day, {
      cause: 'sign-in-host-gone',
      severity: 'critical',
      headline: 'Can’t reach the sign-in host. The access token has expired; checks are paused.',
      detail: /^Check that a server is running at (localhost|127\.0\.0\.1):\d+\./,
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
    detail: /^Check the key’s host\./,
    buttons: ['Change host…'],
  },
  {
    what: 'permissions that are missing',
    fault: 'resources-403',
    cause: 'permission-missing',
    severity: 'warning',
    headline: /permission missing \(403\)/,
    detail: /^Sign in again with /,
    buttons: [expect.stringMatching(/^Sign in with (?:\w+|\w+ and \w+|\d scopes)$/)],
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
  test(`${what}${quickIf(fault === 'resources-401')}`, async ({ page, day }) => {
    await (fault === 'resources-401' ? openWatched : openReady)(page, day)
    day.simulator.faults.set(fault, true)
    await expectSaid(page, day, expected)
  })
}

test('no stream receives data', { tag: THOROUGH_TAG }, async ({ page, day }) => {
  day.simulator.faults.set('silent-stream', true)
  await openReady(page, day)
  await expectSaid(page, day, {
    cause: 'no-stream-data',
    severity: 'critical',
    headline: /^No stream is receiving data/,
    detail: /Treat last prices as stale\./,
    buttons: ['Reopen all'],
  })
})

test.describe('others on the key', () => {
  test.use({
    dayOptions: { alreadySpent: { Positions: 100 } },
    keyOptions: { everySeconds: { Positions: 2 } },
  })

  test('others use the whole refill, with 429s', async ({ page, day }) => {
    await openReady(page, day)
    day.simulator.service.setTraffic({ Positions: 20 })
    await expectSaid(page, day, {
      cause: 'others-use-refill',
      severity: 'critical',
      headline: /^429 on Positions\. Others on this key use the whole refill \(1\.07\/s\)\./,
      detail: /^Slow or stop the other programs\./,
    })
  })

  test('others use the whole refill, before the quota is empty', { tag: THOROUGH_TAG }, async ({
    page,
    day,
  }) => {
    await openReady(page, day)
    day.simulator.service.setTraffic({ Positions: 1.6 })
    await expectSaid(page, day, {
      cause: 'others-use-refill',
      severity: 'warning',
      headline:
        /^Positions runs out .*\. Others on this key use (?:the whole|more than the) refill \(1\.07\/s\)\./,
      detail: /^Slow or stop the other programs\./,
    })
  })
})

test.describe('a program behind the gateway', () => {
  test.use({
    dayOptions: { alreadySpent: { Positions: 60 } },
    keyOptions: { everySeconds: { Positions: 4 } },
  })

  for (const way of ['mouse', 'keyboard'] as const) {
    test(`own programs use up the quota, paused by ${way}${quickIf(way === 'keyboard')}`, async ({
      page,
      day,
    }) => {
      await day.open(
        page,
        { HEADROOM_PASSPHRASE: PASSPHRASE, HEADROOM_GATEWAY_KEYS: 'scanner=scanner-key-of-a-bad-day' },
        ['--gateway-port', '0'],
      )
      await ready(page)
      const scanner = new Scanner(day.gateway)
      const calls = scanner.call({ perSecond: 2 })
      await expectSaid(page, day, {
        cause: 'own-use',
        severity: 'warning',
        headline: /^Positions runs out /,
        detail: /^Pause scanner, or slow it to 1 per /,
        buttons: ['Pause scanner 5 min'],
      })
      const pause = page.getByRole('button', { name: 'Pause scanner 5 min' })
      if (way === 'mouse') await pause.click()
      else {
        await pause.focus()
        await page.keyboard.press('Enter')
      }
      await expect(page.getByTestId('verdict-detail')).toContainText(
        /^scanner is paused until \d\d:\d\d\. No action needed\./,
      )
      const refused = await scanner.ask()
      expect(refused.status).toBe(429)
      const seconds = Number(refused.headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(240)
      expect(seconds).toBeLessThanOrEqual(300)
      await calls.end()
    })
  }
})

test('a revocation that the service does not confirm', async ({ page, day }) => {
  day.simulator.faults.set('revoke-503', true)
  await openReady(page, day)
  await revokeAll(page)
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
  const day = await BadDay.prepare({}, { folder: disk.folder })
  try {
    await openReady(page, day)
    disk.fill()
    await expectSaid(page, day, {
      cause: 'history-paused',
      severity: 'warning',
      headline: 'Disk full. History is paused; monitoring continues.',
      detail: /^Free space on the data folder’s disk\./,
      buttons: ['Open data folder'],
    })
    await page.getByRole('button', { name: 'Open data folder' }).click()
    await expect(page.getByText(`The data folder is ${day.folder}.`)).toBeVisible()
    disk.free()
    await expect(page.getByTestId('verdict-headline')).not.toContainText('Disk full', { timeout: 30_000 })
  } finally {
    problems.end()
    await day.close()
    disk.close()
  }
})

test('a new refresh token on a full disk', async ({ page, problems }) => {
  const disk = smallDisk(true)
  test.skip(disk.why !== undefined, disk.why)
  const day = await BadDay.prepare({ keys: 'rotating', rotationOverlapSeconds: 30 }, { folder: disk.folder })
  // A program that reads the file, such as a backup, prevents the journal from being emptied. So each write
  // makes it longer.
  const reader = new DatabaseSync(join(disk.folder, 'vault.db'))
  reader.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
  try {
    await openReady(page, day)
    disk.fill()
    day.expireAccess()
    await expectSaid(page, day, {
      cause: 'token-not-saved',
      severity: 'critical',
      headline: 'Refresh token not saved: the disk is full.',
      detail: /^Free some space before you quit Headroom\./,
      buttons: ['Save now'],
    })
    disk.free()
    await page.getByRole('button', { name: 'Save now' }).click()
    await expect(page.getByTestId('verdict-headline')).not.toContainText('not saved')
  } finally {
    reader.close()
    problems.end()
    await day.close()
    disk.close()
  }
})

test.describe('slots used by others', () => {
  test.use({
    dayOptions: { slotsElsewhere: { 'Option Chain Stream': 9 } },
    keyOptions: {
      streams: ['MSFT', 'SPY'].map((target) => ({ kind: 'option-chains', target, options: {} })),
    },
  })

  for (const way of ['mouse', 'keyboard'] as const) {
    test(`all slots in use while a stream waits, replaced by ${way}${quickIf(way === 'mouse')}`, async ({
      page,
      day,
    }) => {
      await openReady(page, day)
      await expect(page.getByTestId('verdict-headline')).toContainText('all 10 slots in use')
      const open = page.getByText(/^Replace (?:MSFT|SPY)$/)
      const [opened, waits] = (await open.innerText()).endsWith('MSFT') ? ['MSFT', 'SPY'] : ['SPY', 'MSFT']
      await expectSaid(page, day, {
        cause: 'slots-full',
        severity: 'warning',
        headline: 'Option chains: all 10 slots in use (1 yours, 9 others).',
        detail: new RegExp(`^Replace ${opened} to open ${waits}\\.`),
        buttons: [`Replace ${opened}`],
      })
      if (way === 'mouse') await open.click()
      else {
        await open.focus()
        await page.keyboard.press('Enter')
      }
      await expect
        .poll(
          () =>
            day.simulator.service.streams().length + day.simulator.service.slots.own('Option Chain Stream'),
        )
        .toBe(2)
      await expect(page.getByText(`${waits}`).first()).toBeVisible()
      await expect(page.getByRole('button', { name: `Replace ${opened}` })).toHaveCount(0)
    })
  }
})
