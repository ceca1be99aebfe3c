import { expect, it } from 'vitest'
import type { TimeZone } from '../../../app/contract/units.ts'
import type { Link } from '../../../renderer/api/window-api.ts'
import { createLook, followZone, type Look } from '../../../renderer/state/look.ts'
import { PATIENT } from '../../patient.ts'

function ports(kept: Readonly<Record<string, string>> = {}) {
  const values = new Map(Object.entries(kept))
  const storage = {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  }
  const dataset: DOMStringMap = {}
  return { values, dataset, ports: { storage, root: { dataset } as HTMLElement } }
}

it('stores a person’s choice, and restores it', () => {
  const chosen: Partial<Look> = {
    theme: 'contrast',
    density: 'dense',
    fullAs: 'countdown',
    shortcuts: false,
    zone: 'exchange',
    sounds: ['critical', 'ok'],
    notifications: true,
    followsWorst: true,
    rows: { order: ['Balances'], hidden: ['Accounts'], pinned: [] },
  }
  const first = ports()
  createLook(first.ports).setState(chosen)
  expect(first.dataset).toEqual({ theme: 'contrast', density: 'dense' })
  const next = ports(Object.fromEntries(first.values))
  expect(createLook(next.ports).getState()).toEqual(chosen)
  expect(next.dataset).toEqual({ theme: 'contrast', density: 'dense' })
})

it('reads the sound that an earlier version stored as info', () => {
  const { ports: given } = ports({ 'headroom.sounds': 'critical info' })
  expect(createLook(given).getState().sounds).toEqual(['critical', 'ok'])
})

it('stores nothing for a default', () => {
  const { values, dataset, ports: given } = ports({ 'headroom.density': '<b>' })
  const look = createLook(given)
  expect(look.getState().density).toBe('auto')
  look.setState({ shortcuts: false })
  look.setState({ sounds: ['warning'], notifications: true })
  look.setState({ sounds: [], notifications: false })
  look.setState({ shortcuts: true, rows: { order: [], hidden: ['Accounts'], pinned: [] } })
  look.setState({ rows: { order: [], hidden: [], pinned: [] } })
  expect([[...values], dataset]).toEqual([[], {}])
})

it('shows times in the zone that main has for all surfaces', async () => {
  const { ports: given, values } = ports()
  const look = createLook(given)
  const answers: TimeZone[] = ['exchange', 'local']
  let link: Link = { kind: 'connecting' }
  const onLink: (() => void)[] = []
  let tell = (_zone: TimeZone) => {}
  followZone({
    look,
    link: {
      current: () => link,
      subscribe: (listener) => {
        onLink.push(() => listener(link))
        return () => {}
      },
    } as Parameters<typeof followZone>[0]['link'],
    api: {
      timeZone: async () => answers.shift() ?? 'local',
      timeZoneChanged: (listener) => {
        tell = listener
        return () => {}
      },
    },
  })
  expect(answers).toHaveLength(2)
  link = { kind: 'live' }
  for (const listener of onLink) listener()
  await expect.poll(() => look.getState().zone, PATIENT).toBe('exchange')
  expect(values.get('headroom.time-zone')).toBe('exchange')
  // The zone was changed in another window of the same app.
  tell('utc')
  expect(look.getState().zone).toBe('utc')
  look.setState({ zone: 'local' })
})
