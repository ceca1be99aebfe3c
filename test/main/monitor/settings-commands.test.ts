import { expect, test } from 'vitest'
import { settingsCommands } from '../../../main/monitor/commands/settings.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import type { Profile } from '../../../main/ports/profile.ts'
import { MEMORY_PROFILE_STORE, type ProfileStore } from '../../../main/sign-in/profile-store.ts'
import { ShownTimes } from '../../../main/storage/shown-times.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { EXAMPLE_KEY } from '../example-key.ts'
import { quotaHeaders } from '../quota-headers.ts'
import { answerOf, renewal, ScriptedHttp } from '../scripted-http.ts'

const MINUTE_MS = 60_000
const QUOTA = quotaHeaders(499, 1, { limit: 500 })

/** A key whose refresh token rotates, followed in virtual time. */
async function followed(changes: Partial<Profile> = {}, storage: ProfileStore = MEMORY_PROFILE_STORE) {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  http.reply = ({ url }) =>
    url.endsWith('/oauth/token')
      ? renewal('access', { refresh_token: `refresh-${http.requests.length}` })
      : answerOf(200, '{}', QUOTA)
  const ports = { clock, http, random: { next: () => 0.5 }, log: { note: () => {} } }
  const monitor = new Monitor(ports, storage)
  const { keySettings, setKeySettings } = settingsCommands(
    monitor,
    storage,
    new ShownTimes(undefined, 0, () => {}),
  ).handlers
  monitor.connect({ ...EXAMPLE_KEY, ...changes })
  await clock.advance(MINUTE_MS)
  /** The paths that are requested in the next minutes, without those of the sign-in host. */
  const asked = async (minutes: number) => {
    const from = http.requests.length
    await clock.advance(minutes * MINUTE_MS)
    const { href } = new URL(EXAMPLE_KEY.baseUrl)
    return http.requests
      .slice(from)
      .filter(({ url }) => url.startsWith(href))
      .map(({ url }) => url.slice(href.length - 1))
  }
  const settings = async () => {
    const answer = await keySettings({ profile: 'key-1' })
    return answer.ok ? answer.settings : answer.code
  }
  return { clock, http, monitor, keySettings, setKeySettings, asked, settings }
}

test('a key without changed settings has the defaults', async () => {
  const { keySettings } = await followed()
  expect(await keySettings({ profile: 'key-1' })).toMatchObject({
    ok: true,
    kept: 'until-exit',
    settings: {
      probesEnabled: true,
      budgetFraction: 0.02,
      symbol: 'MSFT',
      everySeconds: {},
      trialAfterStep: false,
      rotationMinutes: 30,
    },
    probed: expect.arrayContaining(['Accounts', 'Quote Snapshot']),
  })
})

test('checks stop and start at once, and the budget is remembered meanwhile', async () => {
  const { monitor, asked, settings, setKeySettings } = await followed()
  expect(await setKeySettings({ profile: 'key-1', probesEnabled: false })).toMatchObject({ ok: true })
  expect(await asked(30)).toEqual([])
  expect(monitor.snapshot('key-1')?.probes).toMatchObject({ enabled: false, budgetFraction: 0.02 })
  expect(await settings()).toMatchObject({ probesEnabled: false, budgetFraction: 0.02 })
  await setKeySettings({ profile: 'key-1', probesEnabled: true })
  expect(await asked(0)).not.toEqual([])
  expect(monitor.snapshot('key-1')?.probes.enabled).toBe(true)
})

test('a key connected without checks gets the usual budget when they are turned on', async () => {
  const { settings, asked, setKeySettings } = await followed({
    probes: { budgetFraction: 0, everySeconds: {} },
  })
  expect(await settings()).toMatchObject({ probesEnabled: false })
  await setKeySettings({ profile: 'key-1', probesEnabled: true })
  expect(await settings()).toMatchObject({ probesEnabled: true, budgetFraction: 0.02 })
  expect(await asked(1)).not.toEqual([])
})

test('a new budget applies at once', async () => {
  const { asked, setKeySettings } = await followed()
  const quotes = async () => (await asked(30)).filter((path) => path.includes('/quotes/')).length
  await setKeySettings({ profile: 'key-1', budgetFraction: 0.002 })
  expect(await quotes()).toBeLessThanOrEqual(7)
  await setKeySettings({ profile: 'key-1', budgetFraction: 0.2 })
  expect(await quotes()).toBeGreaterThan(30)
})

test('checks use a new symbol, and a row’s own interval', async () => {
  const { asked, setKeySettings } = await followed()
  await setKeySettings({
    profile: 'key-1',
    symbol: ' AAPL ',
    everySeconds: { 'Quote Snapshot': 2, Accounts: 0 },
  })
  const paths = await asked(1)
  expect(paths.filter((path) => path === '/v3/marketdata/quotes/AAPL').length).toBeGreaterThanOrEqual(29)
  expect(paths.filter((path) => path.includes('MSFT') || path === '/v3/brokerage/accounts')).toEqual([])
  await setKeySettings({ profile: 'key-1', everySeconds: {} })
  expect((await asked(1)).length).toBeLessThan(29)
})

test('a rotating key shows the chosen lifetimes, even after it signs in again', async () => {
  const { monitor, setKeySettings } = await followed()
  const leftMs = () => {
    const { rotatesBy = 0, rotatedAt = 0 } = monitor.snapshot('key-1')?.refresh ?? {}
    return rotatesBy - rotatedAt
  }
  expect(leftMs()).toBe(30 * MINUTE_MS)
  await setKeySettings({ profile: 'key-1', rotationMinutes: 45 })
  expect(leftMs()).toBe(45 * MINUTE_MS)
  const profile = monitor.profile('key-1')
  expect(profile).toMatchObject({ rotationMinutes: 45 })
})

test('whether a rejected row is checked while others wait applies from the next rejection', async () => {
  const { clock, http, monitor, setKeySettings } = await followed()
  const usual = http.reply
  let answers = 0
  const askedAtMs: number[] = []
  /** Three headers that show a bucket which fills gradually, then a 429. */
  http.reply = (request) => {
    if (!request.url.endsWith('/v3/brokerage/accounts')) return usual(request)
    const remaining = answers < 3 ? 100 + 2 * answers : 0
    const reset = Math.ceil(((320 - remaining) * 300) / 320)
    answers += 1
    if (remaining === 0) askedAtMs.push(clock.worldMs())
    return answerOf(
      remaining > 0 ? 200 : 429,
      '{"Error":"TooManyRequests","Message":"Rate quota exceeded"}',
      quotaHeaders(remaining, reset),
    )
  }
  const waits: number[] = []
  monitor.subscribe({
    changed: () => {},
    event: (event) => event.kind === 'rate-limited' && waits.push(event.retryAt - event.at),
    removed: () => {},
  })
  await setKeySettings({ profile: 'key-1', everySeconds: { Accounts: 3 }, trialAfterStep: true })
  await clock.advance(2 * MINUTE_MS)
  // Other requests wait for Reset, about 300 s. The first check is made after twice its interval, which is at
  // least 5 s. The second 429 with Remaining 0 shows that others use the whole refill. From then on, checks
  // wait as long as all other trial requests.
  expect(waits[0]).toBeCloseTo(300_500, -1)
  const gaps = askedAtMs.slice(1).map((at, index) => at - askedAtMs[index]!)
  expect(gaps.map((gap) => Math.floor(gap / 10_000) * 10_000)).toEqual([10_000, 20_000, 40_000])
})

test('windows are notified of a change', async () => {
  const { monitor, setKeySettings } = await followed()
  const before = monitor.snapshot('key-1')?.revision ?? 0
  const told: string[] = []
  monitor.subscribe({ changed: (profile) => told.push(profile), event: () => {}, removed: () => {} })
  await setKeySettings({ profile: 'key-1', trialAfterStep: true })
  expect(told).toContain('key-1')
  expect(monitor.snapshot('key-1')?.revision).toBeGreaterThan(before)
})

test('invalid settings are rejected as a whole, with the reason in one line', async () => {
  const { settings, keySettings, setKeySettings } = await followed()
  const before = await settings()
  for (const symbol of ['', '..', 'A,B', 'Ä']) {
    expect(await setKeySettings({ profile: 'key-1', probesEnabled: false, symbol })).toEqual({
      ok: false,
      code: 'bad-symbol',
      message: 'Enter one symbol, such as MSFT.',
    })
  }
  for (const category of ['Positions Stream', 'Option Risk Reward', 'constructor']) {
    expect(await setKeySettings({ profile: 'key-1', everySeconds: { [category]: 30 } })).toMatchObject({
      ok: false,
      code: 'not-probed',
      message: expect.stringContaining(category),
    })
  }
  expect(await settings()).toEqual(before)
  expect(await setKeySettings({ profile: 'gone' })).toMatchObject({ ok: false, code: 'unknown-profile' })
  expect(await keySettings({ profile: 'gone' })).toMatchObject({ ok: false, code: 'unknown-profile' })
})

test('settings that cannot be stored do not apply, and the reason is reported', async () => {
  const full: ProfileStore = {
    ...MEMORY_PROFILE_STORE,
    keepSettings: () => ({ ok: false, why: 'the disk is full' }),
  }
  const { monitor, settings, setKeySettings } = await followed({}, full)
  expect(await setKeySettings({ profile: 'key-1', budgetFraction: 0.1 })).toEqual({
    ok: false,
    code: 'not-kept',
    message: 'Saving failed: the disk is full. Nothing was changed. Try again.',
  })
  expect(await settings()).toMatchObject({ budgetFraction: 0.02 })
  expect(monitor.snapshot('key-1')?.probes.budgetFraction).toBe(0.02)
})

test('a snapshot reports a change, so that every window fetches the current settings', async () => {
  const { monitor, keySettings, setKeySettings } = await followed()
  const told: (number | undefined)[] = []
  monitor.subscribe({
    changed: (id) => told.push(monitor.snapshot(id)?.settingsAt),
    event: () => {},
    removed: () => {},
  })
  const at = async () => {
    const answer = await keySettings({ profile: 'key-1' })
    return answer.ok ? answer.settingsAt : undefined
  }
  const before = await at()
  expect(monitor.snapshot('key-1')?.settingsAt).toBe(before)
  await setKeySettings({ profile: 'key-1', symbol: 'AAPL' })
  await setKeySettings({ profile: 'key-1', symbol: 'TSLA' })
  const [first, second] = told
  expect(first).toBeGreaterThan(before ?? Number.POSITIVE_INFINITY)
  expect(second).toBeGreaterThan(first ?? Number.POSITIVE_INFINITY)
  expect(await at()).toBe(second)
})
