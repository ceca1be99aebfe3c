import { expect, test } from 'vitest'
import { orderCommands } from '../../../../main/monitor/commands/orders.ts'

const unused = () => {
  throw new Error('not asked for')
}

test.each([
  ['all', 'No order has an unknown outcome.'],
  ['17', 'No order with an unknown outcome has this ID.'],
])('dismissing %s without an unknown outcome says: %s', async (id, message) => {
  const orders = { dismiss: () => false, entries: () => [] }
  const { handlers } = orderCommands({ allow: unused, stop: unused }, orders)
  expect(await handlers.dismissOrder({ id })).toEqual({ ok: false, code: 'not-unknown', message })
})
