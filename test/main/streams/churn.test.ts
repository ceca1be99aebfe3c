import { expect, test } from 'vitest'
import type { StreamRequest } from '../../../app/service/stream-kinds.ts'
import { chanceFrom } from '../../app/quota/chance.ts'
import { proves } from '../../proof/proves.ts'
import type { OpenedByTest } from '../scripted-http.ts'
import { bytes, RATE, SLOTS, setUp } from './scripted-streams.ts'

const KINDS: readonly StreamRequest[] = [
  { kind: 'positions', target: 'SIM1001', options: {} },
  { kind: 'depth', target: 'MSFT', options: {} },
  { kind: 'depth-aggregates', target: 'AAPL', options: {} },
  { kind: 'option-chains', target: 'SPY', options: {} },
]
const CATEGORY_OF_PATH: readonly (readonly [string, string])[] = [
  ['/positions', 'Positions Stream'],
  ['/marketdepth/', 'MarketDepth Stream'],
  ['/options/chains/', 'Option Chain Stream'],
]
const GO_AWAY = ['{"StreamStatus":"GoAway"}\n', '{"Error":"GoAway","Message":"bye"}\n'] as const
const LINES = ['{"Last":"1"}\n', '{"Heartbeat":1}\n', '{"StreamStatus":"EndSnapshot"}\n', '{"Symb']

test('after a day of churn no slot has leaked, and none was ever miscounted', async () => {
  let minutes = 0
  for (const seed of [1, 2, 3]) {
    const { clock, http, streams, slots } = setUp()
    const chance = chanceFrom(seed)
    const one = <T>(items: readonly T[]): T | undefined => items[Math.floor(chance() * items.length)]
    const ended = new Set<OpenedByTest>()
    const answered = new Set<OpenedByTest>()
    const alive = () => http.streams.filter((stream) => !stream.closed && !ended.has(stream))

    const end = (stream: OpenedByTest, why: string) => {
      ended.add(stream)
      stream.listener.ended(why)
    }
    const serve = (stream: OpenedByTest): void => {
      if (answered.has(stream)) {
        const dice = chance()
        if (dice < 0.1) end(stream, one(['ended by the service', 'connection lost']) ?? '')
        else if (dice < 0.2) stream.listener.chunk(bytes(one(GO_AWAY) ?? ''))
        else stream.listener.chunk(bytes(one(LINES) ?? ''))
        return
      }
      answered.add(stream)
      const dice = chance()
      if (dice < 0.6) {
        const remaining = String(Math.floor(chance() * 4))
        stream.listener.opened(200, { 'x-concurrency-limit': '4', 'x-concurrency-remaining': remaining })
      } else if (dice < 0.7) end(stream, 'timed out')
      else {
        stream.listener.opened(one([401, 404, 429, 429, 503]) ?? 503, { 'x-ratelimit-reset': '5' })
        stream.listener.chunk(bytes(one([SLOTS, RATE]) ?? ''))
        if (chance() < 0.7 && !stream.closed) end(stream, 'ended by the service')
      }
    }
    const act = (): void => {
      const id = one(streams.summaries())?.id ?? 's0'
      const dice = chance()
      if (dice < 0.5) streams.open(one(KINDS) ?? KINDS[0]!, chance() < 0.2 ? id : undefined)
      else if (dice < 0.7) streams.close(id)
      else if (dice < 0.78) streams.closeIn(id, 5)
      else if (dice < 0.8) streams.keep(id)
      else if (dice < 0.9) streams.restart(id)
      else if (dice < 0.95) streams.nudge()
      else {
        clock.sleep(chance() * 600_000)
        streams.wake()
      }
    }
    const look = (): void => {
      for (const row of slots.view()) {
        const ending = CATEGORY_OF_PATH.find(([, category]) => category === row.category)?.[0]
        const held = alive().filter(
          ({ request }) => ending !== undefined && request.url.includes(ending),
        ).length
        expect([row.category, row.own]).toEqual([row.category, Math.min(held, row.limit)])
        expect(row.own + row.elsewhere + row.free).toBe(row.limit)
        expect(Math.min(row.own, row.elsewhere, row.free)).toBeGreaterThanOrEqual(0)
      }
    }

    for (let minute = 0; minute < 1_440; minute += 1, minutes += 1) {
      act()
      for (const stream of alive()) serve(stream)
      look()
      await clock.advance(60_000 * chance())
      look()
      // Closed streams are not examined again.
      const kept = alive()
      http.streams.splice(0, http.streams.length, ...kept)
    }
    for (const { id } of streams.summaries()) streams.close(id)
    expect(alive()).toEqual([])
    expect(slots.view().map(({ own }) => own)).toEqual([0, 0, 0, 0, 0, 0])
    expect(clock.pending).toBe(0)
  }
  proves('S4', { level: 2, cases: minutes })
}, 60_000)
