import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameReader } from '../../../app/streams/frame-reader.ts'
import { MAX_FRAME_BYTES } from '../../../app/streams/framer.ts'
import { type Frame, frameOf } from '../../../app/streams/frames.ts'
import { proves } from '../../proof/proves.ts'
import { lawRuns } from '../../thorough.ts'
import { spelledJson } from './spelled-json.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const newReader = () => new FrameReader((bytes) => decoder.decode(bytes))

interface Read {
  readonly count: number
  readonly notable: readonly Frame[]
}

/**
 * Reads `bytes` in chunks of the given sizes, each at its own place in a larger buffer, as sockets give them.
 */
function readIn(bytes: Uint8Array, sizes: readonly number[], shift: number): Read {
  const reader = newReader()
  const notable: Frame[] = []
  let count = 0
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1
    const offset = (shift + turn) % 8
    const buffer = new Uint8Array(offset + size + 3).fill(0x22)
    const chunk = buffer.subarray(offset, offset + Math.min(size, bytes.length - at))
    chunk.set(bytes.subarray(at, at + size))
    const read = reader.push(chunk)
    count += read.count
    notable.push(...read.notable)
    buffer.fill(0x7a)
    at += size
  }
  return { count, notable }
}

/** The reference: every line of the whole text, parsed in full. */
function byFullParse(text: string): Read {
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.replace(/\r$/, ''))
    .filter(Boolean)
  return {
    count: lines.length,
    notable: lines.map((line) => frameOf(line)).filter(({ kind }) => kind !== 'data'),
  }
}

const key = fc.constantFrom(
  'StreamStatus',
  'Error',
  'Heartbeat',
  'Symbol',
  'Last',
  'Errors',
  'StreamStatu',
  'heartbeat',
  '__proto__',
)
const value = fc.oneof(
  fc.constantFrom<unknown>(
    'GoAway',
    'EndSnapshot',
    'DualLogon',
    'EX_INVALID_SYMBOL',
    '',
    'E',
    'Erro',
    '"Error"',
  ),
  fc.constantFrom<unknown>('é€😀', 7, null, true, { Error: 'DualLogon' }, ['StreamStatus'], { Heartbeat: 1 }),
)
const fields = fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 5 })
const turns = fc.array(fc.nat(100), { minLength: 5, maxLength: 5 })

const jsonLine = fc.tuple(fields, turns).map(([pairs, chances]) => spelledJson(pairs, chances))
const otherLine = fc.constantFrom(
  '',
  'END',
  'ERROR - A Timeout Occurred after waiting 15000ms',
  '[]',
  'Error',
  '{',
)
const lineEnd = fc.constantFrom('\n', '\r\n')
const text = fc
  .array(fc.tuple(fc.oneof({ weight: 4, arbitrary: jsonLine }, otherLine), lineEnd), { maxLength: 3 })
  .map((lines) => lines.flat().join(''))
const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 4 })

test('finds the same frames as a full parse, in any spelling and chunks', () => {
  const runs = lawRuns(100_000)
  fc.assert(
    fc.property(text, sizes, fc.nat(7), (whole, cuts, shift) => {
      const read = readIn(encoder.encode(whole), cuts, shift)
      const wanted = byFullParse(whole)
      if (JSON.stringify(read) !== JSON.stringify(wanted)) {
        expect.fail(`${whole} in ${cuts} is ${JSON.stringify(wanted)}, was read as ${JSON.stringify(read)}`)
      }
    }),
    { numRuns: runs },
  )
  proves('S1', { level: 2, cases: runs })
}, 60_000)

test('misses no key, wherever it is', () => {
  let places = 0
  for (const [name, said] of [
    ['"Heartbeat":1', 'heartbeat'],
    ['"StreamStatus":"GoAway"', 'going-away'],
    ['"Error":"GoAway"', 'going-away'],
    ['"Error":"x"', 'fatal'],
    ['"\\u0045rror":"x"', 'fatal'],
  ] as const) {
    for (let before = 0; before < 24; before += 1) {
      for (let shift = 0; shift < 8; shift += 1, places += 1) {
        const line = `{"A":"${'x'.repeat(before)}",${name}}\n`
        const { count, notable } = readIn(encoder.encode(`{}\n${line}{"Last":"1"}\n`), [10_000], shift)
        expect([count, notable.map(({ kind }) => kind)], `${line} at ${shift}`).toEqual([3, [said]])
      }
    }
  }
  proves('S1', { level: 2, cases: places })
})

test('meaningless bytes never hide a meaningful frame', () => {
  const runs = lawRuns(5_000)
  const around = fc
    .uint8Array({ maxLength: 40 })
    .map((bytes) => bytes.map((byte) => (byte === 0x0a ? 0x0b : byte)))
  fc.assert(
    fc.property(around, around, sizes, fc.nat(7), (before, after, cuts, shift) => {
      const lines = [before, encoder.encode('{"Heartbeat":1}'), after, encoder.encode('{"Error":"GoAway"}')]
      const bytes = Uint8Array.from(lines.flatMap((line) => [...line, 0x0a]))
      const kinds = readIn(bytes, cuts, shift).notable.map(({ kind }) => kind)
      expect(kinds.filter((kind) => kind === 'heartbeat' || kind === 'going-away')).toEqual([
        'heartbeat',
        'going-away',
      ])
    }),
    { numRuns: runs },
  )
  proves('S1', { level: 2, cases: runs })
})

test('a line over the cap is one empty frame, in one chunk and in many', () => {
  const long = `{"A":"${'x'.repeat(MAX_FRAME_BYTES)}"}\n{"Heartbeat":1}\n`
  for (const size of [4 * MAX_FRAME_BYTES, 65_536]) {
    expect(readIn(encoder.encode(long), [size], 0)).toEqual({
      count: 2,
      notable: [{ kind: 'noise' }, { kind: 'heartbeat' }],
    })
  }
})

test('the last line of an older stream counts once, without its line end', () => {
  const reader = newReader()
  reader.push(encoder.encode('{"Last":"1"}\r\nEN'))
  reader.push(encoder.encode('D'))
  expect(reader.end()).toEqual({ count: 1, notable: [{ kind: 'ended', text: 'END' }] })
  expect(reader.end()).toEqual({ count: 0, notable: [] })
})
