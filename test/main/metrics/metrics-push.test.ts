import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { otlpChoice } from '../../../main/metrics/metrics-options.ts'
import { startMetricsPush } from '../../../main/metrics/metrics-push.ts'
import { otlpExporter } from '../../../main/metrics/otlp-exporter.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { listening } from '../loopback-server.ts'

function pushing() {
  const clock = new VirtualClock()
  const sent: number[] = []
  const said: string[] = []
  let answers: () => Promise<string | undefined> = async () => undefined
  let closed = 0
  const push = startMetricsPush({
    source: { metrics: () => [], close: () => void closed++ },
    exporter: {
      send: (_metrics, atMs) => {
        sent.push(atMs - clock.worldMs())
        return answers()
      },
      close: async () => void closed++,
    },
    clock,
    intervalMs: 60_000,
    host: 'store.example:4318',
    say: (line) => said.push(line),
  })
  const answer = (how: typeof answers) => {
    answers = how
  }
  return { clock, sent, said, push, answer, closed: () => closed }
}

test.each([
  ['http/json', false],
  ['http/protobuf', true],
] as const)('a push in %s has infinite values: %s', async (protocol, hasInfinite) => {
  const bodies: Buffer[] = []
  const server = createServer(async (request, response) => {
    bodies.push(await buffer(request))
    response.end()
  })
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', await listening(server))
  onTestFinished(() => void vi.unstubAllEnvs())
  const exporter = otlpExporter(
    { protocol, intervalMs: 60_000, host: 'store.example' },
    { version: '1.0.0', startedMs: 0 },
  )
  const gauge = (name: string, value: number) =>
    ({ name, type: 'gauge', help: 'A value.', samples: [{ labels: {}, value }] }) as const
  const metrics = [gauge('interval_at_rest', 2), gauge('interval_under_load', Number.POSITIVE_INFINITY)]
  expect(await exporter.send(metrics, 1_000)).toBeUndefined()
  await exporter.close()
  const [body = ''] = bodies.map(String)
  expect([body.includes('interval_at_rest'), body.includes('interval_under_load')]).toEqual([
    true,
    hasInfinite,
  ])
  expect(body).not.toContain('null')
})

test('metrics are pushed once a minute, and a last time at the end', async () => {
  const { clock, sent, push, closed } = pushing()
  await clock.advance(121_000)
  expect(sent).toEqual([0, 0, 0])
  const ended = push.close()
  await clock.advance(1)
  await ended
  expect([sent.length, closed(), clock.pending]).toEqual([4, 2, 0])
})

test('a store that rejects metrics is reported once, and its recovery once', async () => {
  const { clock, said, answer } = pushing()
  answer(async () => 'it answered 503')
  await clock.advance(300_000)
  answer(async () => undefined)
  await clock.advance(120_000)
  expect(said).toEqual([
    "can't push metrics to store.example:4318: it answered 503",
    'pushing metrics to store.example:4318 works again',
  ])
})

test('a store that never responds gets one request at a time, and delays no shutdown', async () => {
  const { clock, sent, answer, push } = pushing()
  answer(() => new Promise(() => {}))
  await clock.advance(600_000)
  expect(sent).toHaveLength(1)
  const ended = push.close()
  await clock.advance(1_000)
  await ended
})

test('OpenTelemetry’s variables parse as off, on, or one line', () => {
  const at = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otlp.example:4318/base' }
  const options = { protocol: 'http/protobuf', intervalMs: 60_000, host: 'otlp.example:4318' }
  for (const [environment, choice] of [
    [{}, { kind: 'off' }],
    [{ ...at, OTEL_SDK_DISABLED: 'true' }, { kind: 'off' }],
    [{ ...at, OTEL_METRICS_EXPORTER: 'none' }, { kind: 'off' }],
    [at, { kind: 'on', options }],
    [
      {
        ...at,
        OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://[::1]:1/v1/metrics',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      },
      { kind: 'on', options: { ...options, protocol: 'http/json', host: '[::1]:1' } },
    ],
    [
      { ...at, OTEL_METRIC_EXPORT_INTERVAL: '5' },
      { kind: 'on', options: { ...options, intervalMs: 1_000 } },
    ],
  ] as const) {
    expect(otlpChoice(environment)).toEqual(choice)
  }
  for (const [environment, line] of [
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'otlp.example:4318' },
      /OTEL_EXPORTER_OTLP_ENDPOINT must begin with http/,
    ],
    [{ ...at, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTEL_EXPORTER_OTLP_PROTOCOL is grpc/],
    [{ ...at, OTEL_METRIC_EXPORT_INTERVAL: 'often' }, /OTEL_METRIC_EXPORT_INTERVAL/],
  ] as const) {
    expect(otlpChoice(environment)).toEqual({ kind: 'unusable', line: expect.stringMatching(line) })
  }
})
