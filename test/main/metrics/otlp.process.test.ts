import { createServer, type IncomingHttpHeaders } from 'node:http'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { proves } from '../../proof/proves.ts'
import { runNode } from '../hosts/terminal/run-node.ts'
import { listening } from '../loopback-server.ts'

const HEADROOM = fileURLToPath(new URL('../../../main/hosts/terminal/headroom.ts', import.meta.url))

interface Pushed {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A store that accepts OTLP over HTTP and discards it. */
async function receiver(status = 200) {
  const pushed: Pushed[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      pushed.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) })
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  return { pushed, endpoint: await listening(server) }
}

const attributes = z.array(z.object({ key: z.string(), value: z.object({ stringValue: z.string() }) }))
const points = z.array(z.object({ attributes, asDouble: z.number(), startTimeUnixNano: z.string() }))
const request = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeMetrics: z.array(
        z.object({
          metrics: z.array(
            z.object({
              name: z.string(),
              description: z.string().min(5),
              gauge: z.object({ dataPoints: points }).optional(),
              sum: z
                .object({
                  dataPoints: points,
                  isMonotonic: z.literal(true),
                  aggregationTemporality: z.literal(2),
                })
                .optional(),
            }),
          ),
        }),
      ),
    }),
  ),
})

const watch = (environment: Readonly<Record<string, string>>) =>
  runNode([HEADROOM, 'watch', '--json', '--events', '--for', '2'], {
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
    ...environment,
  })

test('metrics are pushed to the store in OpenTelemetry’s variables, and once more at the end', async () => {
  const { pushed, endpoint } = await receiver()
  const { exitCode, stderr } = await watch({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-store',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=desk-7',
  }).ended
  expect([exitCode, stderr]).toEqual([0, ''])
  expect(pushed.length).toBeGreaterThanOrEqual(2)
  const [first] = pushed
  expect(first?.path).toBe('/v1/metrics')
  expect(first?.headers).toMatchObject({ authorization: 'Bearer of-the-store', 'content-encoding': 'gzip' })
  const last = request.parse(JSON.parse(gunzipSync(pushed.at(-1)?.body ?? Buffer.of()).toString()))
  const [told] = last.resourceMetrics
  const resource = new Map(told?.resource.attributes.map(({ key, value }) => [key, value.stringValue]))
  expect(resource.get('service.name')).toBe('headroom')
  expect(resource.get('deployment.environment.name')).toBe('desk-7')
  const metrics = told?.scopeMetrics[0]?.metrics ?? []
  const remaining =
    metrics.find(({ name }) => name === 'headroom_requests_remaining')?.gauge?.dataPoints ?? []
  expect(remaining.length).toBeGreaterThan(0)
  expect(remaining[0]?.attributes.map(({ key }) => key)).toEqual(['profile', 'environment', 'category'])
  const used = metrics.find(({ name }) => name === 'headroom_requests_used_total')?.sum?.dataPoints ?? []
  expect(used.some(({ asDouble }) => asDouble > 0)).toBe(true)
  expect(used.every(({ startTimeUnixNano }) => Number(startTimeUnixNano) / 1e6 < Date.now())).toBe(true)
  proves('M1', { level: 3, cases: pushed.length })
}, 60_000)

test('protobuf is the default, and a rejecting store is reported in one line', async () => {
  const { pushed, endpoint } = await receiver(401)
  const { exitCode, stderr } = await watch({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${endpoint}/here` }).ended
  expect(exitCode).toBe(0)
  expect(stderr).toBe(`headroom: can't push metrics to ${new URL(endpoint).host}: it responded 401\n`)
  expect(pushed[0]).toMatchObject({ path: '/here', headers: { 'content-type': 'application/x-protobuf' } })
}, 60_000)

/** A module to preload. It prints to stderr which of OpenTelemetry's packages the process imports. */
const TELLS = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve(name, context, next) {
      if (name.startsWith('@opentelemetry/')) process.stderr.write('loaded ' + name + '\\n')
      return next(name, context)
    },
  })`)}`

test('OpenTelemetry’s packages are loaded only if a store is configured', async () => {
  const { endpoint } = await receiver()
  const run = (environment: Readonly<Record<string, string>>) =>
    runNode(['--import', TELLS, HEADROOM, 'watch', '--json', '--events', '--for', '1'], environment).ended
  expect((await run({})).stderr).toBe('')
  expect((await run({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).stderr).toContain('loaded @opentelemetry/')
}, 60_000)
