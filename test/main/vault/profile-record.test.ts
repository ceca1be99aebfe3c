import { expect, test } from 'vitest'
import { addressMark, keySettingsOf } from '../../../main/vault/profile-record.ts'
import { proves } from '../../proof/proves.ts'

const KEY = new Uint8Array(32).fill(7)
const ADDRESSES = { authUrl: 'https://signin.test', baseUrl: 'https://api.test', clientId: 'the-key' }

test('a mark covers each host, the client id and the profile, under its own data key', () => {
  const mark = addressMark(KEY, 'key-1', ADDRESSES)
  const others = [
    addressMark(KEY, 'key-2', ADDRESSES),
    addressMark(KEY, 'key-1', { ...ADDRESSES, authUrl: 'https://signin.other' }),
    addressMark(KEY, 'key-1', { ...ADDRESSES, baseUrl: 'https://api.other' }),
    addressMark(KEY, 'key-1', { ...ADDRESSES, clientId: 'other' }),
    addressMark(new Uint8Array(32).fill(8), 'key-1', ADDRESSES),
  ]
  expect(addressMark(KEY, 'key-1', { ...ADDRESSES })).toBe(mark)
  for (const other of others) expect(other).not.toBe(mark)
  proves('T13', { level: 2, cases: others.length })
})

test('an unset option of a key is not stored, rather than stored as empty', () => {
  const probes = { budgetFraction: 0.02, everySeconds: { Accounts: 30 } }
  expect(keySettingsOf({ probes })).toStrictEqual({ probes })
  const chosen = { ...probes, enabled: false, symbol: 'AAPL', trialAfterStep: false }
  expect(keySettingsOf({ probes: chosen, rotationMinutes: 12 })).toStrictEqual({
    rotationMinutes: 12,
    probes: chosen,
  })
})
