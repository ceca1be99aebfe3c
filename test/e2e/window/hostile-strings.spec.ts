import type { Page } from '@playwright/test'
import type { LoggedEvent, MonitorEvent } from '../../../app/contract/events.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { provesInBrowser } from '../../proof/proves-in-browser.ts'
import { NOW_MS, quota, REQUESTS, snapshot, stream } from '../../renderer/fixtures.ts'
import type { FakeHost } from '../../renderer/harness/fake-host.ts'
import { ALERTS, REPORT, rowDetailsOf } from '../../renderer/harness/memory-fixtures.ts'
import { THOROUGH_TAG } from '../../thorough.ts'
import { HOSTILE, Tainted } from './hostile-strings.ts'
import { expect, overflow, test, type WindowFixtures } from './window-fixtures.ts'

// The page's content security policy would block injected scripts. It is off here, so that the test notices
// them.
test.use({ bypassCSP: true })

/** Maximum length of a name in a header (app/service/headers.ts). */
const MAX_LETTERS = 128

const streamEvent = { stream: 's1', category: 'Positions Stream', target: '123456782' }
const HAPPENED: readonly MonitorEvent[] = [
  { kind: 'sign-in-required', reason: 'the token was refused' },
  { kind: 'revoke-unconfirmed', reason: 'it answered 503' },
  { kind: 'service-unreachable', host: 'api.example.com', why: 'the name is not known' },
  { kind: 'service-back', host: 'api.example.com' },
  { kind: 'storage-problem', what: 'the disk is full' },
  { kind: 'rate-limited', category: 'Quote Snapshot', retryAt: NOW_MS, requestId: 'a9c14d07-55f2' },
  {
    kind: 'slots-exhausted',
    category: 'MarketDepth Stream',
    requestId: 'b0c14d07-55f2',
    proposal: { stream: 's3', target: 'MSFT', openedAt: NOW_MS, framesPerSecond: 0 },
  },
  { kind: 'stream-opened', ...streamEvent, reason: '37 slots left' },
  { kind: 'stream-restarted', ...streamEvent, reason: 'server going away' },
  { kind: 'stream-closed', ...streamEvent, reason: 'not authorised' },
  { kind: 'elsewhere', category: 'Positions', perSecond: 1 },
]

const EVENTS: readonly LoggedEvent[] = HAPPENED.map((event, index) => ({
  ...event,
  seq: 100 + index,
  at: NOW_MS,
  profile: 'main',
}))

const symbolErrors = [{ symbol: 'NOPE', error: 'FAILED, EX_INVALID_SYMBOL', at: NOW_MS }]
const base: Snapshot = snapshot({
  profile: { id: 'main', name: 'Main key', environment: 'live', keyEnding: '4f2a' },
  requests: REQUESTS.map((row) => (row.category === 'Accounts' ? { ...row, resource: 'accounts' } : row)),
  streams: [
    stream('s1', 'Positions Stream', '123456782', { state: 'waiting', reason: 'connection lost' }),
    stream('s2', 'Quote Change Stream', 'MSFT,NOPE', { restarts: 2, symbolErrors }),
  ],
})
const second = snapshot({ profile: { id: 'two', name: 'Second key', environment: 'sim' } })

/** What the window shows in one place: its elements, the names of their attributes, and its whole text. */
interface Look {
  readonly shape: readonly string[]
  readonly said: string
  /** The values of attributes that can run code, load something or lead to another page. */
  readonly led: readonly string[]
}

function look(page: Page): Promise<Look> {
  return page.evaluate(() => {
    const leads = /^(?:on.*|(?:xlink:)?href|src(?:set|doc)?|(?:form)?action|data|poster|style|content)$/
    // The chart draws as many ticks as fit next to its labels.
    const elements = [...document.querySelectorAll('*')].filter((one) => !one.closest('.recharts-wrapper'))
    const attributes = elements.flatMap((one) => [...one.attributes])
    return {
      shape: elements.map((one) => [one.localName, ...one.getAttributeNames().sort()].join(' ')),
      said: [
        document.title,
        document.documentElement.textContent,
        ...attributes.map(({ value }) => value),
      ].join('\n'),
      led: attributes.flatMap(({ name, value }) => (leads.test(name) ? [value] : [])),
    }
  })
}

/** Paths of the page, its scripts and the responses of the app. */
const OWN_PATHS = /^\/(?:$|favicon\.svg$|(?:api|assets)\/)/

interface Window extends Pick<WindowFixtures, 'open'> {
  readonly page: Page
}

type Places = ReadonlyMap<string, Look>

/** Repeats the look until it gives the same result twice, because dialogs first request what they show. */
async function settled(page: Page): Promise<readonly string[]> {
  let shape: readonly string[] = []
  const isSettled = async () => {
    const before = shape.join()
    shape = (await look(page)).shape
    return shape.join() === before
  }
  await expect.poll(isSettled, { intervals: [250] }).toBe(true)
  return shape
}

/** Adds `ms` to each time in `value`. */
function movedOn<T>(value: T, ms: number): T {
  const moved = (one: unknown): unknown => {
    if (typeof one === 'number') return Math.abs(one - NOW_MS) < 2 * 86_400_000 ? one + ms : one
    if (Array.isArray(one)) return one.map(moved)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, moved(part)]))
  }
  return moved(value) as T
}

/**
 * Shows `tainted` in every place in which the window shows text that it did not write itself. Waits until
 * each place has the same elements as in `before`.
 */
async function walk(page: Page, host: FakeHost, tainted: Tainted, before?: Places): Promise<Places> {
  const places = new Map<string, Look>()
  let revision = 1
  let shown: Partial<Snapshot> = {}
  const show = (more: Partial<Snapshot> = {}) => {
    revision += 1
    shown = more
    // All times move on with the clock, so that nothing becomes old during a slow walk.
    const now = <T>(one: T): T => movedOn(one, host.nowMs() - NOW_MS)
    host.show(tainted.of({ ...now(base), ...more, revision }), tainted.of({ ...now(second), revision }))
  }
  const says = async (field: string, text: string) => {
    const made = tainted.text(field, text).toLowerCase()
    await expect
      .poll(async () => (await look(page)).said.toLowerCase().includes(made), `${field} is shown as it came`)
      .toBe(true)
  }
  const seen = async (place: string) => {
    // Rows older than a minute look different.
    show(shown)
    const expected = before?.get(place)?.shape ?? (await settled(page))
    const looked = async () => {
      const now = await look(page)
      places.set(place, now)
      return now.shape
    }
    await expect.poll(looked, `the elements of ${place}`).toEqual(expected)
  }
  const refused = (message: string) => ({
    ok: false,
    code: 'refused',
    message: tainted.text('message', message),
  })

  host.answer('rowDetails', { ok: true, details: tainted.of(rowDetailsOf('Quote Snapshot')) })
  host.answer('report', tainted.of(REPORT))
  host.answer('alertThresholds', tainted.of({ below: 0.2, perCategory: { Positions: 0.3 } }))
  host.answer('storage', tainted.of({ kind: 'failing', failure: 'the disk is full', waiting: 2, lost: 0 }))
  host.answer('pastEvents', [])
  for (const name of ['revoke', 'openStream', 'closeStream', 'signInAgain', 'disconnect', 'exportFile']) {
    host.answer(name, refused(`${name} did not work`))
  }

  show()
  host.push('alertsChanged', tainted.of(ALERTS))
  for (const event of EVENTS) host.push('eventHappened', tainted.of(event))
  await says('category', 'Positions')
  await says('reason', 'not authorised')
  await page.locator('tr[data-category]').nth(4).getByRole('button').click()
  await page.keyboard.press('d')
  await says('oddities', 'x-concurrency-limit: not a number')
  await seen('the dashboard')
  await page.locator('[data-stream=s1]').getByRole('button').last().click()
  await says('message', 'closeStream did not work')
  await seen('a refusal')
  await page.getByRole('alert').getByRole('button', { name: 'Close', exact: true }).click()

  await page.getByTestId('profile').click()
  await says('name', 'Second key')
  await seen('the menu of keys')
  await page.keyboard.press('Escape')

  for (const [key, parts] of [
    ['a', ['[data-alert]']],
    ['r', ['[data-testid=happenings]']],
    ['s', ['[data-testid=storage]', '[aria-label^="Alert below"] input']],
  ] as const) {
    await page.keyboard.press(key)
    for (const part of parts) await page.getByRole('dialog').locator(part).first().waitFor()
    await seen(`the dialog of ${key}`)
    await page.keyboard.press('Escape')
  }

  await page.keyboard.press('o')
  await page.getByRole('dialog').getByLabel('Symbol').fill('MSFT')
  await page.getByRole('dialog').getByRole('button', { name: 'Open stream', exact: true }).click()
  await says('message', 'openStream did not work')
  await seen('a stream that is refused')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Revoke tokens…' }).click()
  await page.getByRole('button', { name: 'Revoke all tokens' }).click()
  await says('message', 'revoke did not work')
  await seen('a revocation that is refused')
  await page.keyboard.press('Escape')

  show({ refresh: { ...base.refresh, state: 'sign-in-required', reason: 'the service refused it' } })
  await expect(page.locator('[data-verdict]')).toHaveAttribute('data-label', 'signed out')
  await seen('the end of a sign-in')
  await page.locator('[data-verdict] [data-remedy=sign-in]').click()
  await page.getByRole('button', { name: 'Sign in with the browser' }).click()
  await says('message', 'signInAgain did not work')
  await seen('a sign-in that is refused')
  host.answer('signInAgain', {
    ok: true,
    signIn: 'mine',
    url: 'https://x.test/',
    opened: false,
    endsAt: NOW_MS,
  })
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'Open the sign-in page' }).waitFor()
  const notice = 'an answer was ignored'
  host.push('signInChanged', tainted.of({ state: 'waiting', signIn: 'mine', endsAt: NOW_MS, notice }))
  await says('notice', notice)
  await seen('a sign-in that waits')
  await page.keyboard.press('Escape')

  const { refresh } = base
  for (const [label, more] of [
    [
      'revocation not confirmed',
      { refresh: { ...refresh, state: 'revoke-unconfirmed', reason: 'it answered 503' } },
    ],
    ['not saved', { refresh: { ...refresh, unsaved: 'the disk is full' } }],
    ['unreachable', { service: { reachable: false, host: 'api.example.com', why: 'no such name' } }],
  ] as const) {
    show(more)
    await expect(page.locator('[data-verdict]')).toHaveAttribute('data-label', label)
    await seen(`the headline ${label}`)
  }

  show()
  await expect(page.locator('[data-banner]')).toHaveCount(0)
  await page.getByRole('button', { name: 'Glance' }).click()
  await page.getByRole('list', { name: 'Also' }).waitFor()
  await says('category', 'Positions')
  await seen('the glance')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByTestId('verdict-headline').waitFor()
  return places
}

/** The texts that are on screen somewhere, word for word. */
function shownOf(tainted: Tainted, places: Places): readonly string[] {
  const said = [...places.values()].map((place) => place.said.toLowerCase()).join('\n')
  return [...tainted.made]
    .flatMap(([field, made]) => (said.includes(made.toLowerCase()) ? [field] : []))
    .sort()
}

async function walked(text: string, { page, open }: Window, before?: Places) {
  const tainted = new Tainted(text)
  const host = await open(tainted.of(base))
  const places = await walk(page, host, tainted, before)
  return { fields: shownOf(tainted, places), places }
}

/** Collects every request, new page and navigation of the page that is not its own. */
function strangeOf(page: Page): readonly string[] {
  const strange: string[] = []
  page.on('request', (request) => {
    const { hostname, pathname, href } = new URL(request.url())
    if (hostname !== '127.0.0.1' || !OWN_PATHS.test(pathname)) strange.push(href)
  })
  page.on('framenavigated', (frame) => {
    if (!/^http:\/\/127\.0\.0\.1:\d+\/(?:#|$)/.test(frame.url())) strange.push(frame.url())
  })
  page.on('popup', (popup) => strange.push(popup.url()))
  page.on('dialog', (dialog) => strange.push(dialog.message()))
  return strange
}

/** The window with harmless text. The results of all other texts are compared with it. */
let plain: Awaited<ReturnType<typeof walked>> | undefined

for (const [name, text] of Object.entries(HOSTILE)) {
  const title = `${name} from a server is text in every field: it runs nothing, asks for nothing, leads nowhere`
  test(title, { tag: THOROUGH_TAG }, async ({ page, open, complaints }) => {
    const strange = strangeOf(page)
    plain ??= await walked('Harmless', { page, open })
    const { fields, places } = await walked(text, { page, open }, plain.places)
    expect(await page.evaluate(() => document.documentElement.dataset['ran'])).toBeUndefined()
    expect([strange, complaints]).toEqual([[], []])
    expect(fields).toEqual(plain.fields)
    const led = [...places.values()].flatMap((place) => place.led)
    expect(led.filter((value) => value.includes(text))).toEqual([])
    provesInBrowser('W3', fields.length)
  })
}

test('a row named like a property of every object is a row like any other', async ({ page, open }) => {
  const names = ['constructor', '__proto__', 'toString']
  await open(snapshot({ requests: names.map((name) => quota(name, 10, 60, 5)) }))
  await expect(page.locator('tr[data-category]')).toHaveCount(names.length)
  await page.keyboard.press('s')
  for (const name of names) {
    const field = page.getByRole('group', { name: 'Alert below' }).getByLabel(name)
    await expect(field).toHaveAttribute('value', '')
  }
})

test('the longest names that main allows push nothing out of the window', async ({ page, open }) => {
  await open(new Tainted('W'.repeat(MAX_LETTERS)).of(base))
  for (const width of [1440, 1280, 900, 360]) {
    await page.setViewportSize({ width, height: 800 })
    await expect
      .poll(() => overflow(page), `${width} wide`)
      .toEqual(width < 1280 ? [0, expect.anything()] : [0, 0])
    // The buttons next to a long name stay within the window.
    for (const name of ['Open stream…', 'Details']) {
      const box = await page.getByRole('button', { name, exact: true }).boundingBox()
      expect((box?.x ?? Number.NaN) + (box?.width ?? 0), `${name}, ${width} wide`).toBeLessThanOrEqual(width)
    }
  }
})
