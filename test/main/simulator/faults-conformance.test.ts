import { describe, expect, test } from 'vitest'
import { FAULTS } from '../../../main/simulator/fault-names.ts'
import { problemWith, withDefaults } from '../../../main/simulator/options.ts'
import { Faults } from '../../../main/simulator/rules/faults.ts'
import { PATIENT } from '../../patient.ts'
import { json, quotaOf, START_MS, simulated } from './simulated.ts'

const POSITIONS = '/v3/brokerage/accounts/SIM1001/positions'

describe('a fault', () => {
  test('occurs as often as its description says, unless a count is given', () => {
    const faults = new Faults(['lost-refresh-response', 'refresh-503:3', 'revoke-503:always', 'goaway-v2'])
    const strikes = (name: string) =>
      Array.from({ length: 5 }, () => faults.strike(name)).filter(Boolean).length
    expect(strikes('lost-refresh-response')).toBe(1)
    expect(strikes('refresh-503')).toBe(3)
    expect(strikes('revoke-503')).toBe(5)
    expect(strikes('goaway-v2')).toBe(5)
    expect(strikes('black-hole')).toBe(0)
    faults.set('goaway-v2', false)
    faults.set('black-hole', 1)
    expect([strikes('goaway-v2'), strikes('black-hole')]).toEqual([0, 1])
  })

  test('with an unknown name is rejected, and named', () => {
    expect(() => new Faults(['nonsense'])).toThrow(/nonsense/)
    for (const fault of ['nonsense', 'goaway-v2:0', 'goaway-v2:x', 'goaway-v2:1:2']) {
      expect(problemWith(withDefaults({ faults: [fault] }))).toContain(fault.split(':')[0])
    }
  })

  test('has its own name and one line', () => {
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length)
    for (const { what } of FAULTS) expect(what).toMatch(/^[^\n]{10,90}$/)
  })
})

describe('refresh faults', () => {
  test('lost-refresh-response replaces the token and never responds', async () => {
    const { refresh } = await simulated({ keys: 'rotating', faults: ['lost-refresh-response'] })
    await expect(refresh()).rejects.toThrow()
    expect((await refresh()).status).toBe(403)
  })

  test('lost-refresh-response with an overlap: the same token works again', async () => {
    const { refresh, clock } = await simulated({
      keys: 'rotating',
      rotationOverlapSeconds: 30,
      faults: ['lost-refresh-response'],
    })
    await expect(refresh()).rejects.toThrow()
    clock.ms += 5000
    expect((await refresh()).status).toBe(200)
  })

  test('late-commit: a retry before it succeeds, one after it is rejected', async () => {
    for (const [waitMs, status] of [
      [2999, 200],
      [3000, 403],
    ] as const) {
      const { refresh, clock } = await simulated({ keys: 'rotating', faults: ['late-commit'] })
      await expect(refresh()).rejects.toThrow()
      clock.ms += waitMs
      expect((await refresh()).status).toBe(status)
    }
  })

  test('cut-refresh-response: the head is 200 and the body stops in the middle', async () => {
    const { refresh } = await simulated({ keys: 'rotating', faults: ['cut-refresh-response'] })
    const response = await refresh()
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
    expect((await refresh()).status).toBe(403)
  })

  test('html-refresh-response, refresh-503 and refresh-reset have no effect on the token', async () => {
    const sim = await simulated({
      keys: 'rotating',
      faults: ['html-refresh-response:1', 'refresh-503:1', 'refresh-reset:1'],
    })
    await expect(sim.refresh()).rejects.toThrow()
    const html = await sim.refresh()
    expect(html.status).toBe(200)
    expect(html.headers.get('content-type')).toContain('text/html')
    const later = await sim.refresh()
    expect([later.status, later.headers.get('retry-after')]).toEqual([503, '2'])
    expect((await sim.refresh()).status).toBe(200)
  })

  test('short-scope lists two scopes, and the key still has all', async () => {
    const sim = await simulated({ faults: ['short-scope'] })
    expect((await json(await sim.refresh()))['scope']).toBe('openid offline_access')
    sim.server.faults.set('short-scope', false)
    expect((await json(await sim.refresh()))['scope']).toContain('MarketData')
  })
})

describe('revoke faults', () => {
  test('revoke-503 revokes nothing; lost-revoke-response does', async () => {
    const { revoke, refresh } = await simulated({ faults: ['revoke-503:1', 'lost-revoke-response'] })
    const fields = { client_id: 'sim-key', token: 'sim-refresh' }
    expect((await revoke(fields)).status).toBe(503)
    expect((await refresh()).status).toBe(200)
    await expect(revoke(fields)).rejects.toThrow()
    expect((await refresh()).status).toBe(403)
  })

  test('strict-revoke requires its one known field', async () => {
    const { revoke } = await simulated({ faults: ['strict-revoke'], revokeField: 'token' })
    const both = { client_id: 'sim-key', token: 'sim-refresh', refresh_token: 'sim-refresh' }
    expect((await revoke(both)).status).toBe(400)
    expect((await revoke({ client_id: 'sim-key', token: 'sim-refresh' })).status).toBe(200)
  })
})

describe('resource faults', () => {
  test('black-hole accepts and never responds', async () => {
    const { server } = await simulated({ faults: ['black-hole'] })
    const caller = new AbortController()
    const asked = expect(fetch(server.origin, { signal: caller.signal })).rejects.toThrow()
    const last = () => server.service.ledger.entries().at(-1)
    await expect.poll(last, PATIENT).toMatchObject({ outcome: 'silence', status: 0 })
    caller.abort()
    await asked
  })

  test('resources-503 names the time to retry and costs nothing', async () => {
    const { get, server } = await simulated({ faults: ['resources-503:1'] })
    const response = await get(POSITIONS)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(quotaOf(await get(POSITIONS)).remaining).toBe(319)
    expect(server.faults.armed('resources-503')).toBe(false)
  })

  test('no-quota-headers omits them and still counts', async () => {
    const { get } = await simulated({ faults: ['no-quota-headers:1'] })
    expect(quotaOf(await get(POSITIONS)).limit).toBeUndefined()
    expect(quotaOf(await get(POSITIONS)).remaining).toBe(318)
  })

  test('skewed-date is an hour ahead; without it Date is the service clock', async () => {
    const { get, server } = await simulated()
    const dateOf = async () => Date.parse((await get(POSITIONS)).headers.get('date') ?? '')
    expect(await dateOf()).toBe(START_MS)
    server.faults.set('skewed-date', true)
    expect(await dateOf()).toBe(START_MS + 3_600_000)
  })

  test('slow-answers count when they are requested, not when they arrive', async () => {
    const { get, clock, server } = await simulated()
    await get(POSITIONS)
    server.faults.set('slow-answers', 1)
    const slow = get(POSITIONS)
    await expect.poll(() => server.service.ledger.entries().length, { ...PATIENT, interval: 2 }).toBe(3)
    const fast = await get(POSITIONS)
    clock.advance(2000)
    expect([quotaOf(fast).remaining, quotaOf(await slow).remaining]).toEqual([317, 318])
  })
})
