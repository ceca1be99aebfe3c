import { expect, test } from 'vitest'
import {
  CHECK_EVERY_MS,
  FIRST_CHECK_MS,
  followUpdates,
  type Updater,
} from '../../../../main/hosts/desktop/updates.ts'
import { proves } from '../../../proof/proves.ts'
import { SteppedClock } from '../../stepped-clock.ts'

/** A feed that answers at once, and records the requests. */
function app({ hasFeed = true, verifiesSignature = true, isWanted = true } = {}) {
  const clock = new SteppedClock()
  const asked: string[] = []
  const notices: string[] = []
  const opened: string[] = []
  const logged: string[] = []
  const feed = { newest: undefined as string | undefined, fails: false }
  let wanted = isWanted
  const answer = async <T>(what: string, value: T): Promise<T> => {
    asked.push(what)
    if (feed.fails) throw new Error('no way there')
    return value
  }
  const updater: Updater = {
    check: () => answer('check', feed.newest),
    download: () => answer('download', undefined),
    install: () => void asked.push('install'),
    verifiesSignature,
    releasePage: (version) => `https://releases.example/${version}`,
  }
  const updates = followUpdates({
    updater: hasFeed ? updater : undefined,
    clock,
    isWanted: () => wanted,
    notify: ({ title }) => void notices.push(title),
    openPage: async (url) => void opened.push(url),
    changed: () => {},
    log: { note: (line) => void logged.push(line) },
  })
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  }
  return {
    updates,
    clock,
    feed,
    asked,
    notices,
    opened,
    logged,
    settle,
    pass: async (ms: number) => {
      clock.advance(ms)
      await settle()
    },
    want: async (next: boolean) => {
      wanted = next
      updates.wantedChanged()
      clock.advance(0)
      await settle()
    },
  }
}

test('an app without a feed contacts no one, whatever is set', async () => {
  const { updates, clock, asked, pass, want } = app({ hasFeed: false })
  await pass(3 * CHECK_EVERY_MS)
  await want(true)
  updates.proceed()
  expect(updates.state()).toEqual({ kind: 'no-feed' })
  expect([clock.pending, asked]).toEqual([0, []])
  proves('P4', { level: 2, cases: 1 })
})

test('the first check is a minute after the start, then one a day', async () => {
  const { asked, pass } = app()
  await pass(FIRST_CHECK_MS - 1)
  expect(asked).toEqual([])
  await pass(1)
  expect(asked).toEqual(['check'])
  await pass(CHECK_EVERY_MS - 1)
  expect(asked).toEqual(['check'])
  await pass(1)
  expect(asked).toEqual(['check', 'check'])
})

test('a newer version is reported once, and nothing is downloaded or installed unasked', async () => {
  const { updates, feed, asked, notices, pass } = app()
  feed.newest = '2.0.0'
  await pass(FIRST_CHECK_MS)
  await pass(3 * CHECK_EVERY_MS)
  expect(updates.state()).toEqual({ kind: 'available', version: '2.0.0' })
  expect(notices).toEqual(['Headroom 2.0.0 is out'])
  expect(new Set(asked)).toEqual(new Set(['check']))
  feed.newest = '2.1.0'
  await pass(CHECK_EVERY_MS)
  expect(notices).toEqual(['Headroom 2.0.0 is out', 'Headroom 2.1.0 is out'])
  proves('P4', { level: 2, cases: 5 })
})

test('a person downloads it, then installs it', async () => {
  const { updates, feed, asked, settle, pass } = app()
  feed.newest = '2.0.0'
  await pass(FIRST_CHECK_MS)
  updates.proceed()
  expect(updates.state()).toEqual({ kind: 'downloading', version: '2.0.0' })
  updates.proceed()
  await settle()
  expect(updates.state()).toEqual({ kind: 'ready', version: '2.0.0' })
  await pass(CHECK_EVERY_MS)
  expect(updates.state()).toEqual({ kind: 'ready', version: '2.0.0' })
  updates.proceed()
  expect(asked).toEqual(['check', 'download', 'check', 'install'])
})

test('without a verified signature the release’s page opens, and nothing is downloaded', async () => {
  const { updates, feed, asked, opened, pass } = app({ verifiesSignature: false })
  feed.newest = '2.0.0'
  await pass(FIRST_CHECK_MS)
  updates.proceed()
  expect(opened).toEqual(['https://releases.example/2.0.0'])
  expect(asked).toEqual(['check'])
  proves('P4', { level: 2, cases: 1 })
})

test('a failed download or verification is reported as such, with the page as the next step', async () => {
  const { updates, feed, asked, opened, settle, pass } = app()
  feed.newest = '2.0.0'
  await pass(FIRST_CHECK_MS)
  feed.fails = true
  updates.proceed()
  await settle()
  expect(updates.state()).toEqual({ kind: 'failed', version: '2.0.0' })
  updates.proceed()
  expect(opened).toEqual(['https://releases.example/2.0.0'])
  expect(asked).not.toContain('install')
  proves('P4', { level: 2, cases: 1 })
})

test('an unreachable feed is retried a day later, and costs only a line in the log', async () => {
  const { updates, feed, asked, notices, logged, pass } = app()
  feed.fails = true
  await pass(FIRST_CHECK_MS)
  expect([updates.state(), notices]).toEqual([{ kind: 'none' }, []])
  expect(logged).toEqual(['checking for updates failed'])
  await pass(CHECK_EVERY_MS)
  expect(asked).toEqual(['check', 'check'])
})

test('switched off it contacts no one; switched on it checks at once', async () => {
  const { updates, feed, clock, asked, pass, want } = app({ isWanted: false })
  feed.newest = '2.0.0'
  await pass(3 * CHECK_EVERY_MS)
  expect([updates.state(), clock.pending, asked]).toEqual([{ kind: 'off' }, 0, []])
  await want(true)
  expect(updates.state()).toEqual({ kind: 'available', version: '2.0.0' })
  await want(false)
  expect([updates.state(), clock.pending]).toEqual([{ kind: 'off' }, 0])
  proves('P4', { level: 2, cases: 3 })
})

test('a response after it was switched off changes nothing', async () => {
  const { updates, feed, notices, clock, want } = app()
  feed.newest = '2.0.0'
  clock.advance(FIRST_CHECK_MS)
  await want(false)
  expect([updates.state(), notices, clock.pending]).toEqual([{ kind: 'off' }, [], 0])
})

test('after close, it contacts no one', async () => {
  const { updates, asked, clock, pass } = app()
  updates.close()
  await pass(CHECK_EVERY_MS)
  expect([asked, clock.pending]).toEqual([[], 0])
})
