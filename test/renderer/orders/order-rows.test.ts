import '../utc.ts'
import { expect, test } from 'vitest'
import type { OrderEntry } from '../../../app/contract/orders.ts'
import { DAY_MS } from '../../../app/contract/units.ts'
import { orderRow } from '../../../renderer/orders/order-rows.ts'
import { NOW_MS } from '../fixtures.ts'

const ENTRY: OrderEntry = {
  id: '17',
  atMs: 1000,
  program: 'executor',
  method: 'POST',
  kind: 'order',
  accountEnding: '782',
  status: 200,
  orderIds: ['9001'],
  latencyMs: 48.4,
  outcome: 'answered',
  isDismissed: false,
}
const { status: _, latencyMs: __, ...UNANSWERED } = ENTRY

test.each<[Partial<OrderEntry>, string]>([
  [{}, 'POST orders'],
  [{ kind: 'group' }, 'POST ordergroups'],
  [{ method: 'PUT', kind: 'replace' }, 'PUT orders/{id}'],
  [{ method: 'DELETE', kind: 'cancel' }, 'DELETE orders/{id}'],
])('%j is shown as %s, without its ID', (more, request) => {
  expect(orderRow({ ...ENTRY, ...more }, NOW_MS).request).toBe(request)
})

test('an order of another day has its date', () => {
  const timeOf = (ageMs: number) => orderRow({ ...ENTRY, atMs: NOW_MS - ageMs }, NOW_MS).time
  expect(timeOf(0)).toMatch(/^\d\d:\d\d:\d\d$/)
  expect(timeOf(2 * DAY_MS)).toMatch(/^[A-Z][a-z]{2} \d\d:\d\d:\d\d$/)
  expect(timeOf(12 * DAY_MS)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
})

test('an answered order has the status and IDs of the service', () => {
  expect(orderRow(ENTRY, NOW_MS)).toMatchObject({
    account: '…782',
    severity: 'ok',
    status: '200',
    orderIds: '9001',
    latency: '48 ms',
  })
  const rejected = orderRow({ ...ENTRY, status: 400, orderIds: [], accountEnding: '' }, NOW_MS)
  expect(rejected).toMatchObject({ account: '–', severity: 'unknown', status: '400', orderIds: '–' })
})

test.each<[OrderEntry['outcome'], boolean, string, string]>([
  ['sent', false, 'unknown', 'waiting for the response'],
  ['not-sent', false, 'unknown', 'not sent, safe to send again'],
  ['looking', false, 'critical', 'outcome unknown, looking it up'],
  ['not-found', false, 'critical', 'outcome unknown, not found after 60 s'],
  ['ambiguous', false, 'critical', 'outcome unknown, unclear: check your broker'],
  ['ambiguous', true, 'unknown', 'outcome unknown, unclear: check your broker'],
  ['found', false, 'warning', 'found, ID 9001'],
  ['found', true, 'ok', 'found, ID 9001'],
])('an order that is %s (dismissed: %s) is %s: %s', (outcome, isDismissed, severity, status) => {
  const row = orderRow({ ...UNANSWERED, outcome, isDismissed }, NOW_MS)
  expect(row).toMatchObject({ severity, status, latency: '–' })
})
