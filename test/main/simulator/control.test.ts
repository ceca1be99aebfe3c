import { expect, test, vi } from 'vitest'
import { PATIENT } from '../../patient.ts'
import { json, quotaOf, simulated } from './simulated.ts'

const SECRET = 'only-for-tests'
const POSITIONS = '/v3/brokerage/accounts/SIM1001/positions'
const STREAM = '/v3/brokerage/stream/accounts/SIM1001/positions'

async function controlled() {
  const sim = await simulated({ controlSecret: SECRET })
  const headers = { 'x-simulator-control': SECRET }
  const order = (name: string, body: object = {}) =>
    fetch(`${sim.server.origin}/control/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const look = (name: string) => fetch(`${sim.server.origin}/control/${name}`, { headers })
  return { ...sim, order, look }
}

test('without a secret there is no control surface', async () => {
  const { server } = await simulated()
  expect((await fetch(`${server.origin}/control/ledger`)).status).toBe(404)
})

test('only a caller with the secret may use it', async () => {
  const { server } = await controlled()
  for (const secret of ['', 'wrong', `${SECRET}x`]) {
    const headers = { 'x-simulator-control': secret }
    expect((await fetch(`${server.origin}/control/ledger`, { headers })).status).toBe(403)
  }
})

test('access tokens and sign-ins can be ended', async () => {
  const { get, refresh, order } = await controlled()
  expect((await get(POSITIONS)).status).toBe(200)
  expect((await order('expire-access')).status).toBe(200)
  expect((await get(POSITIONS)).status).toBe(401)
  expect((await refresh()).status).toBe(200)
  await order('end-sign-ins')
  expect((await refresh()).status).toBe(403)
})

test('streams can be cut', async () => {
  const { get, order, server } = await controlled()
  const stream = await get(STREAM)
  expect(await json(await order('cut-streams', { how: 'goaway-v2', category: 'Order Stream' }))).toEqual({
    cut: 0,
  })
  expect(await json(await order('cut-streams', { how: 'goaway-v2' }))).toEqual({ cut: 1 })
  expect((await stream.text()).trimEnd().split('\n').at(-1)).toBe('{"StreamStatus":"GoAway"}')
  await vi.waitFor(() => expect(server.service.streams()).toHaveLength(0), PATIENT)
})

test('traffic, slots elsewhere and faults can be set, and traffic that is not named stops', async () => {
  const { get, order, clock, look } = await controlled()
  await order('traffic', { Positions: 3 })
  clock.ms += 60_000
  expect(quotaOf(await get(POSITIONS)).remaining).toBeLessThan(220)
  await order('traffic', { Accounts: 1 })
  clock.ms += 300_000
  expect(quotaOf(await get(POSITIONS)).remaining).toBe(319)
  await order('slots-elsewhere', { 'Positions Stream': 40 })
  expect((await get(STREAM)).status).toBe(429)
  await order('fault', { name: 'resources-503', on: 1 })
  expect(await json(await look('state'))).toMatchObject({ faults: ['resources-503'] })
  expect((await get(POSITIONS)).status).toBe(503)
})

test.each([
  ['traffic', { Nothing: 1 }, 400],
  ['traffic', { Positions: 'fast' }, 400],
  ['slots-elsewhere', { Positions: 1 }, 400],
  ['fault', { name: 'nonsense', on: true }, 400],
  ['fault', { name: 'black-hole', on: 'yes' }, 400],
  ['cut-streams', { how: 'gently' }, 400],
  ['toString', {}, 404],
])('%s with %j gets %i and changes nothing', async (name, body, status) => {
  const { order, get } = await controlled()
  expect((await order(name, body)).status).toBe(status)
  expect(quotaOf(await get(POSITIONS)).remaining).toBe(319)
})

test('the ledger lists the requests, without secrets', async () => {
  const { get, revoke, look } = await controlled()
  await get(`${POSITIONS}?token=sim-refresh`)
  await revoke({ client_id: 'sim-key', token: 'wrong-but-secret' })
  const text = await (await look('ledger')).text()
  expect(JSON.parse(text).requests).toMatchObject([
    { method: 'POST', path: '/oauth/token', status: 200 },
    { method: 'GET', path: POSITIONS, category: 'Positions', status: 200, outcome: 'answer' },
    { method: 'POST', path: '/oauth/revoke', status: 403 },
  ])
  for (const secret of ['sim-refresh', 'wrong-but-secret', 'Bearer', SECRET])
    expect(text).not.toContain(secret)
})
