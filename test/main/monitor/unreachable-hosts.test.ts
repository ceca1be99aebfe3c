import { describe, expect, it } from 'vitest'
import { keyFindings } from '../../../app/conditions/key-status.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import type { Http, HttpOutcome } from '../../../main/ports/ports.ts'
import { DEFAULT_PROBES } from '../../../main/ports/profile.ts'
import { SimulatedService } from '../../../main/simulator/simulated-service.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { VirtualHttp } from '../../simulation/virtual-http.ts'
import { VirtualRandom } from '../../simulation/virtual-random.ts'
import { simulatedKey } from '../example-key.ts'

const AUTH = 'https://signin.test'
const API = 'https://api.test'
const MINUTE_MS = 60_000

/** How a host fails: at once without a connection, or with a connection but no answer. */
type Fault = 'refused' | 'no connection' | 'no answer'

interface Setting {
  readonly fault: Fault
  readonly away: readonly string[]
  /** When they stop answering, in milliseconds. The default is one minute. */
  readonly afterMs?: number
  readonly baseUrl?: string
}

/** A key of a service whose hosts `away` stop answering after a minute; its access tokens live for four. */
async function setUp({ fault, away, afterMs = MINUTE_MS, baseUrl = API }: Setting) {
  const clock = new VirtualClock()
  const random = new VirtualRandom(7)
  const chance = random.fork()
  const service = new SimulatedService(
    { accessLifetimeSeconds: 240 },
    { nowMs: () => clock.worldMs(), random: () => chance.next() },
  )
  const line = new VirtualHttp(service, clock, random.fork())
  let isAway = afterMs === 0
  let underWay = 0
  const fails = (url: string) => isAway && away.some((host) => url.startsWith(host))
  const failure = async (timeoutMs: number): Promise<Exclude<HttpOutcome, { kind: 'answer' }>> => {
    if (fault === 'refused') return { kind: 'not-sent', why: 'connection refused' }
    underWay += 1
    await new Promise<void>((resolve) => clock.after(timeoutMs, resolve))
    underWay -= 1
    return { kind: fault === 'no answer' ? 'unknown' : 'not-sent', why: 'timed out' }
  }
  const reached: string[] = []
  const http: Http = {
    reach: async (url, timeoutMs) => {
      reached.push(url)
      return fails(url) ? (await failure(timeoutMs)).why : undefined
    },
    send: (request) => (fails(request.url) ? failure(request.timeoutMs) : line.send(request)),
    open: (request, listener) => {
      if (!fails(request.url)) return line.open(request, listener)
      let isClosed = false
      void failure(request.timeoutMs).then(({ why }) => {
        if (!isClosed) listener.ended(why)
      })
      return () => {
        isClosed = true
      }
    },
  }
  const monitor = new Monitor({ clock, random, http, log: { note: () => {} } })
  monitor.connect(
    simulatedKey(baseUrl, {
      id: 'key',
      environment: 'custom',
      authUrl: AUTH,
      probes: DEFAULT_PROBES,
      streams: [{ kind: 'positions', target: 'SIM1001', options: {} }],
    }),
  )
  await clock.advance(afterMs)
  isAway = true
  const snapshot = (): Snapshot => {
    const found = monitor.snapshot('key')
    if (found === undefined) throw new Error('not connected')
    return found
  }
  const isBack = () => {
    isAway = false
  }
  return { clock, snapshot, isUnderWay: () => underWay > 0, isBack, reached, monitor }
}

describe('"Retrying." in the headline', () => {
  it.each([
    { fault: 'refused', away: [API] },
    { fault: 'refused', away: [AUTH, API] },
    { fault: 'refused', away: [AUTH], baseUrl: AUTH },
    { fault: 'no connection', away: [AUTH, API] },
    { fault: 'no answer', away: [AUTH], baseUrl: AUTH },
  ] satisfies readonly Setting[])('appears only while something is retried: %j', async (setting) => {
    const { clock, snapshot, isUnderWay } = await setUp(setting)
    let idleSeconds = 0
    let longest = 0
    let isSaid = false
    for (let second = 0; second < 6 * 60; second += 1) {
      await clock.advance(1_000)
      const now = snapshot()
      const { detail = '' } = keyFindings(now, now.at)[0] ?? {}
      const says = detail.includes('Retrying. ')
      isSaid ||= detail.includes('Retrying at ')
      idleSeconds = says && !isUnderWay() ? idleSeconds + 1 : 0
      longest = Math.max(longest, idleSeconds)
    }
    expect(isSaid).toBe(true)
    // Rows are evaluated once a second. A request that fails at once is over before the next evaluation.
    expect(longest).toBeLessThanOrEqual(2)
  })
})

describe('an unreachable sign-in host', () => {
  it('leaves the service reachable, and is reported as soon as a refresh is due', async () => {
    const { clock, snapshot } = await setUp({ fault: 'refused', away: [AUTH] })
    expect(snapshot()).not.toHaveProperty('signInHost')
    await clock.advance((snapshot().access.refreshAt ?? 0) - clock.wallMs() + 1_000)
    const { service, signInHost, access } = snapshot()
    expect(access.state).toBe('valid')
    expect(service.reachable).toBe(true)
    expect(signInHost).toMatchObject({ host: 'signin.test', why: 'connection refused' })
    // The reported time is that of the next refresh, not that of the service's next request.
    await clock.advance(Math.max(0, (signInHost?.retryAt ?? 0) - clock.wallMs()) + 1)
    expect(snapshot().signInHost?.retryAt).toBeGreaterThan(clock.wallMs())
  })

  it('is reported once if it is also the service’s host', async () => {
    const { clock, snapshot } = await setUp({ fault: 'refused', away: [AUTH], baseUrl: AUTH })
    await clock.advance(4 * MINUTE_MS)
    expect(snapshot()).not.toHaveProperty('signInHost')
    expect(snapshot().service).toMatchObject({ reachable: false, host: 'signin.test' })
  })
})

describe('the other host of a key', () => {
  const told = (snapshot: Snapshot) => keyFindings(snapshot, snapshot.at).map(({ kind }) => kind)

  it('is tested at once by a connection, so that both unreachable hosts are reported separately', async () => {
    const { clock, snapshot, isBack, reached } = await setUp({ fault: 'refused', away: [AUTH, API] })
    await clock.advance(40_000)
    expect(snapshot().access.state).toBe('valid')
    expect(told(snapshot())).toEqual(['hosts-unreachable'])
    expect(reached.length).toBeGreaterThan(1)
    expect(new Set(reached)).toEqual(new Set([AUTH]))
    isBack()
    await clock.advance(61_000)
    expect(told(snapshot())).toEqual([])
    const asked = reached.length
    await clock.advance(2 * MINUTE_MS)
    expect(reached).toHaveLength(asked)
  })

  it('is tested again while it responds, and both are named once it fails as well', async () => {
    const away = [API]
    const { clock, snapshot, reached } = await setUp({ fault: 'refused', away })
    await clock.advance(40_000)
    expect(told(snapshot())).toEqual(['service-unreachable'])
    expect(new Set(reached)).toEqual(new Set([AUTH]))
    expect(reached.length).toBeLessThanOrEqual(4)
    away.push(AUTH)
    await clock.advance(10_000)
    expect(told(snapshot())).toEqual(['hosts-unreachable'])
  })

  it('is tested again when a person chooses to retry now', async () => {
    const { clock, snapshot, monitor, isBack } = await setUp({ fault: 'refused', away: [AUTH, API] })
    await clock.advance(40_000)
    isBack()
    monitor.withProfile('key', (session) => session.tryNow())
    await clock.advance(5_000)
    expect(told(snapshot())).toEqual([])
  })
})

describe('a service before its first request', () => {
  const told = (snapshot: Snapshot) => keyFindings(snapshot, snapshot.at).map(({ kind }) => kind)

  it('is neither reachable nor unreachable', async () => {
    const { clock, snapshot } = await setUp({ fault: 'no answer', away: [AUTH], afterMs: 0 })
    const at = [snapshot()]
    await clock.advance(3 * MINUTE_MS)
    at.push(snapshot())
    for (const one of at) {
      expect(one.service).toEqual({ reachable: false, pending: true, host: 'api.test' })
      expect(told(one)).not.toContain('service-unreachable')
      expect(told(one)).not.toContain('hosts-unreachable')
    }
  })

  it('is unreachable from its first failure', async () => {
    const { clock, snapshot } = await setUp({ fault: 'refused', away: [API], afterMs: 0 })
    await clock.advance(5_000)
    expect(snapshot().service).toMatchObject({ reachable: false, why: 'connection refused' })
    expect(snapshot().service).not.toHaveProperty('pending')
    expect(told(snapshot())).toEqual(['service-unreachable'])
  })

  it('is reachable from its first response', async () => {
    const { snapshot } = await setUp({ fault: 'refused', away: [], afterMs: 5_000 })
    expect(snapshot().service).toEqual({ reachable: true, host: 'api.test' })
  })
})

describe('a key that cannot call', () => {
  const said = ({ requests, verdict }: Snapshot) => ({
    states: [...new Set(requests.map(({ state }) => state))],
    verdicts: [...new Set(requests.map((row) => row.verdict))],
    paced: requests.filter(({ safe, nextCheckAt }) => safe !== undefined || nextCheckAt !== undefined).length,
    verdict: verdict.kind,
  })
  const UNKNOWN = { states: ['not-checked'], verdicts: ['not-seen'], paced: 0, verdict: 'unknown' }

  it('has no row with a state, a pace or a next check while the service is unreachable, and all of them before and after', async () => {
    const { clock, snapshot, isBack } = await setUp({ fault: 'refused', away: [API] })
    expect(said(snapshot())).toMatchObject({ states: expect.arrayContaining(['ok']) })
    expect(said(snapshot()).paced).toBeGreaterThan(0)
    await clock.advance(MINUTE_MS)
    expect(said(snapshot())).toEqual(UNKNOWN)
    expect(snapshot().requests.some(({ observedAt }) => observedAt !== undefined)).toBe(true)
    isBack()
    await clock.advance(2 * MINUTE_MS)
    expect(said(snapshot()).paced).toBeGreaterThan(0)
  })

  it('records no level until calls succeed again', async () => {
    const { clock, monitor, isBack } = await setUp({ fault: 'refused', away: [API] })
    const levelsOf = (fromMs: number) => {
      const found = monitor.withProfile('key', ({ parts }) =>
        parts.history.query('Accounts', fromMs, clock.wallMs(), 300),
      )
      if (!('points' in found)) throw new Error('not connected')
      return found.points.length
    }
    expect(levelsOf(0)).toBeGreaterThan(10)
    await clock.advance(MINUTE_MS)
    expect(levelsOf(clock.wallMs() - MINUTE_MS / 2)).toBe(0)
    isBack()
    await clock.advance(2 * MINUTE_MS)
    expect(levelsOf(clock.wallMs() - MINUTE_MS)).toBeGreaterThan(10)
  })

  it('promises nothing while its revocation is unconfirmed', async () => {
    const { snapshot, monitor } = await setUp({ fault: 'refused', away: [AUTH] })
    await monitor.withProfile('key', (session) => session.revoke())
    expect(snapshot().refresh.state).toBe('revoke-unconfirmed')
    expect(said(snapshot())).toEqual(UNKNOWN)
  })
})
