import { expect, test } from 'vitest'
import { orderPathOf } from '../../../app/orders/order-paths.ts'

const ROOT = '/v3/orderexecution'

test.each([
  ['POST', `${ROOT}/orders`, 'order'],
  ['POST', `${ROOT}/ordergroups?a=1`, 'group'],
  ['POST', `${ROOT}/orderconfirm`, 'read'],
  ['POST', `${ROOT}/ordergroupconfirm`, 'read'],
  ['PUT', `${ROOT}/orders/12-aB`, 'replace'],
  ['DELETE', `${ROOT}/orders/123`, 'cancel'],
  ['GET', `${ROOT}/activationtriggers`, 'read'],
  ['GET', `${ROOT}/routes?x=/orders`, 'read'],
])('%s %s passes as %s', (method, path, kind) => {
  expect(orderPathOf(method, path)?.kind).toBe(kind)
})

test.each([
  ['GET', `${ROOT}/orders`],
  ['PUT', `${ROOT}/orders`],
  ['POST', `${ROOT}/orders/`],
  ['POST', `${ROOT}/orders/123`],
  ['DELETE', `${ROOT}/orders/1%32`],
  ['DELETE', `${ROOT}/orders/1;a=2`],
  ['DELETE', `${ROOT}/orders/a_b`],
  ['DELETE', `${ROOT}/orders/1/legs`],
  ['PATCH', `${ROOT}/orders/123`],
  ['HEAD', `${ROOT}/routes`],
  ['POST', `${ROOT}/constructor`],
  ['POST', '/V3/orderexecution/orders'],
  ['POST', `${ROOT}//orders`],
  ['POST', `/v3/x/..${ROOT}/orders`],
])('%s %s never passes', (method, path) => {
  expect(orderPathOf(method, path)).toBeUndefined()
})

test('every order of a kind has one endpoint, and its own order ID', () => {
  expect(orderPathOf('PUT', `${ROOT}/orders/7?q`)).toEqual({
    kind: 'replace',
    endpoint: `${ROOT}/orders/{id}`,
    orderId: '7',
  })
})
