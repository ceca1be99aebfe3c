import { get as httpGet, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { levelOf } from '../../../app/gateway/bucket-queue.ts'
import { TRY_EVERY_MS } from '../../../main/streams/stream-outage.ts'
import { PATIENT } from '../../patient.ts'
import { proves } from '../../proof/proves.ts'
import { SkippingClock } from '../skipping-clock.ts'
import { DEPTH_QUOTA, type DepthService, startDepthService, type Weather } from './depth-service.ts'
import { type StartedGateway, startGateway } from './started-gateway.ts'

const SYMBOLS = ['MSFT', 'AAPL', 'NVDA', 'AMZN', 'TSLA', 'META']
const OUTAGE_MS = 32_000
const STEP_MS = 100
/** Time over which the openings of the other streams are spread. */
const SPREAD_MS = 500
/** A machine under load: the clock advances while a request is in flight. */
const SLOWNESS_MS = 2_000
/** Requests that normal programs leave to critical ones. */
const RESERVE = levelOf('normal', DEPTH_QUOTA.limit) - 1

/** One program's reading of market depth. */
interface Reading {
  text: string
  hasEnded: boolean
  frames: number
}

function read({ url }: StartedGateway, symbol: string, key: string): Reading {
  const reading: Reading = { text: '', hasEnded: false, frames: 0 }
  const path = `${url}/v3/marketdata/stream/marketdepth/quotes/${symbol}`
  const outgoing = httpGet(
    path,
    { headers: { authorization: `Bearer ${key}` } },
    (answer: IncomingMessage) => {
      answer.setEncoding('utf8')
      answer.on('data', (text: string) => {
        reading.text += text
        reading.frames = reading.text.split('"Bids"').length - 1
      })
      answer.on('close', () => {
        reading.hasEnded = true
      })
      answer.on('error', () => {})
    },
  )
  outgoing.on('error', () => {})
  onTestFinished(() => void outgoing.destroy())
  return reading
}

/** A gateway whose six streams of market depth each have a reader. */
async function sixStreams() {
  const clock = new SkippingClock()
  const service = await startDepthService(clock)
  const gateway = await startGateway({ clock, profile: { baseUrl: service.origin } })
  const readings = SYMBOLS.map((symbol) => read(gateway, symbol, gateway.add(`bot-${symbol}`)))
  await vi.waitFor(() => {
    for (const { frames } of readings) expect(frames).toBeGreaterThan(0)
  }, PATIENT)
  /** Time passes in small steps, and the sockets are served between them. */
  const pass = async (ms: number) => {
    const untilMs = clock.monotonicMs() + ms
    while (clock.monotonicMs() < untilMs) {
      clock.skip(STEP_MS)
      await (await fetch(`${gateway.url}/headroom/health`)).arrayBuffer()
    }
  }
  /** Time until each reader has received another frame, in milliseconds of the clock. */
  const untilHeard = async () => {
    const before = readings.map(({ frames }) => frames)
    const fromMs = clock.monotonicMs()
    while (readings.some(({ frames, hasEnded }, at) => frames === before[at] && !hasEnded)) {
      if (clock.monotonicMs() - fromMs > 90_000) break
      await pass(STEP_MS)
    }
    return clock.monotonicMs() - fromMs
  }
  const expectAllThere = () => {
    for (const { hasEnded, text } of readings) {
      expect(hasEnded).toBe(false)
      expect(text).not.toContain('GoAway')
    }
  }
  return { clock, service, gateway, readings, pass, untilHeard, expectAllThere }
}

const spacingOf = ({ triedAtMs }: DepthService) =>
  Math.min(...triedAtMs.slice(1).map((atMs, at) => atMs - triedAtMs[at]!))

test.each<Weather>(['503', 'reset', 'refusing'])(
  'during an outage (%s) of half a minute one stream tries, the others follow, and the quota stays',
  async (weather) => {
    const { service, pass, untilHeard, expectAllThere } = await sixStreams()
    await service.turn(weather)
    await pass(OUTAGE_MS)
    // While no server listens, no attempts can be counted.
    if (weather !== 'refusing') {
      expect(service.triedAtMs.length).toBeGreaterThan(4)
      expect(spacingOf(service)).toBeGreaterThan(TRY_EVERY_MS - SLOWNESS_MS)
    }
    await service.turn('fair')
    // The limit is the time until the next attempt, plus the spread of the other streams.
    expect(await untilHeard()).toBeLessThan(TRY_EVERY_MS + SPREAD_MS + SLOWNESS_MS)
    expectAllThere()
    expect(service.lowest).toBeGreaterThanOrEqual(RESERVE)
    expect(service.rejected).toBe(0)
    proves(['G9', 'G11'], { level: 3, cases: 1 })
  },
)

test('a stream that the service cuts reopens within the reserve', async () => {
  const { service, clock, untilHeard, expectAllThere } = await sixStreams()
  clock.skip(DEPTH_QUOTA.periodMs)
  await service.turn('fair')
  service.spend(service.level - (RESERVE + 1))
  service.cut()
  // The level suffices for the first stream. The other five need one more request each, which refills in two
  // seconds.
  expect(await untilHeard()).toBeLessThan((2 * DEPTH_QUOTA.periodMs) / 10 + TRY_EVERY_MS)
  expectAllThere()
  expect(service.rejected).toBe(0)
  expect(service.lowest).toBeGreaterThan(RESERVE - 0.1)
})

test('a 429 is not waited out: streams reopen as the level allows, and no reader is dropped', async () => {
  const { service, clock, untilHeard, expectAllThere } = await sixStreams()
  clock.skip(DEPTH_QUOTA.periodMs)
  await service.turn('fair')
  service.spend(service.level - 0.5)
  service.cut()
  expect(await untilHeard()).toBeLessThan(DEPTH_QUOTA.periodMs / 2)
  expect(service.rejected).toBe(1)
  expectAllThere()
  proves('G11', { level: 3, cases: 1 })
})
