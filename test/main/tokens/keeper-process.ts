import { writeSync } from 'node:fs'
import { nodeHttp } from '../../../main/network/http-client.ts'
import { nodeClock } from '../../../main/ports/node-clock.ts'
import type { Http } from '../../../main/ports/ports.ts'
import { VaultProfileStore } from '../../../main/sign-in/profile-store.ts'
import { lockDataFolder } from '../../../main/storage/lock.ts'
import type { VaultTokens } from '../../../main/vault/vault.ts'
import { VaultHandle } from '../../../main/vault/vault-handle.ts'
import { profile, vaultOf } from '../vault/fixtures.ts'
import { testKeystore } from '../vault/test-keystore.ts'
import { keeperOf } from './keeper-of.ts'

/**
 * A process with one key. It locks the folder, refreshes once for 50 callers, prints the result, and keeps
 * running.
 *
 * It kills itself right after the named step, like a crash there. With `revoke`, it revokes the key and keeps
 * running.
 */
const [folder = '', authUrl = '', dieAfter = 'nothing'] = process.argv.slice(2)
const say = (line: string) => writeSync(1, `${line}\n`)
const after = (step: string) => {
  if (step !== dieAfter) return
  process.kill(process.pid, 'SIGKILL')
  for (;;);
}

const lock = lockDataFolder(folder, { pid: process.pid, host: 'terminal' })
if (lock.kind !== 'held') {
  say('busy')
  process.exit(3)
}
const handle = await VaultHandle.open({ folder, keystore: testKeystore(), wallMs: () => Date.now() })
const storage = new VaultProfileStore(handle, { startsOver: false, changed: () => {} })
const key = profile({ authUrl, baseUrl: authUrl, refreshToken: 'r-0' })
if (storage.restore().length === 0) storage.signIn(key, Date.now())
const sealed = vaultOf(handle).tokens(key.id)

const store: VaultTokens = {
  read: () => sealed.read(),
  intend: (intent, token) => {
    const saved = sealed.intend(intent, token)
    after('intent')
    return saved
  },
  save: (tokens) => {
    const saved = sealed.save(tokens)
    after('committed')
    if (tokens.revocation) after('revocation-stored')
    return saved
  },
  note: (step, generation, token) => sealed.note(step, generation, token),
}
const network = nodeHttp({})
const http: Http = {
  reach: async () => undefined,
  send: async (request) => {
    const outcome = await network.send(request)
    after('received')
    return outcome
  },
  open: network.open,
}
const keeper = keeperOf(
  store,
  {
    http,
    clock: nodeClock,
    event: (event) => say(`event ${event.kind}`),
  },
  key,
)
keeper.start()
const callers = await Promise.all(Array.from({ length: 50 }, () => keeper.access()))
const values = new Set(callers.map((access) => (access.kind === 'token' ? access.value : access.why)))
after('handed-out')
say(`access ${[...values].join(' ')}`)
if (dieAfter.startsWith('revo') && keeper.refreshSummary().state === 'valid') {
  say(`revoke ${(await keeper.revoke()).kind}`)
}
process.stdin.resume()
process.stdin.on('end', () => {
  keeper.stop()
  handle.close()
  lock.release()
  process.exit(0)
})
