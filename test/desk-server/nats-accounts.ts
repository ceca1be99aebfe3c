import { hash } from 'node:crypto'
import { nkeys } from '@nats-io/transport-node'

/** The configuration of a server whose accounts are signed, and a user's `.creds` file. */
export interface SignedAccounts {
  readonly config: string
  readonly creds: string
  /** The secret line of the file. */
  readonly seed: string
}

type KeyPair = ReturnType<typeof nkeys.createUser>

/** Makes an operator, two accounts and a user, as NATS's own tool `nsc` does. */
export function signedAccounts(): SignedAccounts {
  const [operator, account, system] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()]
  const user = nkeys.createUser()
  const limits = {
    subs: -1,
    data: -1,
    payload: -1,
    conn: -1,
    leaf: -1,
    imports: -1,
    exports: -1,
    wildcards: true,
  }
  const store = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
  const accountJwt = (pair: KeyPair, more: object) =>
    signed(operator, pair, { type: 'account', version: 2, limits: { ...limits, ...more } })
  const operatorJwt = signed(operator, operator, {
    type: 'operator',
    version: 2,
    system_account: system.getPublicKey(),
  })
  const userJwt = signed(account, user, { type: 'user', version: 2, subs: -1, data: -1, payload: -1 })
  const seed = Buffer.from(user.getSeed()).toString()
  return {
    config: `
      operator: ${operatorJwt}
      system_account: ${system.getPublicKey()}
      resolver: MEMORY
      resolver_preload: {
        ${account.getPublicKey()}: ${accountJwt(account, store)}
        ${system.getPublicKey()}: ${accountJwt(system, {})}
      }`,
    creds: [
      '-----BEGIN NATS USER JWT-----',
      userJwt,
      '------END NATS USER JWT------',
      '',
      '************************* IMPORTANT *************************',
      '',
      '-----BEGIN USER NKEY SEED-----',
      seed,
      '------END USER NKEY SEED------',
      '',
    ].join('\n'),
    seed,
  }
}

function signed(issuer: KeyPair, subject: KeyPair, nats: object): string {
  const claims = {
    iat: Math.floor(Date.now() / 1_000),
    iss: issuer.getPublicKey(),
    name: 'test',
    sub: subject.getPublicKey(),
    nats,
  }
  const body = { ...claims, jti: hash('sha256', JSON.stringify(claims), 'hex') }
  const encoded = [{ typ: 'JWT', alg: 'ed25519-nkey' }, body].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  const text = encoded.join('.')
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`
}
