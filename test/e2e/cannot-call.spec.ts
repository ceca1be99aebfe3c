import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { provesInBrowser } from '../proof/proves-in-browser.ts'
import { quickIf } from '../thorough.ts'
import type { BadDay } from './bad-day.ts'
import { expect, ready, revokeAll, test } from './bad-day-fixtures.ts'

/*
 * For each reason why a key can't call: no surface shows it as "ok", or shows a pace or a next check for it.
 */

interface Reason {
  readonly what: string
  readonly headline: RegExp
  /** Causes the problem while the app runs. Absent if the problem exists from the start. */
  readonly strike?: (day: BadDay, page: Page) => Promise<unknown> | unknown
  readonly before?: (day: BadDay) => void
  readonly environment?: Readonly<Record<string, string>>
  /** Whether a `headroom watch` next to the app gets the problem too. */
  readonly isWatched?: boolean
}

const REASONS: readonly Reason[] = [
  {
    what: 'saved keys are damaged',
    headline: /^Your saved keys are damaged/,
    before: ({ folder }) => writeFileSync(join(folder, 'vault.db'), 'no database, only long'.repeat(400)),
  },
  { what: 'saved keys are locked', headline: /^Your saved keys are locked/, environment: {} },
  {
    what: 'another passphrase sealed the keys',
    headline: /^Your keys were encrypted with another/,
    environment: { HEADROOM_PASSPHRASE: 'copper thistle ravine lantern' },
  },
  {
    what: 'the service is unreachable',
    headline: /^Can’t reach the service since/,
    strike: ({ resources }) => resources.leave(),
    isWatched: true,
  },
  {
    what: 'both hosts are unreachable',
    headline: /^Can’t reach the service or the sign-in host/,
    strike: ({ resources, signIn }) => Promise.all([resources.leave(), signIn.leave()]),
    isWatched: true,
  },
  {
    what: 'the sign-in host is away and access has ended',
    headline: /^Can’t reach the sign-in host\. The access token has expired/,
    strike: async (day) => {
      await day.signIn.leave()
      day.expireAccess()
    },
    isWatched: true,
  },
  {
    what: 'the service answers 503',
    headline: /^The service responds with 503/,
    strike: ({ resources }) => resources.strike('503'),
    isWatched: true,
  },
  {
    what: 'the token is rejected',
    headline: /^Token rejected \(401\)/,
    strike: ({ simulator }) => simulator.faults.set('resources-401', true),
    isWatched: true,
  },
  {
    what: 'the sign-in was ended',
    headline: /^Signed out/,
    strike: (day) => {
      day.simulator.service.tokens.endEverySignIn()
      day.expireAccess()
    },
    isWatched: true,
  },
  { what: 'a person revoked the tokens', headline: /^Revoked at/, strike: (_, page) => revokeAll(page) },
  {
    what: 'a revocation is not confirmed',
    headline: /^Revocation not confirmed/,
    strike: async ({ simulator }, page) => {
      simulator.faults.set('revoke-503', true)
      await revokeAll(page)
    },
  },
]

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

/** Each takes a quarter of a minute, and is close to one of the quick ones. */
const THOROUGH = [
  'both hosts are unreachable',
  'the sign-in host is away and access has ended',
  'the service answers 503',
  'the token is rejected',
]

for (const { what, headline, strike, before, environment, isWatched = false } of REASONS) {
  const isQuick = !THOROUGH.includes(what)
  test(`nothing shows ok, a pace or a next check while ${what}${quickIf(isQuick)}`, async ({ page, day }) => {
    before?.(day)
    if (environment === undefined) await day.open(page)
    else await day.open(page, environment)
    if (isWatched) await day.watch()
    if (strike !== undefined) {
      await ready(page)
      if (isWatched) await expect.poll(() => day.table).toMatch(/^ok +Accounts/m)
      await strike(day, page)
    }
    await expect(page.getByTestId('verdict-headline')).toHaveText(headline, { timeout: 60_000 })
    const rows = page.locator('tr[data-category]:not([data-state="not-checked"])')
    await expect(rows).toHaveCount(0)
    // The end of a sign-in causes 401s. They must not be shown as the state of a row.
    const rejected = page.locator('tr[data-category]').getByTestId('state').filter({ hasText: 'rejected' })
    if (headline.test('Signed out')) await expect(rejected).toHaveCount(0)
    await expect(page.locator('[data-testid="age"] + span, [title*="next check"]')).toHaveCount(0)
    const { window, glance, strip, status } = await day.texts(page)
    const surfaces = { window, glance, strip, status }
    for (const [surface, text] of Object.entries(surfaces)) {
      expect(claimsIn(text), surface).toEqual([])
    }
    const told = (await day.metrics()).filter((line) =>
      /^headroom_requests_(?:safe|next_check)|^headroom_requests_state\{.*state="(?!not-checked).*} 1$/.test(
        line,
      ),
    )
    expect(told).toEqual([])
    if (isWatched) {
      const says = new RegExp(headline.source, 'm')
      await expect.poll(() => day.table, { timeout: 60_000 }).toMatch(says)
      expect(claimsIn(day.table)).toEqual([])
    }
    provesInBrowser('C1', 1)
  })
}
