import { expect, test } from 'vitest'
import { Attention } from '../../../main/hosts/window-session.ts'

test('a user is present while at least one window is open and visible', () => {
  const attention = new Attention()
  expect(attention.attended).toBe(false)
  const first = attention.take()
  const second = attention.take()
  first.setVisible(false)
  first.setVisible(false)
  expect(attention.attended).toBe(true)
  second.leave()
  expect(attention.attended).toBe(false)
  first.setVisible(true)
  expect(attention.attended).toBe(true)
  first.leave()
  first.leave()
  expect(attention.attended).toBe(false)
})
