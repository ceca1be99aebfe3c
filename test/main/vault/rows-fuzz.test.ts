import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { VaultProfileStore } from '../../../main/sign-in/profile-store.ts'
import { VAULT_MIGRATIONS } from '../../../main/vault/schema.ts'
import { VaultHandle } from '../../../main/vault/vault-handle.ts'
import { proves } from '../../proof/proves.ts'
import { hostileInteger } from '../hostile-integer.ts'
import { hostileFile } from '../hostile-json.ts'
import { held, NOW_MS, profile, vaultOf } from './fixtures.ts'
import { testKeystore } from './test-keystore.ts'

/** The number of vaults to test. Each has one cell that differs from what was written. */
const RUNS = 4_000

type Row = Readonly<Record<string, SQLInputValue>>
const TABLES = ['data_keys', 'profiles', 'records', 'intents', 'outbox', 'journal', 'quarantine'] as const

const openOn = (database: DatabaseSync) =>
  VaultHandle.open({
    folder: '/nowhere',
    keystore: testKeystore(),
    wallMs: () => NOW_MS,
    openFile: () => ({ kind: 'open', database, notices: [] }),
  })

/** Two keys with everything a vault can hold of one. */
async function vaultInMemory() {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  for (const step of VAULT_MIGRATIONS) database.exec(step)
  const vault = vaultOf(await openOn(database))
  for (const id of ['key-1', 'key-2']) {
    vault.signIn(profile({ id, clientSecret: `CANARY-secret-of-${id}` }), held(1, `CANARY-refresh-of-${id}`))
    vault.tokens(id).intend({ generation: 2, atMs: NOW_MS }, `CANARY-refresh-of-${id}`)
    vault.keepDesk(id, `CANARY-desk-of-${id}`)
  }
  vault.tokens('key-1').save({
    ...held(1, 'CANARY-refresh-of-key-1'),
    intent: { generation: 2, atMs: NOW_MS },
    revocation: { reason: 'unreachable', byItself: false },
  })
  const rows = TABLES.map(
    (table) => [table, database.prepare(`SELECT * FROM ${table}`).all() as Row[]] as const,
  )
  const writes = rows.map(([table, kept]) => ({
    clear: database.prepare(`DELETE FROM ${table}`),
    inserts: kept.map((row) => {
      const places = Object.keys(row).map(() => '?')
      const statement = database.prepare(`INSERT INTO ${table} VALUES (${places.join(', ')})`)
      return () => statement.run(...Object.values(row))
    }),
  }))
  const restore = () => {
    for (const { clear, inserts } of writes) {
      clear.run()
      for (const insert of inserts) insert()
    }
  }
  const cells = rows.flatMap(([table, kept]) =>
    kept.flatMap((row, at) =>
      Object.entries(row).map(([column, value]) => ({ table, row, at, column, value })),
    ),
  )
  return { database, restore, cells }
}

const bytes = fc.uint8Array({ maxLength: 80 })
const integer = hostileInteger(2, 3)
const flipped = (whole: Uint8Array) =>
  fc
    .tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }))
    .map(([at, mask]) => whole.map((byte, index) => (index === at ? byte ^ mask : byte)))

/** Values have the type of the column, because a vault's tables are strict. */
function hostileCell(value: SQLInputValue): fc.Arbitrary<SQLInputValue> {
  if (value instanceof Uint8Array) return fc.oneof(bytes, flipped(value), fc.constant(value.subarray(1)))
  if (typeof value === 'number' || typeof value === 'bigint') return integer
  if (typeof value !== 'string') return bytes
  const nearly = value.startsWith('{')
    ? hostileFile(JSON.parse(value)).map((found) => Buffer.from(found).toString())
    : fc.constantFrom(
        '',
        'key-1',
        'key-2',
        'client-secret',
        'refresh-token',
        'desk',
        '__proto__',
        '\u0000',
        'x'.repeat(5000),
      )
  return fc.oneof(nearly, fc.string())
}

test('4,000 vaults with one foreign cell: each opens, reports its loss, and reveals no other secret', async () => {
  const { database, restore, cells } = await vaultInMemory()
  const written = cells.map((cell) => hostileCell(cell.value).map((value) => ({ ...cell, written: value })))
  const changes = fc.nat(written.length - 1).chain((at) => written[at]!)
  let tried = 0
  const kinds = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(changes, async ({ table, row, column, written }) => {
      const { where, values } = keyOf(row)
      try {
        database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(written, ...values)
      } catch {
        return // two rows of one key: not a file that SQLite would have written either
      }
      tried += 1
      try {
        const handle = await openOn(database)
        const restored = new VaultProfileStore(handle, { startsOver: false, changed: () => {} }).restore()
        for (const { id, reading, clientSecret } of handle.storedProfiles()) {
          kinds.set(reading.kind, (kinds.get(reading.kind) ?? 0) + 1)
          if (reading.kind === 'found')
            expect(reading.stored.token.refreshToken).toBe(`CANARY-refresh-of-${id}`)
          if (clientSecret !== undefined) expect(clientSecret).toBe(`CANARY-secret-of-${id}`)
          const desk = handle.vault?.desk(id)
          if (desk?.kind === 'found') expect(desk.text).toBe(`CANARY-desk-of-${id}`)
        }
        expect(JSON.stringify([handle.status, handle.notices])).not.toContain('CANARY')
        // The contents of one key's rows do not affect the other key.
        if (Object.values(row).includes('key-1') && written !== 'key-2') {
          const other = restored.find(({ profile: { id } }) => id === 'key-2')
          expect(other?.tokens.read()).toMatchObject({ kind: 'found' })
        }
      } finally {
        restore()
      }
    }),
    { numRuns: RUNS },
  )
  expect(tried).toBeGreaterThan(0.9 * RUNS)
  expect([...kinds.keys()].sort()).toEqual(expect.arrayContaining(['found', 'lost']))
  expect((await openOn(database)).status).toEqual({ state: 'ok' })
  proves('K1', { level: 2, cases: tried })
}, 60_000)

function keyOf(row: Row) {
  const names = ['id', 'seq', 'profile', 'kind', 'generation'].filter((name) => name in row)
  return {
    where: names.map((name) => `${name} = ?`).join(' AND '),
    values: names.map((name) => row[name] ?? null),
  }
}
