import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Framer, MAX_FRAME_BYTES } from '../../../app/streams/framer.ts'
import { proves } from '../../proof/proves.ts'
import { lawRuns } from '../../thorough.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

interface Cut {
  readonly lines: readonly string[]
  readonly dropped: number
  readonly rest: string | undefined
}

function cutIn(chunks: readonly Uint8Array[]): Cut {
  const framer = new Framer()
  const lines: string[] = []
  let dropped = 0
  for (const chunk of chunks) {
    // A socket overwrites its buffer as soon as the chunk has been handled.
    const buffer = chunk.slice()
    const framed = framer.push(buffer)
    lines.push(...framed.lines.map((line) => decoder.decode(line)))
    dropped += framed.dropped
    buffer.fill(0x7a)
  }
  const rest = framer.end()
  return { lines, dropped, rest: rest && decoder.decode(rest) }
}

function chunksOf(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1
    chunks.push(bytes.subarray(at, at + size))
    at += Math.max(1, size)
    if (size === 0) at -= 1
  }
  return chunks
}

/** The lines as found by a reader that has all bytes at once. */
function allAtOnce(text: string): Pick<Cut, 'lines' | 'rest'> {
  const pieces = text.split('\n').map((piece) => piece.replace(/\r$/, ''))
  const rest = pieces.pop()
  return { lines: pieces.filter(Boolean), rest: rest || undefined }
}

test('any chunking of the same bytes gives the same frames, even inside UTF-8 and line ends', () => {
  const runs = lawRuns(100_000)
  const piece = fc.constantFrom(
    '\n',
    '\r\n',
    '\r',
    '',
    'a',
    '{"Heartbeat":1}',
    'é',
    '€',
    '😀',
    '中',
    '\u2028',
    ' ',
  )
  const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''))
  const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(text, sizes, (whole, cuts) => {
      const cut = cutIn(chunksOf(encoder.encode(whole), cuts))
      const wanted = allAtOnce(whole)
      if (
        cut.dropped !== 0 ||
        cut.rest !== wanted.rest ||
        cut.lines.length !== wanted.lines.length ||
        cut.lines.some((line, index) => line !== wanted.lines[index])
      ) {
        expect.fail(`${JSON.stringify(whole)} in ${cuts} became ${JSON.stringify(cut)}`)
      }
    }),
    { numRuns: runs },
  )
  proves('S1', { level: 2, cases: runs })
})

test('any split of two frames gives the same two frames', () => {
  const bytes = encoder.encode('{"Symbol":"é€😀"}\r\n{"Heartbeat":1}\n')
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(cutIn([bytes.subarray(0, at), bytes.subarray(at)])).toEqual({
      lines: ['{"Symbol":"é€😀"}', '{"Heartbeat":1}'],
      dropped: 0,
      rest: undefined,
    })
  }
  proves('S1', { level: 2, cases: bytes.length + 1 })
})

test('empty chunks and empty lines are ignored', () => {
  const empty = new Uint8Array(0)
  expect(cutIn([empty, encoder.encode('\n\r\n\n'), empty])).toEqual({
    lines: [],
    dropped: 0,
    rest: undefined,
  })
})

test('a line of exactly the cap is a frame; one byte more is dropped, and the next line is read', () => {
  const sizes = [1 << 16, MAX_FRAME_BYTES, MAX_FRAME_BYTES * 3, 65_537]
  for (const size of sizes) {
    for (const [length, isFrame] of [
      [MAX_FRAME_BYTES, true],
      [MAX_FRAME_BYTES + 1, false],
      [MAX_FRAME_BYTES * 2, false],
    ] as const) {
      const bytes = encoder.encode(`first\n${'x'.repeat(length)}\nlast\n`)
      const { lines, dropped } = cutIn(chunksOf(bytes, [size]))
      expect(lines.map((line) => line.length)).toEqual(isFrame ? [5, length, 4] : [5, 4])
      expect(dropped).toBe(isFrame ? 0 : 1)
    }
  }
})

test('an endless line uses no more memory than the cap, and a stream may end inside it', () => {
  const framer = new Framer()
  const chunk = new Uint8Array(65_536).fill(0x61)
  const before = process.memoryUsage().arrayBuffers
  for (let pushed = 0; pushed < 2_000; pushed += 1) {
    expect(framer.push(chunk)).toEqual({ lines: [], dropped: 0 })
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * MAX_FRAME_BYTES)
  expect(framer.end()).toBeUndefined()
  expect(framer.push(encoder.encode('a\n')).lines).toHaveLength(1)
})

test('a line that trickles in byte by byte stays in one piece', () => {
  const framer = new Framer()
  const one = Uint8Array.of(0x61)
  for (let pushed = 0; pushed < 300_000; pushed += 1) framer.push(one)
  expect(framer.push(Uint8Array.of(0x0a)).lines[0]).toHaveLength(300_000)
})

test('a remainder without a line end is returned at the end, once', () => {
  const framer = new Framer()
  framer.push(encoder.encode('a\nEND\r'))
  expect(decoder.decode(framer.end())).toBe('END')
  expect(framer.end()).toBeUndefined()
})
