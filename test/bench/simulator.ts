/**
 * How much load the simulator can carry: `node test/bench/simulator.ts [--requests N] [--stream-seconds 10]
 * [--json]`.
 *
 * The load comes from this process. The simulator runs in a separate process on the same machine. Aims: 5,000
 * requests a second, 200 streams at 50 messages a second without a missed heartbeat, and flat memory.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { performance } from 'node:perf_hooks'
import { startSimulatorServer } from '../../main/simulator/server.ts'
import { accessTokenOf } from '../main/simulator/refreshed.ts'
import { peer } from './peers.ts'
import { benchFlags, round, tell } from './result.ts'

const STREAMS = { count: 200, perSecond: 50, heartbeatSeconds: 1 } as const
const AIMS = { requestsPerSecond: 5_000, growthMb: 8 } as const

if (process.send) await serve()
else await measure()

/**
 * Runs the simulator in a separate process. It reports its memory whenever the parent process sends a
 * message.
 */
async function serve(): Promise<void> {
  const simulator = await startSimulatorServer({
    port: 0,
    limits: { Accounts: { limit: 9_000_000, periodSeconds: 300 } },
    slotLimits: { 'Positions Stream': STREAMS.count },
    streamRate: STREAMS.perSecond,
    heartbeatSeconds: STREAMS.heartbeatSeconds,
  })
  process.on('message', () => {
    globalThis.gc?.()
    process.send?.({ heapMb: process.memoryUsage().heapUsed / 1e6, rssMb: process.memoryUsage().rss / 1e6 })
  })
  process.on('disconnect', () => void simulator.close())
  process.send?.({ origin: simulator.origin })
}

async function measure(): Promise<void> {
  const { requests, 'stream-seconds': streamSeconds } = benchFlags({
    requests: 200_000,
    'stream-seconds': 10,
  })
  const service = fork(import.meta.filename, [], { execArgv: ['--expose-gc'] })
  const [{ origin }] = (await once(service, 'message')) as [{ origin: string }]
  try {
    const token = await accessTokenOf(origin)
    await load(origin, token, Math.ceil(requests / 20))
    const before = await memory(service)
    const rest = await load(origin, token, requests)
    const after = await memory(service)
    const forMs = streamSeconds * 1000
    const streams = await streamLoad(origin, token, forMs)
    const growthMb = after.heapMb - before.heapMb
    tell({
      what: 'Requests that the simulator serves',
      unit: 'requests a second',
      better: 'more',
      ours: rest.perSecond,
      details: {
        'slowest percent, ms': rest.p99Ms,
        'failed requests': rest.failed,
        'heap grown, MB': round(growthMb),
        'streams at once': streams.count,
        'messages a second on each': streams.messagesPerSecondEach,
        'longest silence of a stream, ms': streams.longestSilenceMs,
        'missed heartbeats': streams.missedHeartbeats,
      },
      aims: [
        {
          what: `${AIMS.requestsPerSecond} requests a second`,
          isMet: rest.perSecond >= AIMS.requestsPerSecond,
        },
        { what: 'no request failed', isMet: rest.failed === 0 },
        { what: `at most ${AIMS.growthMb} MB of heap more`, isMet: growthMb <= AIMS.growthMb },
        { what: 'no heartbeat missed', isMet: streams.missedHeartbeats === 0 },
      ],
      how: `${requests.toLocaleString('en')} requests over 50 connections on loopback, the load and the service in a process each; then ${STREAMS.count} streams at ${STREAMS.perSecond} messages a second for ${forMs / 1000} s.`,
    })
  } finally {
    service.disconnect()
  }
}

type Autocannon = (load: object) => Promise<{
  readonly duration: number
  readonly latency: { readonly p99: number }
  readonly errors: number
  readonly non2xx: number
}>

async function load(origin: string, token: string, amount: number) {
  const done = await peer<Autocannon>('autocannon')({
    url: `${origin}/v3/brokerage/accounts`,
    connections: 50,
    amount,
    headers: { authorization: `Bearer ${token}` },
  })
  return {
    count: amount,
    perSecond: Math.round(amount / done.duration),
    p99Ms: done.latency.p99,
    failed: done.errors + done.non2xx,
  }
}

async function memory(service: ChildProcess): Promise<{ heapMb: number; rssMb: number }> {
  service.send('memory')
  const [said] = (await once(service, 'message')) as [{ heapMb: number; rssMb: number }]
  return said
}

/**
 * Each stream counts its messages and measures its longest silence, which shows whether a heartbeat was
 * missing.
 */
async function streamLoad(origin: string, token: string, forMs: number) {
  const streams = await Promise.all(
    Array.from({ length: STREAMS.count }, () =>
      readStream(`${origin}/v3/brokerage/stream/accounts/SIM1001/positions`, token, forMs),
    ),
  )
  const messages = streams.reduce((sum, stream) => sum + stream.messages, 0)
  const longestMs = Math.max(...streams.map((stream) => stream.longestSilenceMs))
  return {
    count: streams.length,
    messagesPerSecondEach: round(messages / streams.length / (forMs / 1000)),
    longestSilenceMs: round(longestMs),
    missedHeartbeats: streams.filter((s) => s.longestSilenceMs > 2 * STREAMS.heartbeatSeconds * 1000).length,
  }
}

function readStream(
  url: string,
  token: string,
  forMs: number,
): Promise<{ messages: number; longestSilenceMs: number }> {
  return new Promise((resolve, reject) => {
    const request = http.get(
      url,
      { agent: false, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`a stream was answered ${response.statusCode}`))
        let messages = 0
        let longestSilenceMs = 0
        let lastMs = performance.now()
        response.on('data', (chunk: Buffer) => {
          const now = performance.now()
          longestSilenceMs = Math.max(longestSilenceMs, now - lastMs)
          lastMs = now
          for (const byte of chunk) if (byte === 0x0a) messages += 1
        })
        setTimeout(() => {
          response.destroy()
          resolve({ messages, longestSilenceMs })
        }, forMs)
        response.on('error', () => {})
      },
    )
    request.on('error', reject)
  })
}
