import { expect, test } from 'vitest'
import { vaultTrouble } from '../../../../main/hosts/terminal/stored-keys.ts'
import { sealedElsewhere, startTrouble } from '../../../../main/vault/vault-status.ts'

test.each(['key-changed', 'record-corrupt', 'waiting', 'unavailable', 'unprotected'] as const)(
  '%s is one line for a terminal: which folder, and nothing about windows',
  (state) => {
    const line = vaultTrouble('/data/headroom', startTrouble(state, 'the disk is full'))
    expect(line).toContain('/data/headroom')
    expect(line).not.toMatch(/connect|sign in|\n/i)
  },
)

test('the variable that a person can set is named', () => {
  const line = (state: 'key-changed' | 'record-corrupt') => vaultTrouble('/d', startTrouble(state, 'w'))
  expect(line('key-changed')).toMatch(/HEADROOM_PASSPHRASE .* --data/)
  expect(line('record-corrupt')).toContain('HEADROOM_REFRESH_TOKEN')
  expect(vaultTrouble('/d', { state: 'memory' })).toContain('HEADROOM_PASSPHRASE')
})

test('keys encrypted by the desktop are not a wrong passphrase: the line names who encrypted them, and where to open them', () => {
  const line = vaultTrouble('/d', sealedElsewhere('gnome_libsecret'))
  expect(line).toMatch(
    /the keys in \/d: .*desktop app encrypted them.*\(gnome_libsecret\).*on the desktop.*--data/,
  )
  expect(line).not.toMatch(/damaged|set it to|\n/)
  expect(vaultTrouble('/d', sealedElsewhere('\u001b[2J'))).not.toContain('\u001b')
})

test('the desktop names the passphrase that encrypted what it cannot open', () => {
  expect(sealedElsewhere('passphrase').line).toMatch(/with a passphrase.*--host browser.*HEADROOM_PASSPHRASE/)
})
