import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PeerClock } from '../../../app/desk/peer-clock.ts'
import { MAX_CLOCK_ERROR } from '../../../app/quota/window-model.ts'

/**
 * This machine's clock and a peer's clock, each as a function of the true time. They started at different
 * times, and may drift.
 */
interface TwoClocks {
  readonly own: (worldMs: number) => number
  readonly peers: (worldMs: number) => number
}

const clocks = (offsetMs: number, ownPpm: number, peerPpm: number): TwoClocks => ({
  own: (worldMs) => 5_000 + worldMs * (1 + ownPpm / 1e6),
  peers: (worldMs) => 5_000 - offsetMs + worldMs * (1 + peerPpm / 1e6),
})

/** A message that the peer sends at the true time `atMs`, and that is received `delayMs` later. */
function receive(clock: PeerClock, { own, peers }: TwoClocks, atMs: number, delayMs: number) {
  const [peerSentMs, nowMs] = [peers(atMs), own(atMs + delayMs)]
  clock.received(peerSentMs, nowMs)
  return { range: clock.sentAt(peerSentMs, nowMs), truthMs: own(atMs), peerSentMs, nowMs }
}

/**
 * Sends a message to the peer and receives its confirmation. The message takes `thereMs`, the peer waits
 * `holdMs`, and the confirmation takes `backMs`.
 */
function exchange(
  clock: PeerClock,
  both: TwoClocks,
  atMs: number,
  { thereMs, holdMs = 0, backMs }: { thereMs: number; holdMs?: number; backMs: number },
) {
  const answer = receive(clock, both, atMs + thereMs + holdMs, backMs)
  clock.confirmed(both.own(atMs), both.peers(atMs + thereMs), answer)
}

const contains = ({ fromMs, toMs }: { fromMs: number; toMs: number }, truthMs: number) =>
  fromMs <= truthMs + 0.001 && truthMs <= toMs + 0.001

describe('the clock of a peer', () => {
  it('dates a message by the round trip, whatever the two clocks show', () => {
    const both = clocks(86_400_000, 0, 0)
    const clock = new PeerClock()
    exchange(clock, both, 0, { thereMs: 3, backMs: 5 })
    const { range, truthMs } = receive(clock, both, 100, 5)
    expect(contains(range, truthMs)).toBe(true)
    expect(range.toMs - range.fromMs).toBeLessThan(9)
  })

  it('does not take a message for fresh that was held up by a freeze', () => {
    const both = clocks(1_234, 0, 0)
    const clock = new PeerClock()
    exchange(clock, both, 0, { thereMs: 1, backMs: 1 })
    const { range, truthMs, nowMs } = receive(clock, both, 1_000, 30_000)
    expect(contains(range, truthMs)).toBe(true)
    expect(nowMs - range.toMs).toBeGreaterThan(29_900)
  })

  it('learns from the fastest message, not from the last one', () => {
    const both = clocks(0, 0, 0)
    const clock = new PeerClock()
    exchange(clock, both, 0, { thereMs: 400, backMs: 400 })
    exchange(clock, both, 1_000, { thereMs: 2, backMs: 2 })
    exchange(clock, both, 2_000, { thereMs: 900, backMs: 900 })
    const { range } = receive(clock, both, 3_000, 900)
    expect(range.toMs - range.fromMs).toBeLessThan(12)
  })

  it('is uncertain by a minute before anything was confirmed', () => {
    const both = clocks(777, 0, 0)
    const clock = new PeerClock()
    const { range, truthMs } = receive(clock, both, 10, 4)
    expect(contains(range, truthMs)).toBe(true)
    expect(range.toMs - range.fromMs).toBeGreaterThanOrEqual(60_000)
  })

  it('recovers when the peer slept and its clock stood still', () => {
    const before = clocks(0, 0, 0)
    const after = clocks(3_600_000, 0, 0)
    const clock = new PeerClock()
    exchange(clock, before, 0, { thereMs: 1, backMs: 1 })
    // Until the next confirmation its messages look an hour old: not fresh.
    const first = receive(clock, after, 3_600_100, 1)
    expect(first.nowMs - first.range.toMs).toBeGreaterThan(3_500_000)
    exchange(clock, after, 3_600_200, { thereMs: 1, backMs: 1 })
    const second = receive(clock, after, 3_600_300, 1)
    expect(contains(second.range, second.truthMs)).toBe(true)
    expect(second.range.toMs - second.range.fromMs).toBeLessThan(5)
  })

  it('recovers when this machine slept and its clock stood still', () => {
    const before = clocks(0, 0, 0)
    const after = clocks(-3_600_000, 0, 0)
    const clock = new PeerClock()
    exchange(clock, before, 0, { thereMs: 1, backMs: 1 })
    const first = receive(clock, after, 3_600_100, 1)
    expect(contains(first.range, first.truthMs)).toBe(true)
    // What was sent before the sleep proves nothing any more.
    clock.confirmed(before.own(0), before.peers(1), first)
    const again = clock.sentAt(first.peerSentMs, first.nowMs)
    expect(again.toMs - again.fromMs).toBeGreaterThanOrEqual(60_000)
    exchange(clock, after, 3_600_200, { thereMs: 1, backMs: 1 })
    const second = receive(clock, after, 3_600_300, 1)
    expect(contains(second.range, second.truthMs)).toBe(true)
    expect(second.range.toMs - second.range.fromMs).toBeLessThan(5)
  })

  it('contains the true sending time through a day of drift, delays, spikes and freezes', () => {
    const delay = fc.oneof(
      { weight: 8, arbitrary: fc.double({ min: 0, max: 20, noNaN: true }) },
      { weight: 2, arbitrary: fc.double({ min: 20, max: 2_000, noNaN: true }) },
      { weight: 1, arbitrary: fc.double({ min: 2_000, max: 120_000, noNaN: true }) },
    )
    const step = fc.record({
      waitMs: fc.double({ min: 0, max: 3_600_000, noNaN: true }),
      isExchange: fc.boolean(),
      thereMs: delay,
      holdMs: delay,
      backMs: delay,
    })
    const mostPpm = MAX_CLOCK_ERROR * 1e6
    const drift = fc.double({ min: -mostPpm, max: mostPpm, noNaN: true })
    fc.assert(
      fc.property(
        fc.double({ min: -1e9, max: 1e9, noNaN: true }),
        drift,
        drift,
        fc.array(step, { minLength: 1, maxLength: 60 }),
        (offsetMs, ownPpm, peerPpm, steps) => {
          const both = clocks(offsetMs, ownPpm, peerPpm)
          const clock = new PeerClock()
          // A member is believed after a first exchange.
          exchange(clock, both, 0, { thereMs: 500, backMs: 500 })
          let atMs = 1_000
          for (const { waitMs, isExchange, thereMs, holdMs, backMs } of steps) {
            atMs += waitMs
            if (isExchange) exchange(clock, both, atMs, { thereMs, holdMs, backMs })
            else {
              const { range, truthMs, nowMs } = receive(clock, both, atMs, backMs)
              if (!contains(range, truthMs) || range.toMs > nowMs) return false
            }
            atMs += thereMs + holdMs + backMs
          }
          return true
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('is certain to within the round trip and a few milliseconds while messages flow', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 50, noNaN: true }),
        fc.double({ min: 0, max: 50, noNaN: true }),
        fc.double({ min: -100, max: 100, noNaN: true }),
        (thereMs, backMs, peerPpm) => {
          const both = clocks(0, 0, peerPpm)
          const clock = new PeerClock()
          for (let atMs = 0; atMs < 120_000; atMs += 1_000) exchange(clock, both, atMs, { thereMs, backMs })
          const { range } = receive(clock, both, 120_500, backMs)
          expect(range.toMs - range.fromMs).toBeLessThan(thereMs + backMs + 4)
        },
      ),
      { numRuns: 50 },
    )
  })
})
