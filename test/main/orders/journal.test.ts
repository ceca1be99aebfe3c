import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { DAY_MS } from '../../../app/contract/units.ts'
import { keyOfHash } from '../../../app/orders/recognition.ts'
import { Journal } from '../../../main/orders/journal.ts'
import type { HashedEntry } from '../../../main/orders/journal-file.ts'
import { OrderHashes } from '../../../main/orders/order-hashes.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const clock = new VirtualClock()
const NOW_MS = clock.wallMs()

const entry = (id: string, changed: Partial<HashedEntry> = {}): HashedEntry => ({
  id,
  profile: 'key-1',
  atMs: NOW_MS,
  program: 'bot',
  method: 'POST',
  kind: 'order',
  accountEnding: '001',
  orderIds: [],
  outcome: 'sent',
  isDismissed: false,
  hashes: ['h'],
  confirmHashes: ['c'],
  ...changed,
})

function open(folder = temporaryFolder()) {
  const problems: string[] = []
  const states: (string | undefined)[] = []
  const journal = new Journal({
    folder,
    clock,
    log: { note: () => {} },
    problem: (sentence) => void problems.push(sentence),
    changed: (why) => void states.push(why),
  })
  onTestFinished(() => journal.close())
  return { folder, journal, problems, states }
}

const everything = [0, NOW_MS * 2] as const

test('an entry survives, with its end', () => {
  const { folder, journal } = open()
  expect(journal.insert(entry('a'))).toEqual({ ok: true })
  journal.settle('a', { outcome: 'answered', status: 200, orderIds: ['7', '8'], latencyMs: 12 })
  journal.insert(entry('b'))
  journal.close()
  const next = open(folder).journal
  expect(next.between(...everything)).toEqual([
    entry('a', { outcome: 'answered', status: 200, orderIds: ['7', '8'], latencyMs: 12 }),
    entry('b'),
  ])
  expect(next.former?.map(({ id }) => id)).toEqual(['a', 'b'])
  expect([next.count('key-1', NOW_MS), next.count('key-1', NOW_MS + 1)]).toEqual([2, 0])
})

test('the next run gets the settled entries of the last minute, and all others', () => {
  const { folder, journal } = open()
  for (const [id, agoMs] of [
    ['settled', 60_001],
    ['open', 60_001],
    ['recent', 60_000],
  ] as const)
    journal.insert(entry(id, { atMs: NOW_MS - agoMs }))
  for (const id of ['settled', 'recent']) journal.settle(id, { outcome: 'answered' })
  journal.close()
  expect(open(folder).journal.former?.map(({ id }) => id)).toEqual(['open', 'recent'])
})

test('a commit is on the disk when it returns', () => {
  const { folder } = open()
  const { journal } = open(folder)
  journal.insert(entry('a'))
  const source = readFileSync(join(import.meta.dirname, '../../../main/orders/journal-file.ts'), 'utf8')
  const [, pragmas = ''] = /PRAGMAS = `([^`]+)`/.exec(source) ?? []
  const database = new DatabaseSync(join(folder, 'orders.db'))
  onTestFinished(() => database.close())
  database.exec(pragmas)
  // 2: FULL.
  expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
})

test('entries are kept for 30 days, but an unknown outcome until it is dismissed', () => {
  const { folder, journal } = open()
  const old = { atMs: NOW_MS - 30 * DAY_MS - 1 }
  for (const id of ['answered', 'not-found', 'dismissed', 'looking'] as const) {
    journal.insert(entry(id, old))
    const outcome = id === 'dismissed' ? 'ambiguous' : id
    journal.settle(id, { outcome })
  }
  journal.dismiss('dismissed')
  journal.insert(entry('young', { atMs: NOW_MS - 30 * DAY_MS + 1 }))
  journal.settle('young', { outcome: 'answered' })
  journal.close()
  const kept = open(folder).journal.between(...everything)
  expect(kept?.map(({ id }) => id)).toEqual(['not-found', 'looking', 'young'])
})

test('while the file is locked, an end is kept and written later', async () => {
  const { folder, journal, states } = open()
  journal.insert(entry('a'))
  const other = new DatabaseSync(join(folder, 'orders.db'))
  other.exec('BEGIN IMMEDIATE')
  journal.settle('a', { outcome: 'looking' })
  journal.settle('a', { outcome: 'found', orderIds: ['7'] })
  expect(journal.insert(entry('b'))).toEqual({
    ok: false,
    why: 'another program has locked the order journal',
  })
  // Until the outcome is written, `why` says what prevents it.
  expect(journal.why).toBe('another program has locked the order journal')
  other.exec('ROLLBACK')
  other.close()
  await clock.advance(5_000)
  expect(journal.why).toBeUndefined()
  journal.close()
  expect(open(folder).journal.between(...everything)).toEqual([
    entry('a', { outcome: 'found', orderIds: ['7'] }),
  ])
  expect(states).toEqual(['another program has locked the order journal', undefined])
})

test('a damaged file is set aside and reported, a removed one recreated, a newer one left unchanged', () => {
  const { folder, journal } = open()
  journal.insert(entry('a'))
  journal.close()
  writeFileSync(join(folder, 'orders.db'), 'no database'.repeat(1000))
  const damaged = open(folder)
  expect(damaged.problems).toEqual([
    expect.stringMatching(/^The order journal was damaged and renamed to orders\.corrupt-.*\.db\. Check/),
  ])
  expect(damaged.journal.insert(entry('b'))).toEqual({ ok: true })
  rmSync(join(folder, 'orders.db'))
  expect(damaged.journal.insert(entry('c'))).toEqual({ ok: true })
  expect(damaged.journal.between(...everything)?.map(({ id }) => id)).toEqual(['b', 'c'])
  damaged.journal.close()
  const database = new DatabaseSync(join(folder, 'orders.db'))
  database.exec('PRAGMA user_version = 9')
  database.close()
  const newer = open(folder).journal
  expect(newer.insert(entry('d'))).toEqual({
    ok: false,
    why: 'the order journal was written by a newer version of Headroom',
  })
})

test('a removed journal is recreated with the orders in flight, their ends, and unknown outcomes', () => {
  const { folder, journal } = open()
  const remove = () => {
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `orders.db${end}`), { force: true })
  }
  for (const id of ['unknown', 'dismissed', 'flying', 'answered']) journal.insert(entry(id))
  for (const id of ['unknown', 'dismissed']) journal.settle(id, { outcome: 'not-found', latencyMs: 3 })
  journal.dismiss('dismissed')
  remove()
  journal.settle('answered', { outcome: 'answered', status: 200, orderIds: ['7'], latencyMs: 12 })
  const kept = [
    entry('unknown', { outcome: 'not-found', latencyMs: 3 }),
    entry('flying'),
    entry('answered', { outcome: 'answered', status: 200, orderIds: ['7'], latencyMs: 12 }),
  ]
  expect(journal.between(...everything)).toEqual(kept)
  remove()
  expect(journal.between(...everything)).toEqual(kept.slice(0, 2))
  journal.close()
  expect(open(folder).journal.former).toEqual(kept.slice(0, 2))
})

test('a journal whose -wal file was removed has every order, also after a kill', () => {
  const { folder, journal } = open()
  journal.insert(entry('before'))
  rmSync(join(folder, 'orders.db-wal'))
  expect(journal.insert(entry('after')).ok).toBe(true)
  // A copy of the open file is what a kill leaves, because nothing closes the file.
  const killed = temporaryFolder()
  cpSync(folder, killed, { recursive: true })
  expect(open(killed).journal.former?.map(({ id }) => id)).toEqual(['before', 'after'])
})

test('an entry of an earlier version, with hashes where this one has the mark of its key, is of any key', () => {
  const { folder, journal } = open()
  for (const id of ['a', 'b']) journal.insert(entry(id, { keyMark: 'mark' }))
  journal.close()
  const database = new DatabaseSync(join(folder, 'orders.db'))
  database.exec(`UPDATE orders SET similar_hashes = '["key.hash","key.hash"]' WHERE id = 'b'`)
  database.close()
  const again = open(folder).journal
  expect(again.between(...everything)?.map(({ keyMark }) => keyMark)).toEqual(['mark', undefined])
  expect([again.count('key-1', 0, 'mark'), again.count('key-1', 0, 'other')]).toEqual([2, 1])
})

test('without a data folder nothing can be journalled', () => {
  const journal = new Journal({
    folder: undefined,
    clock,
    log: { note: () => {} },
    problem: () => {},
    changed: () => {},
  })
  const why = 'there is no data folder for the order journal'
  expect([journal.why, journal.insert(entry('a'))]).toEqual([why, { ok: false, why }])
})

test('the file has no symbol, price, quantity or account, and a hash only with its key', () => {
  const { folder, journal } = open()
  const hashes = new OrderHashes(() => [], Buffer.from('own'))
  const text = '["order","SIM1001",["MSFT","buy","10"]]'
  journal.insert(entry('a', { hashes: [hashes.of(text)] }))
  journal.close()
  const bytes = readFileSync(join(folder, 'orders.db'), 'latin1')
  for (const secret of ['SIM1001', 'MSFT', text]) expect(bytes).not.toContain(secret)
  const others = new OrderHashes(() => [Buffer.from('vault'), Buffer.from('earlier')], Buffer.from('own'))
  expect(others.of(text)).not.toBe(hashes.of(text))
  expect(others.allOf(text)).toContain(hashes.of(text))
  expect(others.isKnown(keyOfHash(hashes.of(text)))).toBe(true)
})

test('the hash of an order equals the one that earlier versions wrote', () => {
  const hashes = new OrderHashes(() => [Buffer.from('vault'), Buffer.from('earlier')], Buffer.from('own'))
  expect(hashes.of('["order","SIM1001"]')).toBe('GZ8pYkYu.SSum84or3bPjEV2NPaXu2LNj')
  expect(hashes.allOf('x')).toEqual([
    'GZ8pYkYu.m22YmyJcVVEJQFoDO3-XYm0f',
    'l-Q7DApu.Le0KxCYy2MXjLFRtQOv6zM3D',
    '9WLUUxJn.m8kXxdoA6MZ9xafJd-4I5L1o',
  ])
})
