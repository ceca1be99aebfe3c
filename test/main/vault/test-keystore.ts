import type { Keystore } from '../../../main/ports/keystore.ts'

export interface TestKeystore extends Keystore {
  /** The system's own key. A different one represents a keyring that was replaced. */
  secret: number
  /** If set, every call returns this. */
  answer: Awaited<ReturnType<Keystore['unwrap']>> | undefined
  renew: boolean
  calls: string[]
}

/**
 * A keystore whose "encryption" is one leading byte. It is fast, and rejects another key as reliably as a
 * real one.
 */
export function testKeystore(secret = 1): TestKeystore {
  const keystore: TestKeystore = {
    secret,
    answer: undefined,
    renew: false,
    calls: [],
    wrap: async (key) => {
      keystore.calls.push('wrap')
      if (keystore.answer !== undefined && isTrouble(keystore.answer)) return keystore.answer
      return { kind: 'wrapped', backend: 'test', bytes: Uint8Array.of(keystore.secret, ...key) }
    },
    unwrap: async (wrapped) => {
      keystore.calls.push('unwrap')
      if (keystore.answer !== undefined) return keystore.answer
      if (wrapped[0] !== keystore.secret) return { kind: 'refused', why: 'another key' }
      return { kind: 'unwrapped', key: wrapped.slice(1), renew: keystore.renew }
    },
  }
  return keystore
}

function isTrouble(answer: Awaited<ReturnType<Keystore['unwrap']>>) {
  return answer.kind === 'waiting' || answer.kind === 'unavailable' || answer.kind === 'unprotected'
}
