import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../app/contract/events.ts'
import { Monitor } from '../../main/monitor/monitor.ts'
import type { Http } from '../../main/ports/ports.ts'
import { DEFAULT_PROBES } from '../../main/ports/profile.ts'
import type { SimulatorFlags } from '../../main/simulator/options.ts'
import { SimulatedService } from '../../main/simulator/simulated-service.ts'
import { VirtualClock } from '../simulation/virtual-clock.ts'
import { VirtualHttp } from '../simulation/virtual-http.ts'
import { VirtualRandom } from '../simulation/virtual-random.ts'
import { simulatedKey } from './example-key.ts'

const LIVE = 'https://live.test'
const SIM = 'https://sim.test'
const MINUTE_MS = 60_000

/** Two services with one API key, like LIVE and SIM of one person. */
function setUp(live: Partial<SimulatorFlags> = {}, sim: Partial<SimulatorFlags> = {}) {
  const clock = new VirtualClock()
  const random = new VirtualRandom(7)
  const service = (options: Partial<SimulatorFlags>) => {
    const chance = random.fork()
    return new SimulatedService(options, { nowMs: () => clock.worldMs(), random: () => chance.next() })
  }
  const services = { [LIVE]: service(live), [SIM]: service(sim) }
  const lines = new Map(
    Object.entries(services).map(([origin, one]) => [origin, new VirtualHttp(one, clock, random.fork())]),
  )
  const lineOf = (url: string): Http => {
    const line = lines.get(new URL(url).origin)
    if (!line) throw new Error(`nobody is at ${url}`)
    return line
  }
  const http: Http = {
    send: (request) => lineOf(request.url).send(request),
    open: (request, listener) => lineOf(request.url).open(request, listener),
    reach: async () => undefined,
  }
  const monitor = new Monitor({ clock, random, http, log: { note: () => {} } })
  const events: LoggedEvent[] = []
  monitor.subscribe({ changed: () => {}, event: (event) => events.push(event), removed: () => {} })
  const profile = (id: string, origin: string) =>
    simulatedKey(origin, {
      id,
      name: id,
      environment: 'custom',
      probes: { ...DEFAULT_PROBES, everySeconds: { Positions: 10 } },
      streams: [{ kind: 'positions', target: 'SIM1001', options: {} }],
    })
  monitor.connect(profile('live', LIVE))
  monitor.connect(profile('sim', SIM))
  const snapshot = (id: string) => {
    const found = monitor.snapshot(id)
    if (!found) throw new Error(`${id} is not connected`)
    return found
  }
  const positions = (id: string) => {
    const row = snapshot(id).requests.find(({ category }) => category === 'Positions')
    if (!row) throw new Error('no such row')
    return row
  }
  return { clock, monitor, services, events, profile, snapshot, positions }
}

describe('two keys connected at once', () => {
  it('each show their own numbers, even for the same category of the same API key', async () => {
    const { clock, positions } = setUp(
      { traffic: { Positions: 1.5 } },
      { limits: { Positions: { limit: 251, periodSeconds: 300 } } },
    )
    await clock.advance(10 * MINUTE_MS)
    expect(positions('live')).toMatchObject({ limit: 320, source: expect.not.stringMatching('default') })
    expect(positions('live').remaining).toBeLessThan(200)
    expect(positions('live').use?.elsewhere).toBeGreaterThan(1)
    expect(positions('sim')).toMatchObject({ limit: 251, source: expect.not.stringMatching('default') })
    expect(positions('sim').remaining).toBeGreaterThan(240)
    expect(positions('sim').use?.elsewhere ?? 0).toBe(0)
  })

  it('revoked separately: the other one keeps its tokens, streams and quotas', async () => {
    const { clock, monitor, services, snapshot, positions, events } = setUp()
    await clock.advance(2 * MINUTE_MS)
    expect(services[SIM]?.streams()).toHaveLength(1)

    const revoked = monitor.withProfile('live', (session) => session.revoke())
    await clock.advance(2_000)
    expect(await revoked).toEqual({ ok: true })
    expect(services[LIVE]?.streams()).toHaveLength(0)
    // By then, every access token has expired, so the other key has to refresh.
    await clock.advance(25 * MINUTE_MS)
    expect(snapshot('live').refresh.state).toBe('revoked')
    expect(snapshot('sim').refresh.state).toBe('valid')
    expect(snapshot('sim').access.state).toBe('valid')
    expect(snapshot('sim').streams.map(({ state }) => state)).toEqual(['live'])
    expect(services[SIM]?.streams()).toHaveLength(1)
    expect(positions('sim').remaining).toBeGreaterThan(300)
    expect(events.filter(({ kind }) => kind === 'revoked').map(({ profile }) => profile)).toEqual(['live'])
  })

  it('pause separately after a 429', async () => {
    const { clock, services, snapshot, positions } = setUp()
    await clock.advance(MINUTE_MS)
    services[LIVE]?.setTraffic({ Positions: 900 })
    await clock.advance(30_000)
    expect(positions('live').rejected).toBeGreaterThan(0)
    expect(positions('sim')).toMatchObject({ rejected: 0 })
    expect(positions('sim').blockedUntil).toBeUndefined()
    expect(snapshot('sim').verdict.kind).not.toBe('blocked')
  })

  it('disconnect separately, and nothing is revoked', async () => {
    const { clock, monitor, services, snapshot } = setUp()
    await clock.advance(MINUTE_MS)
    expect(monitor.disconnect('live')).toEqual({ ok: true })
    await clock.advance(25 * MINUTE_MS)
    expect(monitor.profiles()).toEqual(['sim'])
    expect(services[LIVE]?.ledger.entries().some(({ path }) => path === '/oauth/revoke')).toBe(false)
    expect(snapshot('sim').refresh.state).toBe('valid')
  })

  it('on one API key at one host end together when one of them is revoked', async () => {
    const { clock, monitor, services, snapshot, events, profile } = setUp()
    monitor.connect(profile('second', LIVE))
    await clock.advance(MINUTE_MS)
    expect(services[LIVE]?.streams()).toHaveLength(2)
    const revoked = monitor.withProfile('live', (session) => session.revoke())
    await clock.advance(2_000)
    expect(await revoked).toEqual({ ok: true })
    expect(snapshot('second').refresh.state).toBe('revoked')
    expect(snapshot('second').streams.map(({ state }) => state)).toEqual(['closed'])
    expect(services[LIVE]?.streams()).toHaveLength(0)
    const told = events.filter(({ kind }) => kind === 'revoked').map((event) => event.profile)
    expect(told.sort()).toEqual(['live', 'second'])
    const asked = services[LIVE]?.ledger.entries().length
    await clock.advance(25 * MINUTE_MS)
    expect(services[LIVE]?.ledger.entries()).toHaveLength(asked ?? -1)
    expect(snapshot('sim').refresh.state).toBe('valid')
  })

  it('on one API key, revoked at the same time: both are revoked', async () => {
    const { clock, monitor, snapshot, profile } = setUp()
    monitor.connect(profile('second', LIVE))
    await clock.advance(MINUTE_MS)
    const both = ['live', 'second'].map((id) => monitor.withProfile(id, (session) => session.revoke()))
    await clock.advance(2_000)
    expect(await Promise.all(both)).toEqual([{ ok: true }, { ok: true }])
    expect(snapshot('live').refresh.state).toBe('revoked')
    expect(snapshot('second').refresh.state).toBe('revoked')
  })

  it('retried together: a revocation that is older than a sign-in with its key is not repeated', async () => {
    const { clock, monitor, services, snapshot, profile } = setUp({ faults: ['revoke-503'] })
    await clock.advance(MINUTE_MS)
    void monitor.withProfile('live', (session) => session.revoke())
    await clock.advance(2_000)
    expect(snapshot('live').refresh.state).toBe('revoke-unconfirmed')
    // The person cancels the revocation in order to sign in again.
    monitor.connect(profile('second', LIVE))
    const revocations = () => services[LIVE]?.ledger.entries().filter(({ path }) => path === '/oauth/revoke')
    for (const id of monitor.profiles())
      monitor.withProfile(id, (session) => session.tryNow({ ofAllKeys: true }))
    await clock.advance(5 * MINUTE_MS)
    expect(revocations()).toHaveLength(1)
    expect(snapshot('second').refresh.state).toBe('valid')
    monitor.withProfile('live', (session) => session.tryNow())
    await clock.advance(2_000)
    expect(revocations()).toHaveLength(2)
  })

  it('continue, and notify the other listeners, when a listener throws', async () => {
    const { clock, monitor, snapshot, events } = setUp()
    monitor.subscribe({
      changed: () => {
        throw new Error('a window broke')
      },
      event: () => {
        throw new Error('a window broke')
      },
      removed: () => {},
    })
    const heard: string[] = []
    monitor.subscribe({ changed: () => {}, event: ({ kind }) => heard.push(kind), removed: () => {} })
    await clock.advance(20 * MINUTE_MS)
    expect(heard.filter((kind) => kind === 'token-refreshed').length).toBeGreaterThan(2)
    expect(events.length).toBe(heard.length)
    expect(snapshot('live').refresh.state).toBe('valid')
  })
})
