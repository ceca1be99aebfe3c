import { expect, it } from 'vitest'
import { applyTheme, nextTheme, readTheme, THEMES, type Theme } from '../../../renderer/theme/theme.ts'

function storage(kept?: string) {
  const values = new Map(kept === undefined ? [] : [['headroom.theme', kept]])
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  }
}

it('follows the system unless a known theme was stored', () => {
  expect(readTheme(storage())).toBe('system')
  expect(readTheme(storage('light'))).toBe('light')
  expect(readTheme(storage('<script>'))).toBe('system')
})

it('stores a choice, and nothing for the system’s', () => {
  const kept = storage()
  const root = { dataset: {} as DOMStringMap } as HTMLElement
  applyTheme('dark', root, kept)
  expect([root.dataset['theme'], readTheme(kept)]).toEqual(['dark', 'dark'])
  applyTheme('system', root, kept)
  expect([root.dataset['theme'], kept.getItem('headroom.theme')]).toEqual([undefined, null])
})

it('returns to the first theme after the last', () => {
  expect(THEMES.reduce<Theme>(nextTheme, 'system')).toBe('system')
})
