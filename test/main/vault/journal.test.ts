import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { fingerprint, isInJournal, writeJournal } from '../../../main/vault/journal.ts'

const KEY = new Uint8Array(32).fill(7)
const OTHER = new Uint8Array(32).fill(8)

function journal() {
  const database = new DatabaseSync(':memory:')
  database.exec(
    'CREATE TABLE journal (seq INTEGER PRIMARY KEY, profile, generation, step, fingerprint, at_ms)',
  )
  const rows = () => database.prepare('SELECT * FROM journal ORDER BY seq').all()
  return { database, rows }
}

test('without a data key nothing is recorded, and the error gives the reason', () => {
  const { database, rows } = journal()
  const keys = { opened: new Map() }
  const note = () =>
    writeJournal({ database, keys, nowMs: 0 } as unknown as Parameters<typeof writeJournal>[0], 'p', 'sent', {
      generation: 1,
      refreshToken: 'CANARY',
    })
  expect(note).toThrow('no fingerprint without a data key')
  expect(rows()).toEqual([])
})

test('200 rows of a profile stay and each sign-in; a token is recognised under any key that opened, and is not stored', () => {
  const { database, rows } = journal()
  const keys = {
    opened: new Map([
      [1, OTHER],
      [2, KEY],
    ]),
    current: { id: 2, key: KEY },
  }
  const view = { database, keys, nowMs: 12.6 }
  writeJournal(view, 'p', 'signed-in', { generation: 0, refreshToken: 'CANARY-first' })
  writeJournal(view, 'q', 'sent', { generation: 0, refreshToken: 'CANARY-of-q' })
  for (let generation = 1; generation <= 250; generation += 1)
    writeJournal(view, 'p', 'sent', { generation, refreshToken: `CANARY-${generation}` })
  const kept = rows().filter(({ profile }) => profile === 'p')
  expect(kept.map(({ generation }) => generation)).toEqual([
    0,
    ...Array.from({ length: 200 }, (_, at) => at + 51),
  ])
  expect(rows()).toHaveLength(202)
  expect(kept[0]).toMatchObject({
    step: 'signed-in',
    at_ms: 13,
    fingerprint: fingerprint(KEY, 'CANARY-first'),
  })
  expect(JSON.stringify(rows())).not.toContain('CANARY')
  expect(isInJournal(view, 'p', 'CANARY-250')).toBe(true)
  expect(isInJournal(view, 'p', 'CANARY-50')).toBe(false)
  expect(isInJournal(view, 'q', 'CANARY-250')).toBe(false)
  const without = { ...view, keys: { opened: new Map([[1, OTHER]]) } }
  expect(isInJournal(without, 'p', 'CANARY-250')).toBe(false)
})
