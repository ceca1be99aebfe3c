import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SimulatorSettings } from '../../../main/vault/simulator-settings.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { profile } from './fixtures.ts'

const CHOSEN = {
  rotationMinutes: 12,
  probes: { enabled: false, budgetFraction: 0.005, everySeconds: { Accounts: 60 }, symbol: 'MSFT' },
}

test('without a file the built-in key has its defaults', () => {
  const settings = new SimulatorSettings(temporaryFolder(), 0)
  expect(settings.chosenFor(profile())).toEqual(profile())
  expect(settings.notice).toBeUndefined()
})

test('settings apply at once and at the next start, and nothing else of the key is stored', () => {
  const folder = temporaryFolder()
  const settings = new SimulatorSettings(folder, 0)
  expect(settings.keep(profile(CHOSEN))).toEqual({ ok: true })
  for (const known of [settings, new SimulatorSettings(folder, 0)]) {
    expect(known.notice).toBeUndefined()
    expect(known.chosenFor(profile({ name: 'Another' }))).toEqual(profile({ name: 'Another', ...CHOSEN }))
  }
  expect(readFileSync(join(folder, 'simulator.json'), 'utf8')).not.toContain('CANARY')
})

test('a damaged file is reported in one line that names the settings, and defaults apply', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'simulator.json'), '{"probes":')
  const settings = new SimulatorSettings(folder, 0)
  expect(settings.notice).toMatch(/^the built-in simulator's settings: .*simulator/)
  expect(settings.chosenFor(profile())).toEqual(profile())
})

test('settings that cannot be written do not apply, and that is reported', () => {
  const folder = temporaryFolder()
  const settings = new SimulatorSettings(folder, 0)
  mkdirSync(join(folder, 'simulator.json'))
  expect(settings.keep(profile(CHOSEN))).toMatchObject({ ok: false })
  expect(settings.chosenFor(profile())).toEqual(profile())
})
