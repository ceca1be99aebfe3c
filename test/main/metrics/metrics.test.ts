import { request } from 'node:http'
import { createServer } from 'node:net'
import parsePrometheusTextFormat from 'parse-prometheus-text-format'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { DeskSummary } from '../../../app/contract/desk.ts'
import type { RequestQuota, Snapshot } from '../../../app/contract/snapshot.ts'
import { metricsOf } from '../../../main/metrics/metric-list.ts'
import { metricsChoice } from '../../../main/metrics/metrics-options.ts'
import { prometheusText, serveMetrics } from '../../../main/metrics/metrics-server.ts'
import { metricsSource } from '../../../main/metrics/metrics-source.ts'
import { LOOPBACK_LIMITS } from '../../../main/network/loopback-servers.ts'
import type { Profile } from '../../../main/ports/profile.ts'
import { proves } from '../../proof/proves.ts'
import { DESK, DESK_ALONE } from '../../renderer/fixtures.ts'
import { rawExchange, requestText } from '../hosts/browser/raw-http.ts'
import {
  AT_MS,
  exampleProgram,
  exampleQuota,
  exampleSlot,
  exampleSnapshot,
  exampleStream,
} from '../hosts/terminal/example-snapshot.ts'
import { FakeMonitor } from '../hosts/terminal/fake-monitor.ts'
import { silentSockets } from '../silent-sockets.ts'

const BEARER = 'a-bearer-of-this-test'
const families = z.array(
  z.object({
    name: z.string(),
    type: z.enum(['GAUGE', 'COUNTER']),
    help: z.string(),
    metrics: z.array(z.object({ value: z.string(), labels: z.record(z.string(), z.string()).default({}) })),
  }),
)

const FACTS = { version: '1.2.3', startedMs: AT_MS - 60_000 }
const textOf = (snapshots: readonly Snapshot[]) =>
  prometheusText(metricsOf({ snapshots, restarts: () => new Map(), process: FACTS }))

function parsed(snapshots: readonly Snapshot[]) {
  const all = families.parse(parsePrometheusTextFormat(textOf(snapshots)))
  const values = (name: string) => all.find((family) => family.name === name)?.metrics ?? []
  return { all, values }
}

/** One line of the text format 0.0.4, stricter than most parsers. */
const LINE =
  /^(?:# HELP [a-z_]+ [^\n]+|# TYPE [a-z_]+ (?:gauge|counter)|[a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|[+-]Inf))$/

test('a Prometheus parser reads every number', () => {
  const snapshot = exampleSnapshot({
    requests: [exampleQuota({ used: { own: 7, elsewhere: 90 }, rejected: 2 })],
  })
  const { all, values } = parsed([snapshot])
  const labels = { profile: 'simulator', environment: 'simulator', category: 'Accounts' }
  expect(values('headroom_requests_remaining')).toEqual([{ value: '300', labels }])
  expect(values('headroom_requests_used_total')).toEqual([
    { value: '7', labels: { ...labels, by: 'own' } },
    { value: '90', labels: { ...labels, by: 'elsewhere' } },
  ])
  expect(values('headroom_requests_rejected_total')[0]?.value).toBe('2')
  expect(values('headroom_requests_observed_timestamp_seconds')[0]?.value).toBe(String((AT_MS - 3000) / 1000))
  expect(values('headroom_service_reachable')[0]?.value).toBe('1')
  const service = { reachable: false, host: 'h' }
  const reachable = (more: Partial<typeof service & { pending: true }>) =>
    parsed([exampleSnapshot({ service: { ...service, ...more } })]).values('headroom_service_reachable')
  expect(reachable({})[0]?.value).toBe('0')
  // An unknown value is not exported as a number, so an alert on 0 stays quiet at the start.
  expect(reachable({ pending: true })).toEqual([])
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
})

test('a quota exports its state, interval, others’ use, safe pace and next check', () => {
  const use = { total: 1.35, own: 0.1, elsewhere: 1.25, elsewhereLow: 1.2, elsewhereHigh: 1.3 }
  const quota = { state: 'running-out', low: 61, high: 75, use, nextCheckAt: AT_MS + 12_000 } as const
  const row = exampleQuota({ ...quota, safe: { everySeconds: null, burst: 61 } })
  const { values } = parsed([exampleSnapshot({ requests: [row] })])
  const one = (name: string) => values(`headroom_requests_${name}`).map(({ value }) => value)
  const states = values('headroom_requests_state')
  expect(states).toHaveLength(7)
  expect(states.filter(({ value }) => value === '1').map(({ labels }) => labels['state'])).toEqual([
    'running-out',
  ])
  expect([one('low'), one('high')]).toEqual([['61'], ['75']])
  const others = values('headroom_requests_elsewhere_per_second')
  expect(others.map(({ labels, value }) => [labels['bound'], value])).toEqual([
    ['middle', '1.25'],
    ['low', '1.2'],
    ['high', '1.3'],
  ])
  expect(one('safe_interval_seconds')).toEqual(['+Inf'])
  expect(one('safe_burst')).toEqual(['61'])
  expect(one('next_check_timestamp_seconds')).toEqual([String((AT_MS + 12_000) / 1000)])
})

test('a response without a number exports its status and start; no series once numbers arrive', () => {
  const problem = { status: 503, message: 'Try again later.', since: AT_MS - 4_000 }
  const refused = parsed([exampleSnapshot({ requests: [exampleQuota({ problem })] })])
  const one = (name: string) => refused.values(`headroom_requests_${name}`).map(({ value }) => value)
  expect(one('problem_status')).toEqual(['503'])
  expect(one('problem_since_timestamp_seconds')).toEqual([String((AT_MS - 4_000) / 1_000)])
  expect(parsed([exampleSnapshot()]).values('headroom_requests_problem_status')).toEqual([])
})

test('each root cause of a key’s problem is a series; none while the key is fine', () => {
  const damaged = exampleSnapshot({ keystore: 'record-corrupt' })
  expect(parsed([damaged]).values('headroom_key_condition')).toMatchObject([
    { value: '1', labels: { profile: 'simulator', cause: 'keys-damaged', severity: 'critical' } },
  ])
  expect(parsed([exampleSnapshot()]).values('headroom_key_condition')).toEqual([])
})

test('the times until a quota is empty, full or past its 429 are exported in seconds, only if expected', () => {
  const moments = { emptyAt: AT_MS + 1_000, fullAt: AT_MS + 2_000, blockedUntil: AT_MS + 3_000 }
  const { values } = parsed([exampleSnapshot({ requests: [exampleQuota(moments)] })])
  const moment = (name: string) =>
    values(`headroom_requests_${name}_timestamp_seconds`).map(({ value }) => value)
  expect(moment('empty')).toEqual([String((AT_MS + 1_000) / 1_000)])
  expect(moment('full')).toEqual([String((AT_MS + 2_000) / 1_000)])
  expect(moment('blocked_until')).toEqual([String((AT_MS + 3_000) / 1_000)])
  const { fullAt: _, ...full } = exampleQuota()
  const calm = parsed([exampleSnapshot({ requests: [full] })]).all.map(({ name }) => name)
  expect(calm.filter((name) => /(empty|full|blocked_until)_timestamp/.test(name))).toEqual([])
})

test('states, sources and the verdict are fixed sets of series, whichever applies', () => {
  const series = (changes: Partial<RequestQuota>, verdict: Snapshot['verdict']) => {
    const text = textOf([exampleSnapshot({ requests: [exampleQuota(changes)], verdict })])
    return text.split('\n').filter((line) => /^headroom_(requests_(state|source)|verdict)\{/.test(line))
  }
  const before = series({ source: 'header', state: 'ok' }, { kind: 'lasts' })
  const after = series({ source: 'modelled', state: 'blocked' }, { kind: 'blocked' })
  const names = (lines: readonly string[]) => lines.map((line) => line.slice(0, line.lastIndexOf(' ')))
  expect(names(after)).toEqual(names(before))
  expect(before).toHaveLength(7 + 3 + 5)
  for (const lines of [before, after]) expect(lines.filter((line) => line.endsWith(' 1'))).toHaveLength(3)
  proves('M1', { level: 1, cases: 2 })
})

test('the process, the version and each key are identified without a name', () => {
  const { values } = parsed([exampleSnapshot()])
  expect(values('headroom_build_info')[0]?.labels).toMatchObject({ version: '1.2.3' })
  expect(values('process_start_time_seconds')).toEqual([
    { value: String((AT_MS - 60_000) / 1000), labels: {} },
  ])
  expect(values('headroom_profile_info')[0]?.labels).toEqual({
    profile: 'simulator',
    environment: 'simulator',
    host: '127.0.0.1:4790',
    keystore: 'memory',
    rotating: 'false',
  })
})

test('a category that another row counts has no numbers, and names that row', () => {
  const shared = exampleQuota({ category: 'Balances', countedBy: 'Accounts' })
  const { values } = parsed([exampleSnapshot({ requests: [exampleQuota(), shared] })])
  expect(values('headroom_requests_limit').map(({ labels }) => labels['category'])).toEqual(['Accounts'])
  expect(values('headroom_requests_counted_by_info').map(({ labels }) => labels)).toEqual([
    { profile: 'simulator', environment: 'simulator', category: 'Balances', counted_by: 'Accounts' },
  ])
})

test('restarts are counted from the start of the app, including closed streams', () => {
  const monitor = new FakeMonitor(() => AT_MS)
  monitor.connect({ id: 'simulator' } as Profile)
  const source = metricsSource(monitor, FACTS)
  const counted = () =>
    source
      .metrics()
      .find(({ name }) => name === 'headroom_stream_restarts_total')
      ?.samples.map(({ labels, value }) => [labels['category'], value])
  expect(counted()).toEqual([[exampleStream().category, 0]])
  const restarted = {
    kind: 'stream-restarted',
    stream: 's9',
    target: 'SIM1001',
    reason: 'server going away',
  } as const
  for (const category of ['Positions Stream', 'Order Stream', 'Order Stream'])
    monitor.tell({ ...restarted, category })
  expect(counted()).toEqual([
    ['Positions Stream', 1],
    ['Order Stream', 2],
  ])
  source.close()
  expect(monitor.listening).toBe(0)
})

test('programs behind the gateway have their own series; none while it is off', () => {
  const program = exampleProgram('My bot', {
    forwarded: 7,
    coalesced: 2,
    refused: 1,
    perSecond: 0.1,
    waiting: 3,
    longestWaitMs: 1500,
    streams: 1,
    use: [{ category: 'Accounts', forwarded: 7, perSecond: 0.1, waiting: 3 }],
  })
  const { values } = parsed([exampleSnapshot({ gateway: { state: 'serving' }, programs: [program] })])
  const [forwarded] = values('headroom_program_forwarded_total')
  expect(forwarded).toMatchObject({ value: '7', labels: { program: 'My bot', category: 'Accounts' } })
  const one = (name: string) => values(`headroom_program_${name}`).map(({ value }) => value)
  expect(['coalesced_total', 'refused_total', 'waiting', 'longest_wait_seconds', 'streams'].map(one)).toEqual(
    [['2'], ['1'], ['3'], ['1.5'], ['1']],
  )
  expect(values('headroom_gateway_up')[0]?.value).toBe('1')
  const failed = parsed([exampleSnapshot({ gateway: { state: 'failed', why: 'port 1 is taken' } })])
  expect(failed.values('headroom_gateway_up')[0]?.value).toBe('0')
  expect(textOf([exampleSnapshot()])).not.toMatch(/^headroom_(program|gateway)/m)
  expect(textOf([exampleSnapshot({ gateway: { state: 'serving' }, programs: [program] })])).not.toContain(
    'abcd',
  )
})

test('a desk exports its machines, its server and its part of use; nothing of it is shown without one', () => {
  const use = { total: 1.4, own: 0.1, desk: 0.4, elsewhere: 0.9 }
  const row = exampleQuota({ use, used: { own: 1, desk: 7, elsewhere: 2 } })
  const slot = exampleSlot({ own: 1, desk: 2, elsewhere: 3, free: 34 })
  const of = (desk: DeskSummary) => parsed([exampleSnapshot({ requests: [row], slots: [slot], desk })])
  const { values } = of({ ...DESK, dropped: 3 })
  const one = (name: string) => values(`headroom_${name}`)[0]?.value
  expect(one('desk_members')).toBe('3')
  expect(one('desk_reachable')).toBe('1')
  expect([one('desk_dispatches'), one('desk_alone')]).toEqual(['0', '0'])
  expect(one('desk_dropped_total')).toBe('3')
  expect(one('requests_desk_per_second')).toBe('0.4')
  expect(one('slots_desk')).toBe('2')
  const used = values('headroom_requests_used_total').map(({ labels, value }) => [labels['by'], value])
  expect(used).toEqual([
    ['own', '1'],
    ['desk', '7'],
    ['elsewhere', '2'],
  ])
  const alone = of(DESK_ALONE)
  expect(alone.values('headroom_desk_members')[0]?.value).toBe('1')
  expect(alone.values('headroom_desk_reachable')[0]?.value).toBe('0')
  expect(alone.values('headroom_desk_alone')[0]?.value).toBe('1')
  const members = DESK.members.map((member) => ({ ...member, dispatcher: member.self }))
  expect(of({ ...DESK, members }).values('headroom_desk_dispatches')[0]?.value).toBe('1')
  expect(textOf([exampleSnapshot()])).not.toContain('desk')
})

test('unknown outcomes of orders are counted until they are dismissed, and never shown while orders are off', () => {
  const one = { id: '17', program: 'bot', at: 1, kind: 'order', accountEnding: '001' } as const
  const counted = (orders: Snapshot['orders']) =>
    parsed([exampleSnapshot(orders && { orders })]).values('headroom_orders_unknown')[0]?.value
  const found = { ...one, id: '18', state: 'found', orderId: '9001' } as const
  expect(counted({ state: 'on', today: 3, unknown: [{ ...one, state: 'looking' }, found] })).toBe('2')
  expect(counted({ state: 'on', today: 3, unknown: [] })).toBe('0')
  expect(counted({ state: 'off', today: 3, unknown: [found] })).toBe('1')
  expect(counted({ state: 'off', today: 0, unknown: [] })).toBeUndefined()
  expect(counted(undefined)).toBeUndefined()
})

test('each counter’s help says over which time its rate is meaningful', () => {
  const { all } = parsed([exampleSnapshot({ requests: [exampleQuota({ used: { own: 1, elsewhere: 2 } })] })])
  const counters = all.filter(({ type }) => type === 'COUNTER')
  expect(counters).toHaveLength(3)
  for (const { help } of counters) expect(help).toMatch(/(rate|increase)\(\) over \d+[mh] or more/)
})

test('each line is valid, whatever name a server gives a resource', () => {
  const category = 'a "quoted"\\name\nof two lines'
  const text = textOf([exampleSnapshot({ requests: [exampleQuota({ category })] })])
  for (const line of text.trimEnd().split('\n')) expect(line).toMatch(LINE)
  const { values } = parsed([exampleSnapshot({ requests: [exampleQuota({ category })] })])
  expect(values('headroom_requests_limit')[0]?.labels['category']).toBe(category)
})

test('no series appears twice, even with two keys', () => {
  const other = exampleSnapshot({ profile: { id: 'key-1', name: 'Mine', environment: 'live' } })
  const lines = textOf([exampleSnapshot(), other])
    .split('\n')
    .filter((line) => !line.startsWith('#'))
  const series = lines.map((line) => line.slice(0, line.lastIndexOf(' ')))
  expect(new Set(series).size).toBe(series.length)
})

test('a number that is only from the documented table is not exported as left', () => {
  const { values } = parsed([exampleSnapshot()])
  expect(values('headroom_requests_remaining').map(({ labels }) => labels['category'])).toEqual(['Accounts'])
  expect(values('headroom_requests_limit').length).toBeGreaterThan(10)
})

test('labels contain no account, name or token', () => {
  const text = textOf([exampleSnapshot()])
  expect(text).not.toContain('SIM1001')
  expect(text).not.toContain('Built-in')
})

interface Got {
  readonly status: number
  readonly type: string
  readonly body: string
}

async function serving() {
  const source = {
    metrics: () => metricsOf({ snapshots: [exampleSnapshot()], restarts: () => new Map(), process: FACTS }),
    close: () => {},
  }
  const served = await serveMetrics(source, { port: 0, bearer: BEARER })
  if (served.kind === 'failed') throw new Error(served.line)
  onTestFinished(() => served.close())
  const server = { port: Number(new URL(served.url).port) }
  const get = (headers: Record<string, string> = {}, path = '/metrics', method = 'GET') =>
    new Promise<Got>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: server.port, path, method, headers }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          body += part
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', body }),
        )
      })
      asked.on('error', reject).end()
    })
  return { server, get }
}

const NOTHING = { metrics: () => [], close: () => {} }
const WITH_BEARER = { authorization: `Bearer ${BEARER}` }

test('a scrape with the bearer succeeds, in the format’s own content type', async () => {
  const { get } = await serving()
  const { status, type, body } = await get(WITH_BEARER)
  expect(status).toBe(200)
  expect(type).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(families.parse(parsePrometheusTextFormat(body)).length).toBeGreaterThan(10)
})

test('a scrape without the bearer, for another host, from a page or another path gets nothing', async () => {
  const { get } = await serving()
  expect((await get()).status).toBe(401)
  expect((await get({ authorization: 'Bearer wrong' })).status).toBe(401)
  expect((await get({ authorization: `bearer ${BEARER}` })).status).toBe(200)
  expect((await get({ ...WITH_BEARER, host: 'evil.example' })).status).toBe(421)
  expect((await get({ ...WITH_BEARER, origin: 'https://evil.example' })).status).toBe(403)
  expect((await get(WITH_BEARER, '/')).status).toBe(404)
  expect((await get(WITH_BEARER, '/metrics', 'POST')).status).toBe(405)
  expect((await get(WITH_BEARER, '/metrics', 'HEAD')).body).toBe('')
})

test('a request with two Host fields gets nothing, even if both are right', async () => {
  const { server } = await serving()
  const host = ['host', `127.0.0.1:${server.port}`] as const
  for (const target of ['/metrics', '/healthz']) {
    const headers = [host, host, ['authorization', `Bearer ${BEARER}`]] as const
    expect((await rawExchange(server.port, requestText({ target, headers }))).status).toBe(421)
  }
})

test('a supervisor’s health check without a bearer shows only that the process responds', async () => {
  const { get } = await serving()
  expect(await get({}, '/healthz')).toMatchObject({ status: 200, body: 'ok\n' })
  expect((await get({ host: 'evil.example' }, '/healthz')).status).toBe(421)
})

test('300 scrapes at once all get a response', async () => {
  const { get } = await serving()
  const scrapes = await Promise.all(Array.from({ length: 300 }, () => get(WITH_BEARER)))
  expect(scrapes.filter(({ status }) => status === 200)).toHaveLength(300)
})

test('any number of silent connections does not block a scrape', async () => {
  const { server, get } = await serving()
  const silent = await silentSockets(1_100, { port: server.port, host: '127.0.0.1' })
  expect((await get(WITH_BEARER)).status).toBe(200)
  expect(silent.open).toBeLessThanOrEqual(LOOPBACK_LIMITS.mostConnections)
})

test('a program on ::1 at the same port never gets the bearer: the port counts as taken', async () => {
  const other = createServer()
  const hasIpv6 = await new Promise<boolean>((resolve) => {
    other.once('error', () => resolve(false)).listen({ port: 0, host: '::1' }, () => resolve(true))
  })
  if (!hasIpv6) return
  onTestFinished(() => void other.close())
  const { port } = other.address() as { port: number }
  expect((await serveMetrics(NOTHING, { port, bearer: BEARER })).kind).toBe('failed')
})

test('a taken port is reported in one line', async () => {
  const { server } = await serving()
  const second = await serveMetrics(NOTHING, { port: server.port, bearer: BEARER })
  expect(second).toEqual({
    kind: 'failed',
    line: `port ${server.port} is taken: choose another with --metrics-port`,
  })
})

test('metrics are off unless requested, and never without a bearer token', () => {
  expect(metricsChoice(undefined, { HEADROOM_METRICS_TOKEN: BEARER })).toEqual({ kind: 'off' })
  expect(metricsChoice(0, { HEADROOM_METRICS_TOKEN: BEARER })).toEqual({
    kind: 'on',
    options: { port: 0, bearer: BEARER },
  })
  for (const token of [
    undefined,
    '',
    'x'.repeat(15),
    'x'.repeat(20_000),
    `two words ${BEARER}`,
    `ü-${BEARER}`,
  ]) {
    const choice = metricsChoice(0, { HEADROOM_METRICS_TOKEN: token })
    expect(choice).toMatchObject({ kind: 'unusable', line: expect.stringContaining('--metrics-port') })
    expect(JSON.stringify(choice)).not.toContain(BEARER)
  }
})
