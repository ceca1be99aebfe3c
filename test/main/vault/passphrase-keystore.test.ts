import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { passphraseKeystore, SCRYPT_COST } from '../../../main/vault/passphrase-keystore.ts'

/** A lower cost for tests. The real cost takes a good part of a second on purpose. */
const CHEAP = { N: 16, r: 8, p: 1 }
const key = randomBytes(32)

async function wrapped(passphrase = 'correct horse', cost = CHEAP): Promise<Uint8Array> {
  const wrapping = await passphraseKeystore(passphrase, cost).wrap(key)
  if (wrapping.kind !== 'wrapped') throw new Error(wrapping.kind)
  return wrapping.bytes
}

const changed = async (change: (parts: Record<string, unknown>) => Record<string, unknown>) =>
  new TextEncoder().encode(JSON.stringify(change(JSON.parse(new TextDecoder().decode(await wrapped())))))

test('the same passphrase opens it, however it was typed', async () => {
  const bytes = await wrapped('café')
  const unwrapping = await passphraseKeystore('cafe\u0301', CHEAP).unwrap(bytes)
  expect(unwrapping).toEqual({ kind: 'unwrapped', key, renew: false })
})

test('a wrong passphrase is rejected, and a damaged record is not called one', async () => {
  expect((await passphraseKeystore('wrong', CHEAP).unwrap(await wrapped())).kind).toBe('refused')
  const keystore = passphraseKeystore('correct horse', CHEAP)
  const other = Buffer.from(randomBytes(60)).toString('base64')
  expect((await keystore.unwrap(await changed((parts) => ({ ...parts, key: other })))).kind).toBe('damaged')
  expect((await keystore.unwrap(new TextEncoder().encode('{"v":1'))).kind).toBe('damaged')
  expect((await keystore.unwrap(new Uint8Array(0))).kind).toBe('damaged')
})

test('a damaged check does not hide a key that opens', async () => {
  const check = Buffer.from(randomBytes(60)).toString('base64')
  const unwrapping = await passphraseKeystore('correct horse', CHEAP).unwrap(
    await changed((parts) => ({ ...parts, check })),
  )
  expect(unwrapping.kind).toBe('unwrapped')
})

test('a stored cost that would use all the memory is not tried', async () => {
  const most = { N: 2 ** 20, r: 16, p: 16 }
  for (const cost of [most, { N: 2 ** 40 }, { r: 1e6 }, { p: 1e6 }, { N: 15 }, { N: 'x' }]) {
    const unwrapping = await passphraseKeystore('correct horse', CHEAP).unwrap(
      await changed((parts) => ({ ...parts, ...cost })),
    )
    expect(unwrapping.kind).toBe('damaged')
  }
})

test('a key stretched at a lower cost opens and is wrapped again', async () => {
  const unwrapping = await passphraseKeystore('correct horse', { ...CHEAP, N: 32 }).unwrap(await wrapped())
  expect(unwrapping).toEqual({ kind: 'unwrapped', key, renew: true })
})

test('the real cost is the one recommended today, and works', async () => {
  expect(SCRYPT_COST).toEqual({ N: 131_072, r: 8, p: 1 })
  const unwrapping = await passphraseKeystore('correct horse').unwrap(
    await wrapped('correct horse', SCRYPT_COST),
  )
  expect(unwrapping).toEqual({ kind: 'unwrapped', key, renew: false })
})

test('neither the passphrase nor the key is in the stored data', async () => {
  const text = Buffer.from(await wrapped()).toString('latin1')
  expect(text).not.toContain('horse')
  expect(text).not.toContain(Buffer.from(key).toString('base64').slice(0, 12))
})

test('it recognises its own data, and not a keyring’s', () => {
  const { mayHaveWrapped } = passphraseKeystore('correct horse', CHEAP)
  expect(['passphrase', 'gnome_libsecret', 'darwin'].map((backend) => mayHaveWrapped?.(backend))).toEqual([
    true,
    false,
    false,
  ])
})

test('data wrapped by an earlier version opens', async () => {
  const earlier = {
    v: 1,
    N: 16,
    r: 8,
    p: 1,
    salt: 'ReJelAtvWHYvwAeFN5U9/A==',
    check: 'AfJb/+kn3rqQd8YpoTRwQPOxoCYnBkOhCqsDZaAyFmSLTQ1+8NzaBRlCGTsEED1RTKw+Lw==',
    key: 'AfzbRRHryFWPlZF+DuNLC95cShLx2eM193xYhs4jD34JwcttfqjMh7G4nzbciCQzI6qcwB0udTIg/Pk8teD5jtmaYJg49DZUrA==',
  }
  const unwrapping = await passphraseKeystore('correct horse', CHEAP).unwrap(
    new TextEncoder().encode(JSON.stringify(earlier)),
  )
  expect(unwrapping).toEqual({ kind: 'unwrapped', key: Buffer.alloc(32, 7), renew: false })
  // If the check opens but the key does not, the passphrase is right and the key is damaged.
  const damaged = { ...earlier, key: Buffer.alloc(76, 1).toString('base64') }
  const keystore = passphraseKeystore('correct horse', CHEAP)
  expect((await keystore.unwrap(new TextEncoder().encode(JSON.stringify(damaged)))).kind).toBe('damaged')
})
