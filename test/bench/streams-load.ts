/**
 * What 40 + 10 + 10 own streams at 50 messages a second cost: `node test/bench/streams-load.ts [--seconds 20]
 * [--json]`.
 *
 * The whole monitor runs in this process, the service in one of its own. Aims: at most 15 % of one core, at
 * most 5 % of it for framing and classification, flat memory, nothing restarted. Exit 1 where one is missed.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { StreamRequest } from '../../app/service/stream-kinds.ts'
import { FrameReader } from '../../app/streams/frame-reader.ts'
import { Monitor } from '../../main/monitor/monitor.ts'
import { nodeHttp } from '../../main/network/http-client.ts'
import { nodeClock, nodeRandom } from '../../main/ports/node-clock.ts'
import { startSimulatorServer } from '../../main/simulator/server.ts'
import { heapMb } from '../collect-garbage.ts'
import { simulatedKey } from '../main/example-key.ts'
import { benchFlags, round, tell } from './result.ts'

const PER_SECOND = 50
const COUNTS = { positions: 40, depth: 10, options: 10 } as const
const ALL = COUNTS.positions + COUNTS.depth + COUNTS.options
const AIMS = { coreShare: 0.15, framingCoreShare: 0.05, growthMb: 8 } as const
const PROFILE = 'bench'
const SETTLE_MS = 8_000

if (process.send) await serve()
else await measure()

async function serve(): Promise<void> {
  const simulator = await startSimulatorServer({ streamRate: PER_SECOND })
  process.on('disconnect', () => void simulator.close())
  process.send?.({ origin: simulator.origin })
}

async function measure(): Promise<void> {
  const { seconds } = benchFlags({ seconds: 20 })
  const service = fork(import.meta.filename)
  const [{ origin }] = (await once(service, 'message')) as [{ origin: string }]
  const read = measuredReading()
  const monitor = startMonitor(origin)
  try {
    await until(() => live(monitor) === ALL, 30_000)
    // By then, snapshots have been sent, the code is optimised, and the buffers have their final size.
    await passed(SETTLE_MS)
    const heap = await heapMb()
    const before = { ...read, cpu: process.cpuUsage(), heap, atMs: performance.now() }
    await passed(seconds * 1000)
    const spent = process.cpuUsage(before.cpu)
    const elapsedMs = performance.now() - before.atMs
    const cpuMs = (spent.user + spent.system) / 1000
    const summaries = monitor.snapshot(PROFILE)?.streams ?? []
    const coreShare = cpuMs / elapsedMs
    const framingCoreShare = (read.spentMs - before.spentMs) / elapsedMs
    const growthMb = (await heapMb()) - before.heap
    const restarts = summaries.reduce((sum, one) => sum + one.restarts, 0)
    tell({
      what: `${ALL} live streams at ${PER_SECOND} messages a second each`,
      unit: 'per cent of one core',
      better: 'less',
      ours: round(100 * coreShare),
      details: {
        'frames a second': Math.round(((read.frames - before.frames) / elapsedMs) * 1000),
        'kB a second': Math.round((read.bytes - before.bytes) / elapsedMs),
        'framing and classifying, per cent of one core': round(100 * framingCoreShare),
        'heap grown, MB': round(growthMb),
        restarts: restarts,
      },
      aims: [
        { what: 'every stream live, none restarted', isMet: live(monitor) === ALL && restarts === 0 },
        { what: `at most ${100 * AIMS.coreShare} % of one core`, isMet: coreShare <= AIMS.coreShare },
        {
          what: `at most ${100 * AIMS.framingCoreShare} % for framing`,
          isMet: framingCoreShare <= AIMS.framingCoreShare,
        },
        { what: `at most ${AIMS.growthMb} MB of heap more`, isMet: growthMb <= AIMS.growthMb },
      ],
      how: `The whole monitor in this process, the service in one of its own; ${COUNTS.positions} streams of positions, ${COUNTS.depth} of depth, ${COUNTS.options} of options, measured for ${seconds} s after ${SETTLE_MS / 1000} s.`,
    })
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
  monitor.connect(simulatedKey(origin, { id: PROFILE, streams: requests() }))
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
