import { createRequire } from 'node:module'
import type { Transform } from 'node:stream'
import { parseArgs } from 'node:util'
import { JSONParser } from '@streamparser/json'
import { FrameReader } from '../../app/streams/frame-reader.ts'
import { quote } from '../../main/simulator/rules/payloads-market.ts'
import { heartbeat } from '../../main/simulator/rules/stream-frames.ts'
import { chanceFrom } from '../app/quota/chance.ts'

/**
 * Framing and classification of quote frames in random chunks, against the usual ways to do it.
 *
 * `node test/bench/streams-framing.ts [--megabytes 100] [--rounds 3] [--json]`. All three get the same bytes, in
 * slices by turns; time is what the thread computed. Exit 1 where a promise is missed.
 */
const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
})

const SLICE_BYTES = 4_000_000
const SYMBOLS = ['MSFT', 'AAPL', 'SPY', 'QQQ', 'NVDA', 'TSLA', 'AMZN', 'ESZ26', '$SPX.X', 'EURUSD']
const LEAST_RATIOS = { split2: 5, streamparser: 25 } as const

interface Counted {
  frames: number
  heartbeats: number
}
interface Contestant {
  readonly name: string
  take(chunks: readonly Uint8Array[]): Promise<void> | void
  readonly counted: Counted
}

function headroom(): Contestant {
  const decoder = new TextDecoder()
  const reader = new FrameReader((bytes) => decoder.decode(bytes))
  const counted = { frames: 0, heartbeats: 0 }
  return {
    name: 'headroom',
    counted,
    take: (chunks) => {
      for (const chunk of chunks) {
        const { count, notable } = reader.push(chunk)
        counted.frames += count
        for (const { kind } of notable) counted.heartbeats += kind === 'heartbeat' ? 1 : 0
      }
    },
  }
}

function split2AndParse(): Contestant {
  const split2 = createRequire(import.meta.url)('split2') as (map: (line: string) => unknown) => Transform
  const counted = { frames: 0, heartbeats: 0 }
  const lines = split2(JSON.parse)
  lines.on('data', (value: object) => count(counted, value))
  return {
    name: 'split2',
    counted,
    take: async (chunks) => {
      for (const chunk of chunks) lines.write(chunk)
      // Its turn ends when the last of it is through, not when it is queued.
      await new Promise<void>((through) => lines.write('', () => through()))
    },
  }
}

function streamParser(): Contestant {
  const counted = { frames: 0, heartbeats: 0 }
  const parser = new JSONParser({ separator: '', paths: ['$'] })
  parser.onValue = ({ value }) => count(counted, value as object)
  return {
    name: 'streamparser',
    counted,
    take: (chunks) => {
      for (const chunk of chunks) parser.write(chunk)
    },
  }
}

function count(counted: Counted, value: object): void {
  counted.frames += 1
  if ('Heartbeat' in value) counted.heartbeats += 1
}

/** About `bytes` of quote frames, with a heartbeat now and then. */
function quoteFrames(bytes: number): { readonly all: Buffer; readonly expected: Counted } {
  const expected = { frames: 0, heartbeats: 0 }
  const lines: Buffer[] = []
  let length = 0
  for (let atMs = Date.UTC(2026, 0, 5, 14, 30); length < bytes; atMs += 37) {
    const isHeartbeat = expected.frames % 250 === 249
    const symbol = SYMBOLS[expected.frames % SYMBOLS.length] ?? 'MSFT'
    const payload = isHeartbeat ? heartbeat(expected.heartbeats + 1, atMs) : quote(1, symbol, atMs)
    const line = Buffer.from(`${JSON.stringify(payload)}\r\n`)
    lines.push(line)
    length += line.length
    expected.frames += 1
    expected.heartbeats += isHeartbeat ? 1 : 0
  }
  return { all: Buffer.concat(lines), expected }
}

/** Pieces of 1 byte to 64 KiB, as a socket gives them, grouped into slices. */
function slicesOf(all: Buffer, chance: () => number): Buffer[][] {
  const slices: Buffer[][] = [[]]
  let inSlice = 0
  for (let at = 0; at < all.length; ) {
    const size = 1 + Math.floor(chance() * 65_536)
    slices.at(-1)?.push(all.subarray(at, at + size))
    at += size
    inSlice += size
    if (inSlice < SLICE_BYTES) continue
    slices.push([])
    inSlice = 0
  }
  return slices
}

async function roundOf(slices: Buffer[][], expected: Counted): Promise<Map<string, number>> {
  const contestants = [headroom(), split2AndParse(), streamParser()]
  const spentMs = new Map<string, number>()
  for (const [turn, slice] of slices.entries()) {
    // Whoever comes first finds the bytes cold.
    const first = turn % contestants.length
    for (const { name, take } of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      const from = threadMs()
      await take(slice)
      spentMs.set(name, (spentMs.get(name) ?? 0) + threadMs() - from)
    }
  }
  for (const { name, counted } of contestants) {
    if (counted.frames !== expected.frames || counted.heartbeats !== expected.heartbeats) {
      throw new Error(`${name} counted ${JSON.stringify(counted)}, not ${JSON.stringify(expected)}`)
    }
  }
  return spentMs
}

/** What this thread computed: what else the machine does meanwhile is not counted, nor are a parse's GC threads. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

const { all, expected } = quoteFrames(Number(values.megabytes) * 1e6)
const chance = chanceFrom(1)
const rounds: Map<string, number>[] = []
for (let round = 0; round < Number(values.rounds); round += 1) {
  rounds.push(await roundOf(slicesOf(all, chance), expected))
}

const rows = ['headroom', 'split2', 'streamparser'].map((name) => {
  const ms = rounds.map((round) => round.get(name) ?? Number.NaN)
  const ratio = median(rounds.map((round) => (round.get(name) ?? 0) / (round.get('headroom') ?? 1)))
  return {
    name,
    megabytesPerSecond: Math.round(all.length / 1e3 / median(ms)),
    timesHeadroom: Math.round(ratio * 10) / 10,
  }
})
if (values.json) console.log(JSON.stringify({ megabytes: all.length / 1e6, frames: expected.frames, rows }))
else console.table(rows)
const missed = rows.filter(
  ({ name, timesHeadroom }) => timesHeadroom < (LEAST_RATIOS[name as keyof typeof LEAST_RATIOS] ?? 0),
)
for (const { name, timesHeadroom } of missed) console.error(`only ${timesHeadroom} times as fast as ${name}`)
process.exitCode = missed.length > 0 ? 1 : 0
