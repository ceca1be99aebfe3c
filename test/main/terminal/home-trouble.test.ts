import { expect, test } from 'vitest'
import { homeTrouble } from '../../../main/terminal/home-trouble.ts'
import { startTrouble } from '../../../main/vault/start-words.ts'

test.each(['key-changed', 'record-corrupt', 'waiting', 'unavailable', 'unprotected'] as const)(
  '%s is one line for a terminal: which folder, and nothing about windows',
  (state) => {
    const line = homeTrouble('/data/headroom', startTrouble(state, 'the disk is full'))
    expect(line).toContain('/data/headroom')
    expect(line).not.toMatch(/connect|sign in|\n/i)
  },
)

test('what a person can set is named', () => {
  const line = (state: 'key-changed' | 'record-corrupt') => homeTrouble('/d', startTrouble(state, 'w'))
  expect(line('key-changed')).toMatch(/^HEADROOM_PASSPHRASE .* --data/)
  expect(line('record-corrupt')).toContain('HEADROOM_REFRESH_TOKEN')
  expect(homeTrouble('/d', { state: 'memory' })).toContain('HEADROOM_PASSPHRASE')
})
