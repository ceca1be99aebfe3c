import { expect, it } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { SHORTCUTS, shortcutFor } from '../../../renderer/shell/shortcuts.ts'
import type { Look } from '../../../renderer/state/look.ts'
import { exampleLook } from '../state/example-look.ts'

const look = (shortcuts: boolean) => createStore<Look>(() => exampleLook({ shortcuts }))
const press = (key: string, more = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  defaultPrevented: false,
  ...more,
})

it('assigns each key one meaning', () => {
  const keys = SHORTCUTS.flatMap((one) => one.keys)
  expect(new Set(keys).size).toBe(keys.length)
})

it('runs each key’s action', () => {
  expect(shortcutFor(press('?'), false, look(true))?.does).toBe('This list')
  expect(shortcutFor(press('x'), false, look(true))).toBeUndefined()
})

it('ignores typing and the browser’s own keys', () => {
  expect(shortcutFor(press('p'), true, look(true))).toBeUndefined()
  expect(shortcutFor(press('p'), false, look(false))).toBeUndefined()
  for (const held of ['ctrlKey', 'metaKey', 'altKey', 'defaultPrevented']) {
    expect(shortcutFor(press('p', { [held]: true }), false, look(true))).toBeUndefined()
  }
})
