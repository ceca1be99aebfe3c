import { expect, it } from 'vitest'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { matchingCommands, paletteCommands } from '../../../renderer/palette/palette-commands.ts'
import { SHORTCUTS } from '../../../renderer/shell/shortcuts.ts'
import { DESK, snapshot } from '../fixtures.ts'

const second = snapshot({ profile: { id: 'two', name: 'Second key', environment: 'sim' } })
const all = paletteCommands({ snapshots: [snapshot(), second] }, 'main')
const labels = (typed: string) => matchingCommands(all, typed).map(({ label }) => label)

it('includes everything the keyboard does, other keys, and each row; each once', () => {
  const names = all.map(({ label }) => label)
  for (const { does } of SHORTCUTS) expect(names).toContain(does)
  expect(names).toContain('Show the key Second key')
  expect(names).not.toContain('Show the key Main key')
  expect(names).toContain('Show Positions')
  expect(names).toContain('Revoke tokens…')
  expect(new Set(names).size).toBe(names.length)
})

it('matches any words, prefixes first', () => {
  expect(labels('sett')).toEqual(['Settings'])
  expect(labels('chain show')).toEqual([])
  expect(labels('positions')).toEqual(['Show Positions'])
  expect(labels('re')[0]).toMatch(/^Re/)
  expect(labels('')).toHaveLength(all.length)
})

it('offers to create or join a desk, and on a desk to invite, leave and replace the secret', () => {
  const offered = (shown: Snapshot) =>
    paletteCommands({ snapshots: [shown] }, 'main')
      .map(({ label }) => label)
      .filter((label) => label.includes('desk'))
  expect(offered(snapshot())).toEqual(['Create a desk…', 'Join a desk…'])
  expect(offered(snapshot({ desk: DESK }))).toEqual([
    'Invite a machine to the desk…',
    'Leave the desk…',
    'Replace the desk’s secret…',
  ])
  expect(paletteCommands({ snapshots: [] }, undefined).some(({ label }) => label.includes('desk'))).toBe(
    false,
  )
})

it('offers nothing for a key if there is none', () => {
  const none = paletteCommands({ snapshots: [] }, undefined).map(({ label }) => label)
  expect(none).toContain('Connect a key…')
  expect(none).not.toContain('Revoke tokens…')
})
