import type { Page } from '@playwright/test'
import { provesInBrowser } from '../proof/proves-in-browser.ts'
import { smallDisk } from '../storm/small-disk.ts'
import { THOROUGH_TAG } from '../thorough.ts'
import { BadDay, type DayOptions } from './bad-day.ts'
import { expect, openReady, test } from './bad-day-fixtures.ts'

/*
 * Two causes at once on real processes. The headline is the root cause, and no surface shows a consequence as
 * a problem. Of two root causes, the more severe one comes first.
 */

interface Pair {
  readonly what: string
  readonly options?: Parameters<typeof BadDay.prepare>[0]
  readonly key?: DayOptions
  readonly needsDisk?: boolean
  readonly first: (day: BadDay, disk: { fill(): void }) => Promise<unknown> | unknown
  /** The headline before the second cause. Absent if it does not show the first cause yet. */
  readonly between?: RegExp
  readonly second: (day: BadDay) => Promise<unknown> | unknown
  readonly headline: RegExp
  readonly cause: string
  /** The root causes that are not in the headline. */
  readonly besides?: readonly string[]
}

const OFTEN = { everySeconds: { Positions: 2, Accounts: 4, 'Quote Snapshot': 4 } }
const SPENT = { alreadySpent: { Positions: 300 } }
const storm = (day: BadDay) => day.simulator.service.setTraffic({ Positions: 20 })
const silence = (day: BadDay) => day.simulator.faults.set('silent-stream', true)
const reject = (day: BadDay) => day.simulator.faults.set('resources-401', true)

const PAIRS: readonly Pair[] = [
  {
    what: 'others’ storm, then the service down',
    options: SPENT,
    key: OFTEN,
    first: storm,
    between: /^429 on Positions/,
    second: ({ resources }) => resources.leave(),
    headline: /^Can’t reach the service since/,
    cause: 'service-unreachable',
  },
  {
    what: 'others’ storm, then the service answers 503',
    options: SPENT,
    key: OFTEN,
    first: storm,
    between: /^429 on Positions/,
    second: ({ resources }) => resources.strike('503'),
    headline: /^The service responds with 503/,
    cause: 'service-failing',
  },
  {
    what: 'the sign-in host down, then the service down',
    key: OFTEN,
    first: async (day) => {
      await day.signIn.leave()
      day.expireAccess()
    },
    between: /^Can’t reach the sign-in host\. The access token has expired/,
    second: ({ resources }) => resources.leave(),
    headline: /^Can’t reach the service or the sign-in host/,
    cause: 'hosts-unreachable',
  },
  {
    what: 'the service down, then the sign-in host down',
    first: ({ resources }) => resources.leave(),
    between: /^Can’t reach the service since/,
    second: ({ signIn }) => signIn.leave(),
    headline: /^Can’t reach the service or the sign-in host/,
    cause: 'hosts-unreachable',
  },
  {
    what: 'the sign-in host down, then the token rejected',
    key: OFTEN,
    first: ({ signIn }) => signIn.leave(),
    second: reject,
    headline: /^Can’t reach the sign-in host\. The access token has expired/,
    cause: 'sign-in-host-gone',
  },
  {
    what: 'signed out, then the service down',
    key: OFTEN,
    first: (day) => {
      day.simulator.service.tokens.endEverySignIn()
      day.expireAccess()
    },
    between: /^Signed out/,
    second: ({ resources }) => resources.leave(),
    headline: /^Signed out/,
    cause: 'signed-out',
  },
  {
    what: 'streams silent, then the token rejected',
    key: OFTEN,
    first: silence,
    between: /^No stream is receiving data/,
    second: reject,
    headline: /^Token rejected \(401\)/,
    cause: 'token-rejected',
  },
  {
    what: 'the token rejected, then streams silent',
    key: OFTEN,
    first: reject,
    between: /^Token rejected \(401\)/,
    second: silence,
    headline: /^Token rejected \(401\)/,
    cause: 'token-rejected',
  },
  {
    what: 'no rate-limit headers, then streams silent',
    key: OFTEN,
    first: ({ simulator }) => simulator.faults.set('no-quota-headers', true),
    between: /^Responses have no rate-limit headers/,
    second: silence,
    headline: /^No stream is receiving data/,
    cause: 'no-stream-data',
    besides: ['no-headers'],
  },
  {
    what: 'slots full, then streams silent',
    options: { slotsElsewhere: { 'Option Chain Stream': 9 } },
    key: {
      streams: ['MSFT', 'SPY'].map((target) => ({ kind: 'option-chains', target, options: {} })),
    },
    first: () => {},
    between: /all 10 slots in use/,
    second: silence,
    headline: /^No stream is receiving data/,
    cause: 'no-stream-data',
    besides: ['slots-full'],
  },
  {
    what: 'a full disk, then others’ storm',
    options: SPENT,
    key: OFTEN,
    needsDisk: true,
    first: (_, disk) => disk.fill(),
    between: /^Disk full/,
    second: storm,
    headline: /^429 on Positions\. Others on this key use the whole refill/,
    cause: 'others-use-refill',
    besides: ['history-paused'],
  },
  {
    what: 'a full disk, then the service down',
    needsDisk: true,
    first: (_, disk) => disk.fill(),
    between: /^Disk full/,
    second: ({ resources }) => resources.leave(),
    headline: /^Can’t reach the service since/,
    cause: 'service-unreachable',
    besides: ['history-paused'],
  },
]

/** Number of times that the headline is read, to see whether a consequence replaces it. */
const WATCHED_LOOKS = 3

async function expectRoot(page: Page, day: BadDay, pair: Pair): Promise<void> {
  const { headline, cause, besides = [] } = pair
  await expect(page.getByTestId('verdict-headline')).toHaveText(headline, { timeout: 60_000 })
  for (let look = 0; look < WATCHED_LOOKS; look += 1) {
    await expect(page.getByTestId('verdict-headline')).toHaveText(headline)
    const { health, metrics, status, tray, severity } = await day.said(page)
    expect(health.cause).toBe(cause)
    // The first line names the key.
    const [, ...table] = status.split('\n')
    expect(table.join('\n')).toMatch(headline)
    expect(tray.severity).toBe(severity)
    // Each root cause has one sample; consequences have none.
    const causes = metrics
      .filter((line) => !line.includes('severity="watch"'))
      .map((line) => /cause="([^"]+)"/.exec(line)?.[1])
    expect(causes.toSorted()).toEqual([cause, ...besides].toSorted())
  }
  provesInBrowser('C2', 1)
}

for (const pair of PAIRS) {
  const { what, options, key, needsDisk = false, first, between, second } = pair
  test(what, { tag: THOROUGH_TAG }, async ({ page, problems }) => {
    const disk = smallDisk(needsDisk)
    test.skip(needsDisk && disk.why !== undefined, disk.why)
    const day = await BadDay.prepare(options, { ...key, folder: disk.folder })
    try {
      await openReady(page, day)
      await first(day, disk)
      if (between) await expect(page.getByTestId('verdict-headline')).toHaveText(between, { timeout: 60_000 })
      await second(day)
      await expectRoot(page, day, pair)
    } finally {
      problems.end()
      await day.close()
      disk.close()
    }
  })
}
