import type { Duplex, Transform } from 'node:stream'
import { FrameReader } from '../../app/streams/frame-reader.ts'
import { quote } from '../../main/simulator/rules/payloads-market.ts'
import { heartbeat } from '../../main/simulator/rules/stream-frames.ts'
import { chanceFrom } from '../app/quota/chance.ts'
import { peer } from './peers.ts'
import { benchFlags, median, ratiosOf, round, tell } from './result.ts'

/**
 * Framing and classification of quote frames in random chunks, compared with the usual ways to do it: `node
 * test/bench/streams-framing.ts [--megabytes 50] [--rounds 3] [--json]`.
 *
 * All get the same bytes, in slices, one after the other. The time is the processor time of the thread. Exit
 * 1 if an aim is missed.
 */
const { megabytes, rounds: turns } = benchFlags({ megabytes: 50, rounds: 3 })

const SLICE_BYTES = 4_000_000
const SYMBOLS = ['MSFT', 'AAPL', 'SPY', 'QQQ', 'NVDA', 'TSLA', 'AMZN', 'ESZ26', '$SPX.X', 'EURUSD']
const OURS = 'headroom'
const MIN_RATIOS = { 'split2 + JSON.parse': 5, '@streamparser/json': 25 } as const

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
    name: OURS,
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

/** A stream of Node's that gives out one value for each frame. */
function streaming(
  name: string,
  parser: Duplex,
  inside: (item: unknown) => unknown = (item) => item,
): Contestant {
  const counted = { frames: 0, heartbeats: 0 }
  parser.on('data', (item: unknown) => count(counted, inside(item) as object))
  return {
    name,
    counted,
    take: async (chunks) => {
      for (const chunk of chunks)
        if (!parser.write(chunk)) await new Promise((resolve) => parser.once('drain', resolve))
      // The turn ends when the last byte has been processed, not when it is queued.
      await new Promise<void>((through) => parser.write('', () => through()))
    },
  }
}

const split2 = peer<(map: (line: string) => unknown) => Transform>('split2')
const ndjson = peer<{ readonly parse: () => Transform }>('ndjson')
const { JSONParser } = peer<{ readonly JSONParser: new (options: object) => TokenParser }>(
  '@streamparser/json',
)
const { default: jsonlParser } = peer<{ readonly default: { readonly asStream: () => Duplex } }>(
  'stream-json/jsonl/parser.js',
)
const { default: streamValues } = peer<{ readonly default: { readonly withParserAsStream: () => Duplex } }>(
  'stream-json/streamers/stream-values.js',
)
const valueIn = (item: unknown) => (item as { readonly value: unknown }).value

interface TokenParser {
  onValue: (parsed: { readonly value: unknown }) => void
  write(chunk: Uint8Array): void
}

function streamParser(): Contestant {
  const counted = { frames: 0, heartbeats: 0 }
  const parser = new JSONParser({ separator: '', paths: ['$'] })
  parser.onValue = ({ value }) => count(counted, value as object)
  return {
    name: '@streamparser/json',
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
  const contestants = [
    headroom(),
    streaming('split2 + JSON.parse', split2(JSON.parse)),
    streaming('ndjson', ndjson.parse()),
    streamParser(),
    streaming('stream-json, by lines', jsonlParser.asStream(), valueIn),
    streaming('stream-json, by tokens', streamValues.withParserAsStream(), valueIn),
  ]
  const spentMs = new Map<string, number>()
  for (const [turn, slice] of slices.entries()) {
    // The first contestant starts with cold caches, so the order rotates.
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

/**
 * The processor time of this thread. Other programs are not counted, nor are the threads of the garbage
 * collector.
 */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const { all, expected } = quoteFrames(megabytes * 1e6)
const chance = chanceFrom(1)
const rounds: Map<string, number>[] = []
for (let turn = 0; turn < turns; turn += 1) {
  rounds.push(await roundOf(slicesOf(all, chance), expected))
}

const megabytesPerSecond = Object.fromEntries(
  [...(rounds[0]?.keys() ?? [])].map((name) => {
    const ms = median(rounds.map((spent) => spent.get(name) ?? Number.NaN))
    return [name, round(all.length / 1e3 / ms)]
  }),
)
const { [OURS]: ours = Number.NaN, ...peers } = megabytesPerSecond
const measured = { better: 'more' as const, ours, peers }
const ratios = ratiosOf(measured)
tell({
  what: 'Stream frames split and classified',
  unit: 'MB a second of one core',
  ...measured,
  details: { frames: expected.frames, 'bytes a frame': Math.round(all.length / expected.frames) },
  aims: Object.entries(MIN_RATIOS).map(([name, least]) => ({
    what: `${least} times ${name}`,
    isMet: (ratios[name] ?? 0) >= least,
  })),
  how: `${Math.round(all.length / 1e6)} MB of quote frames with heartbeats among them, in pieces of 1 byte to 64 KiB; all get the same bytes by turns and have to count the same frames and heartbeats; median of ${rounds.length} rounds of the thread's own time. Headroom parses a frame in full only where its kind is in doubt, because it shows none of the data in it; the others make a value of each.`,
})
