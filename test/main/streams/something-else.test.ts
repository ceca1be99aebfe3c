import { expect, test } from 'vitest'
import type { HttpHeaders } from '../../../app/service/headers.ts'
import { POSITIONS, setUp } from './scripted-streams.ts'

const PAGE = '<!DOCTYPE html><title>Hotel network: sign in</title>'
const WORDS = 'response from something else, such as a network’s sign-in page'
const REDIRECTED = 'redirected to another host (portal.test); not followed'

type Answer = readonly [what: string, status: number, headers: HttpHeaders, why: string]
const ANSWERS: readonly Answer[] = [
  ['a page', 200, { 'content-type': 'text/html; charset=utf-8' }, WORDS],
  ['a page that does not say it is one', 200, {}, WORDS],
  ['a page that reads plain text', 200, { 'content-type': 'text/plain' }, WORDS],
  ['a redirect to another host', 302, { location: 'http://portal.test/?from=api' }, REDIRECTED],
]

test.each(ANSWERS)(
  '%s opens nothing, uses no slot and is retried later',
  async (_what, status, headers, why) => {
    const { clock, http, summary, own, service, open, kinds, reached } = setUp()
    await open()
    const answer = () => {
      const { listener, closed } = http.streams.at(-1)!
      if (closed) return
      listener.opened(status, headers)
      if (!http.streams.at(-1)!.closed) service.says(PAGE)
    }
    answer()
    expect(summary()).toMatchObject({ state: 'waiting', reason: why, reasonCode: 'not-the-service' })
    expect([http.streams[0]?.closed, own('Positions Stream')]).toEqual([true, 0])
    const waits: number[] = []
    for (let count = 0; count < 8; count += 1) {
      const from = clock.monotonicMs()
      const asked = http.streams.length
      while (http.streams.length === asked) await clock.advance(10)
      waits.push(clock.monotonicMs() - from)
      answer()
    }
    // The waits are the same as for an unreachable service.
    expect(waits).toEqual([250, 5_040, 5_060, 5_080, 5_100, 8_000, 15_000, 15_000])
    expect(kinds()).toEqual([])
    expect(new Set(reached)).toEqual(new Set([false]))
  },
)

test('an unidentified response opens a stream with its first frame', async () => {
  const { summary, service, open, reached, kinds } = setUp()
  await open()
  service.opens({})
  expect([summary().state, reached]).toEqual(['opening', []])
  service.says('\r\n')
  service.says('{"PositionID":"1"}\n{"StreamStatus":"EndSnap')
  service.says('shot"}\n')
  expect([summary().state, reached, kinds()]).toEqual(['live', [true], ['stream-opened']])
})

test('a silent one counts as open after a heartbeat’s time, and closing it hangs up', async () => {
  const { clock, http, streams, summary, service, open, reached, own } = setUp()
  await open()
  service.opens({})
  await clock.advance(5_900)
  expect(summary().state).toBe('opening')
  await clock.advance(200)
  expect([summary().state, reached]).toEqual(['snapshot', [true]])
  await open({ ...POSITIONS, target: 'SIM1002' })
  service.opens({})
  streams.stop()
  expect(http.streams.map(({ closed }) => closed)).toEqual([true, true])
  expect([own('Positions Stream'), clock.pending]).toEqual([0, 0])
})

test('a response that ends before any data was no stream', async () => {
  const { summary, service, open, own, kinds } = setUp()
  await open()
  service.opens({})
  service.ends('ended by the service')
  expect(summary()).toMatchObject({ state: 'waiting', reason: 'ended by the service' })
  expect([own('Positions Stream'), kinds()]).toEqual([0, []])
})
