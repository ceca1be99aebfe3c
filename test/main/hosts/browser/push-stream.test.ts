import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../../../app/contract/events.ts'
import {
  KEEP_ALIVE_MS,
  MAX_BUFFERED_BYTES,
  type PushSink,
  PushStream,
} from '../../../../main/hosts/browser/push-stream.ts'
import { SteppedClock } from '../../stepped-clock.ts'
import { snapshotOf } from './fake-windows.ts'

const HIGH_WATER_BYTES = 16_384

/** A response whose reader reads only on request. */
class UnreadSink extends EventEmitter {
  writableLength = 0
  destroyed = false
  writableEnded = false
  written: string[] = []

  write(line: string): boolean {
    this.written.push(line)
    this.writableLength += line.length
    return this.writableLength < HIGH_WATER_BYTES
  }

  end(): this {
    this.writableEnded = true
    this.emit('close')
    return this
  }

  destroy(): this {
    this.destroyed = true
    this.emit('close')
    return this
  }

  read(): void {
    this.writableLength = 0
    this.written = []
    this.emit('drain')
  }
}

function start() {
  const sink = new UnreadSink()
  const clock = new SteppedClock()
  let closed = 0
  const stream = new PushStream(sink as unknown as PushSink, clock, () => {
    closed += 1
  })
  return { sink, clock, stream, closed: () => closed }
}

const event = (seq: number): LoggedEvent => ({ kind: 'revoked', seq, at: 0, profile: 'p'.repeat(64) })

/** Fills what the kernel and Node buffer before they say that it is enough. */
function fill({ sink, stream }: ReturnType<typeof start>): void {
  for (let seq = 0; sink.writableLength < HIGH_WATER_BYTES; seq++) stream.pushes.eventHappened(event(seq))
}

describe('a window that does not read', () => {
  it('is queued only the latest snapshot of each profile', () => {
    const started = start()
    fill(started)
    const before = started.sink.written.length
    for (let revision = 1; revision <= 10_000; revision++)
      for (const id of ['p1', 'p2']) started.stream.pushes.snapshotChanged(snapshotOf(id, revision))
    expect(started.sink.written).toHaveLength(before)
    started.sink.read()
    expect(started.sink.written.map((line) => JSON.parse(line).value.revision)).toEqual([10_000, 10_000])
  })

  it('gets nothing about a profile that was removed meanwhile', () => {
    const started = start()
    fill(started)
    started.stream.pushes.snapshotChanged(snapshotOf('p1', 1))
    started.stream.pushes.profileRemoved({ profile: 'p1' })
    started.sink.read()
    expect(started.sink.written).toEqual([])
  })

  it('loses no event until too much is unread and its stream is cut', () => {
    const started = start()
    let sent = 0
    while (!started.sink.destroyed) started.stream.pushes.eventHappened(event(sent++))
    expect(started.sink.writableLength).toBeLessThanOrEqual(MAX_BUFFERED_BYTES)
    expect(started.sink.written.filter((line) => line !== '\n')).toHaveLength(sent - 1)
    expect(started.closed()).toBe(1)
    expect(started.clock.pending).toBe(0)
  })

  it('gets no extra blank lines', () => {
    const started = start()
    fill(started)
    const before = started.sink.written.length
    started.clock.advance(100 * KEEP_ALIVE_MS)
    expect(started.sink.written).toHaveLength(before)
  })

  it('continues where it was when it reads again', () => {
    const started = start()
    fill(started)
    started.sink.read()
    started.stream.pushes.snapshotChanged(snapshotOf('p1', 3))
    expect(started.sink.written).toHaveLength(1)
  })
})

describe('a push stream that ended', () => {
  it('sends nothing more and leaves no timer', () => {
    const started = start()
    started.stream.end()
    started.stream.end()
    const before = started.sink.written.length
    started.stream.pushes.eventHappened(event(1))
    expect(started.sink.written).toHaveLength(before)
    expect(started.clock.pending).toBe(0)
    expect(started.closed()).toBe(1)
  })

  it('leaves no timer while a stalled reader keeps its connection open', () => {
    const started = start()
    started.sink.end = () => started.sink
    started.stream.end()
    expect(started.closed()).toBe(0)
    expect(started.clock.pending).toBe(0)
  })
})
