import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ForwardHttp, nodeForwardHttp } from '../../../main/network/forward-http.ts'
import { PATIENT } from '../../patient.ts'
import { cannotProve, proves } from '../../proof/proves.ts'
import { smallDisk } from '../../storm/small-disk.ts'
import { ORDER, ORDERS, startOrderGateway } from './order-gateway.ts'

/** Tries once whether this machine can have a small disk. `why` is the reason if it can't. */
const { why, close } = smallDisk(true)
close()
if (why !== undefined) cannotProve('O3', 3, why)

/** A gateway whose data folder is on a disk that a test fills. */
async function startOnDisk(forward?: ForwardHttp) {
  const disk = smallDisk(true)
  onTestFinished(() => disk.close())
  const started = await startOrderGateway(
    { dataFolder: disk.folder, ...(forward && { forward }) },
    { state: 'off' },
  )
  return { ...started, disk, key: started.add('bot') }
}

async function expectRefused({ send, get, orders, monitor, key }: Awaited<ReturnType<typeof startOnDisk>>) {
  const refused = await send('POST', ORDERS, key, ORDER)
  expect([refused.status, (await refused.json()).detail]).toEqual([
    503,
    'Not sent: orders are stopped, because the disk is full.',
  ])
  expect(orders.summary('key-1')).toMatchObject({ state: 'failed', why: 'the disk is full' })
  // The disk causes the problem, not the service.
  expect(monitor.snapshot('key-1')?.service.reachable).toBe(true)
  expect((await get('/v3/brokerage/accounts', key)).status).toBe(200)
}

describe.skipIf(why !== undefined)('on a full disk orders stop, reads continue, and orders resume', () => {
  test.each(['before the journal is made', 'before an order'] as const)('%s', async (when) => {
    const started = await startOnDisk()
    const { disk, send, orders, orderSwitch, service, key } = started
    orderSwitch.state = 'on'
    if (when === 'before an order') {
      orders.switchChanged()
      expect((await send('POST', ORDERS, key, ORDER)).status).toBe(200)
    }
    const before = service.service.orders.ledger.total()
    disk.fill()
    orders.switchChanged()
    await expectRefused(started)
    expect(service.service.orders.ledger.total()).toBe(before)
    disk.free()
    await vi.waitFor(() => expect(orders.summary('key-1').state).toBe('on'), PATIENT)
    expect((await send('POST', ORDERS, key, ORDER)).status).toBe(200)
    expect(service.service.orders.ledger.total()).toBe(before + 1)
    proves('O3', { level: 3, cases: 1 })
  })

  test('after an order was sent: its answer is passed on, and written once there is room', async () => {
    const real = nodeForwardHttp({})
    let fill: (() => void) | undefined
    const started = await startOnDisk((request, listener) =>
      real(request, {
        answered: (answer) => {
          fill?.()
          fill = undefined
          listener.answered(answer)
        },
        failed: (how, because) => listener.failed(how, because),
      }),
    )
    const { disk, send, orders, orderSwitch, service, key } = started
    orderSwitch.state = 'on'
    orders.switchChanged()
    expect((await send('POST', ORDERS, key, ORDER)).status).toBe(200)
    fill = disk.fill
    const answer = await send('POST', ORDERS, key, { ...ORDER, Quantity: '3' })
    expect(answer.status).toBe(200)
    const [{ OrderID: id }] = (await answer.json()).Orders
    await vi.waitFor(() => expect(orders.summary('key-1').state).toBe('failed'), PATIENT)
    await expectRefused(started)
    disk.free()
    await vi.waitFor(() => expect(orders.summary('key-1').state).toBe('on'), PATIENT)
    expect(orders.entries(0, Number.MAX_SAFE_INTEGER)?.at(-1)).toMatchObject({
      outcome: 'answered',
      orderIds: [id],
    })
    expect(service.service.orders.ledger.total()).toBe(2)
    proves('O3', { level: 3, cases: 1 })
  })
})
