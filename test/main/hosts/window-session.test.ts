import { expect, test } from 'vitest'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { SILENT } from '../../../main/alerts/announcer.ts'
import { HistoryService } from '../../../main/history/history-service.ts'
import { Attention, openWindows } from '../../../main/hosts/window-session.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { EXAMPLE_KEY } from '../example-key.ts'
import { quotaHeaders } from '../quota-headers.ts'
import { answerOf, renewal, ScriptedHttp } from '../scripted-http.ts'
import { appFeatures } from './app-features.ts'
import { NO_PUSHES } from './no-pushes.ts'

const QUOTA = quotaHeaders(319, 1)

function setUp() {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  let refreshes = 0
  http.reply = ({ url }) => {
    if (!url.endsWith('/oauth/token')) return answerOf(200, '{}', QUOTA)
    refreshes += 1
    return renewal(`access-${refreshes}`)
  }
  const monitor = new Monitor({ clock, http, random: { next: () => 0.5 }, log: { note: () => {} } })
  const history = new HistoryService({
    monitor,
    clock,
    log: { note: () => {} },
    announcer: SILENT,
    version: '1',
    problem: () => {},
  })
  const attention = new Attention()
  const windows = openWindows({
    monitor,
    attention,
    clock,
    hello: () => ({ version: '1', host: 'browser' }),
    features: appFeatures(monitor, history),
  })
  const connect = (id: string) => monitor.connect({ ...EXAMPLE_KEY, id, name: id })
  const open = () => {
    const seen: { snapshots: Snapshot[]; events: LoggedEvent[]; removed: string[] } = {
      snapshots: [],
      events: [],
      removed: [],
    }
    const session = windows.open({
      ...NO_PUSHES,
      snapshotChanged: (snapshot) => seen.snapshots.push(snapshot),
      eventHappened: (event) => seen.events.push(event),
      profileRemoved: ({ profile }) => seen.removed.push(profile),
    })
    return { ...session, seen }
  }
  return { clock, http, monitor, history, attention, connect, open }
}

test('a window that opens late fetches once and then gets pushes', async () => {
  const { clock, connect, open } = setUp()
  connect('a')
  await clock.advance(10_000)
  const { handlers, seen } = open()
  const asked = await handlers.snapshots()
  expect(asked.map(({ profile }) => profile.id)).toEqual(['a'])
  expect(seen.snapshots).toEqual([])
  expect((await handlers.events({ after: 0 })).map(({ kind }) => kind)).toEqual(['token-refreshed'])
  await clock.advance(60_000)
  expect(seen.snapshots.at(-1)?.revision).toBeGreaterThan(asked[0]!.revision)
})

test('each window has its own rate, and a hidden one gets events but no snapshots', async () => {
  const { clock, connect, open } = setUp()
  const shown = open()
  const hidden = open()
  hidden.handlers.setVisible({ visible: false })
  connect('a')
  await clock.advance(60_000)
  expect(shown.seen.snapshots.length).toBeGreaterThan(0)
  expect(hidden.seen.snapshots).toEqual([])
  expect(hidden.seen.events).toEqual(shown.seen.events)
})

test('a window counts as visible while it is open and not hidden', () => {
  const { attention, open } = setUp()
  const first = open()
  const second = open()
  first.handlers.setVisible({ visible: false })
  expect(attention.attended).toBe(true)
  second.close()
  expect(attention.attended).toBe(false)
  first.handlers.setVisible({ visible: true })
  expect(attention.attended).toBe(true)
})

test('a row can be checked, and its headers fetched, by its category', async () => {
  const { clock, connect, open } = setUp()
  connect('a')
  await clock.advance(1_000)
  const { handlers } = open()
  const row = { profile: 'a', category: 'Accounts' }
  expect(await handlers.checkNow(row)).toEqual({ ok: true })
  expect(await handlers.rowDetails(row)).toMatchObject({
    ok: true,
    details: { headers: { 'x-ratelimit-limit': 320, 'x-ratelimit-remaining': 319 }, refusals: [] },
  })
})

test('a closed window gets nothing more', async () => {
  const { clock, connect, open } = setUp()
  const { close, seen } = open()
  close()
  connect('a')
  await clock.advance(60_000)
  expect(seen).toEqual({ snapshots: [], events: [], removed: [] })
})

test('a visible window gets numbers at least once a second, and a hidden one none', async () => {
  const { clock, connect, open } = setUp()
  connect('a')
  const { handlers, seen } = open()
  await clock.advance(60_000)
  const moments = seen.snapshots.map(({ at }) => at)
  const gaps = moments.slice(1).map((at, index) => at - (moments[index] ?? 0))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(1_000)
  await handlers.setVisible({ visible: false })
  const sent = seen.snapshots.length
  await clock.advance(60_000)
  expect(seen.snapshots.length).toBe(sent)
})

test('a forgotten key is reported as removed, revokes nothing and sends nothing more', async () => {
  const { clock, http, monitor, history, connect, open } = setUp()
  const { handlers, seen, close } = open()
  connect('a')
  await clock.advance(60_000)
  const sent = http.requests.length
  expect(await handlers.disconnect({ profile: 'a' })).toEqual({ ok: true })
  await clock.advance(3_600_000)
  expect(seen.removed).toEqual(['a'])
  expect(http.requests.length).toBe(sent)
  expect(http.requests.some(({ url }) => url.endsWith('/revoke'))).toBe(false)
  expect(monitor.profiles()).toEqual([])
  close()
  history.close()
  expect(clock.pending).toBe(0)
})

test('a key that is not connected is an expected failure of every command', async () => {
  const { open } = setUp()
  const { handlers } = open()
  const profile = 'nobody'
  const refusal = { ok: false, code: 'unknown-profile' }
  expect(await handlers.disconnect({ profile })).toMatchObject(refusal)
  expect(await handlers.revoke({ profile })).toMatchObject(refusal)
  expect(await handlers.tryNow({ profile })).toMatchObject(refusal)
  expect(await handlers.checkNow({ profile, category: 'Accounts' })).toMatchObject(refusal)
  expect(await handlers.rowDetails({ profile, category: 'Accounts' })).toMatchObject(refusal)
  expect(await handlers.openStream({ profile, kind: 'quotes', target: 'MSFT' })).toMatchObject(refusal)
  expect(await handlers.closeStream({ profile, stream: 's1' })).toMatchObject(refusal)
  expect(await handlers.history({ profile, category: 'Accounts', fromMs: 0, toMs: 1, points: 2 })).toEqual({
    points: [],
    rejectedAt: [],
  })
})

test('a reconnected key continues its revisions, because windows drop older ones', async () => {
  const { clock, monitor, connect } = setUp()
  connect('a')
  await clock.advance(60_000)
  const before = monitor.snapshot('a')!.revision
  connect('a')
  expect(monitor.snapshot('a')!.revision).toBeGreaterThan(before)
})

test('nothing sent to a window contains a token', async () => {
  const { clock, connect, open } = setUp()
  const { handlers, seen } = open()
  connect('a')
  await clock.advance(3_600_000)
  const all = JSON.stringify([seen, await handlers.snapshots(), await handlers.events({ after: 0 })])
  expect(all).not.toContain('access-')
  expect(all).not.toContain('the-refresh-token')
})
