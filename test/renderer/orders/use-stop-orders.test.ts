import { expect, test } from 'vitest'
import { stopsOrders } from '../../../renderer/orders/use-stop-orders.ts'

const PRESS = {
  ...{ key: 'O', code: 'KeyO', shiftKey: true },
  ...{ ctrlKey: false, metaKey: false, altKey: false },
}

test.each([
  [{}, true],
  // With Caps Lock, and on a keyboard with another alphabet.
  [{ key: 'o' }, true],
  [{ key: 'Щ' }, true],
  [{ key: 'O', code: 'KeyS' }, true],
  [{ shiftKey: false, key: 'o' }, false],
  [{ ctrlKey: true }, false],
  [{ metaKey: true }, false],
  [{ altKey: true }, false],
  [{ key: 'P', code: 'KeyP' }, false],
  // On a Dvorak keyboard, another letter is in the place of O.
  [{ key: 'R', code: 'KeyO' }, false],
])('of the key press %j, stopping orders is %s', (press, stops) => {
  expect(stopsOrders({ ...PRESS, ...press }, null)).toBe(stops)
})
