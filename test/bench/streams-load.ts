/**
 * What 40 + 10 + 10 own streams at 50 messages a second cost: `node test/bench/streams-load.ts [--seconds 20] [--json]`.
 *
 * The whole monitor runs in this process, the service in one of its own. Aims: at most 15 % of one core, at most
 * 5 % of it for framing and classification, flat memory, nothing restarted. Exit 1 where one is missed.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { StreamRequest } from '../../app/service/streams.ts'
import { FrameReader } from '../../app/streams/frame-reader.ts'
import { Monitor } from '../../main/monitor.ts'
import { nodeClock, nodeRandom } from '../../main/ports/node-clock.ts'
import { nodeHttp } from '../../main/ports/node-http.ts'
import { startSimulator } from '../../main/simulator/server.ts'

const PER_SECOND = 50
const COUNTS = { positions: 40, depth: 10, options: 10 } as const
const ALL = COUNTS.positions + COUNTS.depth + COUNTS.options
const AIMS = { coreShare: 0.15, framingCoreShare: 0.05, growthMb: 8 } as const
const PROFILE = 'bench'
const SETTLE_MS = 8_000

if (process.send) await serve()
else await measure()

async function serve(): Promise<void> {
  const simulator = await startSimulator({ streamRate: PER_SECOND })
  process.on('disconnect', () => void simulator.close())
  process.send?.({ origin: simulator.origin })
}

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '20' }, json: { type: 'boolean', default: false } },
  })
  const service = fork(import.meta.filename)
  const [{ origin }] = (await once(service, 'message')) as [{ origin: string }]
  const read = measuredReading()
  const monitor = startMonitor(origin)
  try {
    await until(() => live(monitor) === ALL, 30_000)
    // Snapshots told, code optimised, buffers at their size.
    await passed(SETTLE_MS)
    const before = { ...read, cpu: process.cpuUsage(), heap: heapMb(), atMs: performance.now() }
    await passed(Number(values.seconds) * 1000)
    const spent = process.cpuUsage(before.cpu)
    const elapsedMs = performance.now() - before.atMs
    const cpuMs = (spent.user + spent.system) / 1000
    const summaries = monitor.snapshot(PROFILE)?.streams ?? []
    const result = {
      machine: `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, Node ${process.versions.node}`,
      streams: live(monitor),
      framesPerSecond: Math.round(((read.frames - before.frames) / elapsedMs) * 1000),
      megabytesPerSecond: Math.round((read.bytes - before.bytes) / elapsedMs) / 1000,
      coreShare: round(cpuMs / elapsedMs),
      framingCoreShare: round((read.spentMs - before.spentMs) / elapsedMs),
      /** Wall time, so with whatever else the machine did meanwhile, and with the measuring itself. */
      framingOfUse: round((read.spentMs - before.spentMs) / cpuMs),
      heapMb: { before: round(before.heap), after: round(heapMb()) },
      restarts: summaries.reduce((sum, { restarts }) => sum + restarts, 0),
    }
    process.stdout.write(`${JSON.stringify(result, undefined, values.json ? undefined : 2)}\n`)
    const isMet =
      result.streams === ALL &&
      result.restarts === 0 &&
      result.coreShare <= AIMS.coreShare &&
      result.framingCoreShare <= AIMS.framingCoreShare &&
      result.heapMb.after - result.heapMb.before <= AIMS.growthMb
    process.exitCode = isMet ? 0 : 1
  } finally {
    monitor.stop()
    service.disconnect()
  }
}

function startMonitor(origin: string): Monitor {
  const monitor = new Monitor({
    clock: nodeClock,
    random: nodeRandom,
    http: nodeHttp({}),
    log: { note: () => {} },
  })
  monitor.connect({
    id: PROFILE,
    name: 'Bench',
    environment: 'custom',
    authUrl: origin,
    baseUrl: origin,
    clientId: 'sim-key',
    refreshToken: 'sim-refresh',
    probes: { budgetFraction: 0, everySeconds: {} },
    streams: requests(),
  })
  return monitor
}

function requests(): readonly StreamRequest[] {
  const many = (count: number, request: StreamRequest) => Array.from({ length: count }, () => request)
  return [
    ...many(COUNTS.positions, { kind: 'positions', target: 'SIM1001', options: {} }),
    ...many(COUNTS.depth, { kind: 'depth', target: 'MSFT', options: {} }),
    ...many(COUNTS.options, { kind: 'option-quotes', target: 'MSFT 261218C400', options: {} }),
  ]
}

/** Counts what goes through every reader, and the time it takes there. */
function measuredReading() {
  const read = { frames: 0, bytes: 0, spentMs: 0 }
  const push = FrameReader.prototype.push
  FrameReader.prototype.push = function (chunk) {
    const from = performance.now()
    const frames = push.call(this, chunk)
    read.spentMs += performance.now() - from
    read.frames += frames.count
    read.bytes += chunk.length
    return frames
  }
  return read
}

function live(monitor: Monitor): number {
  return monitor.snapshot(PROFILE)?.streams.filter(({ state }) => state === 'live').length ?? 0
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => nodeClock.after(ms, resolve))
}

async function until(isTrue: () => boolean, withinMs: number): Promise<void> {
  const from = performance.now()
  while (!isTrue()) {
    if (performance.now() - from > withinMs) throw new Error('the streams did not all come to life')
    await passed(50)
  }
}

/** What is left after a collection. */
function heapMb(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed / 1e6
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
