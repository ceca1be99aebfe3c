import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OpenStream, type StreamTraits } from '../../../main/simulator/open-stream.ts'
import { type Frames, positionFrames, quoteFrames } from '../../../main/simulator/rules/stream-frames.ts'
import type { StreamPiece } from '../../../main/simulator/wire.ts'

const TRAITS: StreamTraits = {
  heartbeatMs: 5000,
  gapMs: 500,
  silent: () => false,
  split: () => false,
  chance: () => 0.5,
}

function opened(traits: Partial<StreamTraits> = {}, frames: Frames = positionFrames(1, ['SIM1001'])) {
  let closed = 0
  const place = { id: 's', category: 'Positions Stream', closed: () => void closed++ }
  return { stream: new OpenStream(place, frames, { ...TRAITS, ...traits }, 0), closed: () => closed }
}

/** Drives a stream from due time to due time, as a timer would. */
function drive(stream: OpenStream, untilMs: number): { atMs: number; piece: StreamPiece }[] {
  const seen: { atMs: number; piece: StreamPiece }[] = []
  for (;;) {
    const atMs = stream.nextDueMs()
    if (atMs === undefined || atMs > untilMs) return seen
    for (const piece of stream.take(atMs)) seen.push({ atMs, piece })
  }
}
const bytesOf = (seen: readonly { piece: StreamPiece }[]): Uint8Array =>
  Buffer.concat(seen.map(({ piece }) => (piece.kind === 'chunk' ? piece.bytes : new Uint8Array())))
const textOf = (seen: readonly { piece: StreamPiece }[]) =>
  new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(seen))
const linesOf = (seen: readonly { piece: StreamPiece }[]) => textOf(seen).trimEnd().split(/\r?\n/)

describe('frames', () => {
  test('the snapshot comes first and EndSnapshot ends it', () => {
    const { stream } = opened()
    const lines = linesOf(drive(stream, 0)).map((line) => JSON.parse(line))
    expect(lines.map(({ Symbol: name }) => name)).toEqual(['MSFT', 'AAPL', 'SPY', 'NVDA', undefined])
    expect(lines.at(-1)).toEqual({ StreamStatus: 'EndSnapshot' })
  })

  test('messages arrive at the stream rate', () => {
    const { stream } = opened()
    drive(stream, 0)
    expect(drive(stream, 10_000).map(({ atMs }) => atMs)).toEqual(
      Array.from({ length: 20 }, (_, i) => 500 * (i + 1)),
    )
  })

  test('one late poll returns the same frames as many punctual polls', () => {
    const [punctual, late] = [opened().stream, opened().stream]
    const pieces = late.take(8000).map((piece) => ({ piece }))
    expect(textOf(pieces)).toBe(textOf(drive(punctual, 8000)))
  })

  test('after a night of sleep, the messages of the night are not sent', () => {
    const { stream } = opened()
    drive(stream, 1000)
    expect(stream.take(8 * 3_600_000).length).toBeLessThan(5)
    expect(stream.nextDueMs()).toBe(8 * 3_600_000 + 500)
  })
})

describe('heartbeats', () => {
  test('are sent after each 5 seconds without data, counted', () => {
    const { stream } = opened({ gapMs: Number.POSITIVE_INFINITY })
    drive(stream, 0)
    const beats = drive(stream, 16_000)
    expect(beats.map(({ atMs }) => atMs)).toEqual([5000, 10_000, 15_000])
    expect(linesOf(beats).map((line) => JSON.parse(line))).toEqual([
      { Heartbeat: 1, Timestamp: '1970-01-01T00:00:05.000Z' },
      { Heartbeat: 2, Timestamp: '1970-01-01T00:00:10.000Z' },
      { Heartbeat: 3, Timestamp: '1970-01-01T00:00:15.000Z' },
    ])
  })

  test('are not sent while data arrives more often', () => {
    const { stream } = opened({ gapMs: 4000 })
    expect(textOf(drive(stream, 60_000))).not.toContain('Heartbeat')
  })

  test('keep a stream alive whose only symbol is unknown', () => {
    const { stream } = opened({}, quoteFrames(1, ['NOPE']))
    const lines = linesOf(drive(stream, 10_000)).map((line) => JSON.parse(line))
    expect(lines[0]).toEqual({ Symbol: 'NOPE', Error: 'FAILED, EX_INVALID_SYMBOL' })
    expect(lines.slice(1).map(({ Heartbeat }) => Heartbeat)).toEqual([1, 2])
  })
})

describe('endings', () => {
  test('the last line is sent, later the body ends and the slot is free', () => {
    const { stream, closed } = opened({ ending: { atMs: 1200, lastLine: 'END', lingerMs: 3000, how: 'end' } })
    const seen = drive(stream, 60_000)
    expect(linesOf(seen).at(-1)).toBe('END')
    expect(seen.at(-1)).toEqual({ atMs: 4200, piece: { kind: 'end' } })
    expect(closed()).toBe(1)
    expect(stream.nextDueMs()).toBeUndefined()
    stream.close()
    expect(closed()).toBe(1)
  })

  test('a reset happens inside a frame', () => {
    const { stream } = opened({ ending: { atMs: 1200, lingerMs: 0, how: 'reset' } })
    const seen = drive(stream, 60_000)
    expect(seen.at(-1)?.piece).toEqual({ kind: 'reset' })
    expect(textOf(seen).endsWith('\n')).toBe(false)
    expect(() => JSON.parse(linesOf(seen).at(-1) ?? '')).toThrow()
  })

  test('a reset happens inside the last frame even if chunks are split', () => {
    const { stream } = opened({ ending: { atMs: 505, lingerMs: 0, how: 'reset' }, split: () => true })
    const seen = drive(stream, 60_000)
    for (const line of linesOf(seen).slice(0, -1)) expect(() => JSON.parse(line)).not.toThrow()
    expect(textOf(seen).endsWith('\n')).toBe(false)
  })

  test('closing frees the slot at once, and nothing follows', () => {
    const { stream, closed } = opened()
    stream.close()
    expect(closed()).toBe(1)
    expect(drive(stream, 60_000)).toEqual([])
  })

  test('a cut from outside wakes the waiter for the next due time', () => {
    const { stream } = opened({ gapMs: Number.POSITIVE_INFINITY })
    drive(stream, 0)
    let moved = 0
    stream.whenMoved(() => void moved++)
    stream.cut({ atMs: 700, lingerMs: 0, how: 'end' })
    expect(moved).toBe(1)
    expect(drive(stream, 60_000)).toEqual([{ atMs: 700, piece: { kind: 'end' } }])
  })
})

describe('faults on the wire', () => {
  test('a silent stream sends nothing and does not end', () => {
    const { stream } = opened({ silent: () => true })
    expect(drive(stream, 60_000)).toEqual([])
    expect(stream.nextDueMs()).toBeDefined()
  })

  test('split chunks carry the same bytes as whole ones, wherever they end', () => {
    const whole = textOf(drive(opened({ ending: { atMs: 3000, lingerMs: 500, how: 'end' } }).stream, 60_000))
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1 }), (draws) => {
        let drawn = 0
        const chance = () => draws[drawn++ % draws.length] ?? 0
        const ending = { atMs: 3000, lingerMs: 500, how: 'end' } as const
        const seen = drive(opened({ split: () => true, chance, ending }).stream, 60_000)
        expect(textOf(seen)).toBe(whole)
      }),
      { numRuns: 30 },
    )
  })

  test('a split chunk does end inside a character', () => {
    const { stream } = opened({ split: () => true, chance: () => 0 })
    const broken = drive(stream, 20_000).some(({ piece }) => {
      return piece.kind === 'chunk' && (piece.bytes.at(-1) ?? 0) >= 0xc0
    })
    expect(broken).toBe(true)
  })
})
