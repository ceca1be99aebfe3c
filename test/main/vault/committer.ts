import { writeSync } from 'node:fs'
import { VaultHandle } from '../../../main/vault/vault-handle.ts'
import { becomeOtherUser } from '../storage/other-user.ts'
import { held, NOW_MS, profile } from './fixtures.ts'
import { testKeystore } from './test-keystore.ts'

/**
 * A process that commits one generation after another, as fast as it can, and prints each one once it is
 * durable. First it prints what it found. With `--until N`, it ends itself after generation N.
 */
const [folder = '', until = 'Infinity', user] = process.argv.slice(2)
const say = (line: string) => writeSync(1, `${line}\n`)

// All modules are loaded by now. The other user may not be able to read them.
if (user === 'as-other-user') becomeOtherUser()
const handle = await VaultHandle.open({ folder, keystore: testKeystore(), wallMs: () => NOW_MS })
const { vault } = handle
if (vault === undefined || handle.notices.length > 0) {
  say(`broken ${handle.status.state} ${handle.notices.join(' ')}`)
  process.exit(1)
}
let found = vault.tokens('key-1').read()
if (found.kind === 'none') {
  vault.signIn(profile(), held(1, 'token 1'))
  found = vault.tokens('key-1').read()
}
if (found.kind !== 'found') {
  say(`broken ${JSON.stringify(found)}`)
  process.exit(1)
}
const { token, intent } = found.stored
say(`found ${token.generation} ${token.refreshToken} ${intent?.generation ?? '-'}`)
const tokens = vault.tokens('key-1')
for (let generation = token.generation + 1; generation <= Number(until); generation += 1) {
  const intended = tokens.intend({ generation: generation - 1, atMs: NOW_MS }, `token ${generation - 1}`)
  const saved = tokens.save(held(generation, `token ${generation}`))
  const failed = [intended, saved].find((result) => !result.ok)
  if (failed !== undefined && !failed.ok) {
    say(`failed ${generation} ${failed.why}`)
    break
  }
  say(`committed ${generation}`)
}
handle.close()
