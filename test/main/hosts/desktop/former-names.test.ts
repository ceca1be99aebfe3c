import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openOnly, withFormerNames } from '../../../../main/hosts/desktop/former-names.ts'
import { type Keystore, PASSPHRASE_BACKEND, type Unwrapping } from '../../../../main/ports/keystore.ts'
import { VaultHandle } from '../../../../main/vault/vault-handle.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'
import { testKeystore } from '../../vault/test-keystore.ts'

const key = randomBytes(32)
const refused: Unwrapping = { kind: 'refused', why: 'another key' }

function opening(present: Unwrapping, entries: Readonly<Record<string, Uint8Array>>) {
  const asked: string[] = []
  const keystore: Keystore = {
    wrap: () => Promise.reject(new Error('not asked')),
    unwrap: async () => present,
  }
  const store = withFormerNames(keystore, async (name) => {
    asked.push(name)
    return entries[name]
  })
  return { asked, unwrapped: store.unwrap(Buffer.from('wrapped')) }
}

test('data encrypted under a former name is opened, and wrapped again', async () => {
  const { asked, unwrapped } = opening(refused, { Electron: key })
  expect(await unwrapped).toEqual({ kind: 'unwrapped', key, renew: true })
  expect(asked).toEqual(['headroom', 'Electron'])
})

test('data that no former name opens stays rejected, even if one decrypts it to something else', async () => {
  const { unwrapped } = opening(refused, { headroom: key.subarray(1) })
  expect(await unwrapped).toEqual(refused)
})

test('no former name is tried while the present one opens it, or may do so later', async () => {
  for (const present of [
    { kind: 'unwrapped', key, renew: false },
    { kind: 'waiting', why: 'w', settled: Promise.resolve() },
    { kind: 'unprotected', why: 'w' },
  ] satisfies Unwrapping[]) {
    const { asked, unwrapped } = opening(present, { headroom: key })
    expect(await unwrapped).toEqual(present)
    expect(asked).toEqual([])
  }
})

test('no former name is tried for a vault that a passphrase encrypts', async () => {
  const folder = temporaryFolder()
  const asked: string[] = []
  const open = (keystore: Keystore) => VaultHandle.open({ folder, keystore, wallMs: () => 0 })
  const passphrase = testKeystore(1)
  const { wrap } = passphrase
  passphrase.wrap = async (bytes) => ({ ...(await wrap(bytes)), backend: PASSPHRASE_BACKEND })
  const sealing = await open(passphrase)
  sealing.close()
  const keyring = testKeystore(2)
  keyring.mayHaveWrapped = (backend) => backend !== PASSPHRASE_BACKEND
  const handle = await open(withFormerNames(keyring, async (name) => void asked.push(name)))
  expect(handle.status).toMatchObject({ state: 'key-changed', sealedBy: PASSPHRASE_BACKEND })
  handle.close()
  expect(asked).toEqual([])
})

test('a process that only decrypts has the former name before it is ready, and ends', async () => {
  const said: unknown[] = []
  const note = (what: string) => async (value?: unknown) => void said.push([what, value])
  const deps = {
    app: { setName: note('name'), setPath: note('path'), whenReady: note('ready'), exit: note('exit') },
    stdin: (async function* () {
      yield Buffer.from('wrap')
      yield Buffer.from('ped')
    })(),
    safeStorage: {
      decryptStringAsync: async (bytes: Buffer) => ({ result: `of ${bytes}`, shouldReEncrypt: false }),
    },
    say: (text: string, done: () => void) => {
      said.push(['say', text])
      done()
    },
  }
  await openOnly('headroom', deps as unknown as Parameters<typeof openOnly>[1])
  expect(said).toEqual([
    ['name', 'headroom'],
    ['path', 'userData'],
    ['ready', undefined],
    ['say', 'of wrapped'],
    ['exit', 0],
  ])
})
