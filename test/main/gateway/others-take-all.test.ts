import { setImmediate as settled } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { ProgramClass } from '../../../app/contract/programs.ts'
import { SkippingClock } from '../skipping-clock.ts'
import { startGateway } from './started-gateway.ts'

const STRIKES = 'Option Strikes'
/** The quota of 90 a minute refills 1.5 requests a second. Normal programs leave 6 requests. */
const REFILL = 1.5
const STEP_MS = 250
const MINUTE_MS = 60_000

/** A gateway on a key with unseen programs, in skipped time. */
async function inStorm() {
  const clock = new SkippingClock()
  // The caller is known at once, because looking it up in files takes real time.
  const peer = () => ({ userId: process.getuid?.() ?? 0, inode: '' })
  const started = await startGateway({ clock, peer, simulator: { traffic: { [STRIKES]: 3 * REFILL } } })
  const { service, monitor, get, add } = started
  const asked: { readonly atMs: number; readonly answer: Promise<Response> }[] = []
  let open = 0
  let n = 0
  const ask = (key: string, wait: number) => {
    open += 1
    const answer = get(`/v3/marketdata/options/strikes/MSFT?n=${n++}`, key, { prefer: `wait=${wait}` })
    void answer.then(
      () => (open -= 1),
      () => (open -= 1),
    )
    asked.push({ atMs: clock.wallMs(), answer })
    return answer
  }
  const calls = (fromMs = 0) =>
    service.service.ledger.entries().filter(({ category, atMs }) => category === STRIKES && atMs >= fromMs)
  /** Skips `ms` in steps, and lets the sockets catch up after each step. `each` gets the skipped time. */
  const skip = async (ms: number, each: (skippedMs: number) => void = () => {}) => {
    for (let skippedMs = 0; skippedMs < ms; skippedMs += STEP_MS) {
      each(skippedMs)
      clock.skip(STEP_MS)
      for (let turn = 0, seen = -1; turn < 60 && (turn < 12 || seen !== calls().length); turn += 1) {
        seen = calls().length
        await settled()
      }
    }
  }
  const program = (name: string, own: ProgramClass) => add(name, { class: own })
  onTestFinished(() => clock.skip(300_000))
  return { clock, service, monitor, ask, asked, calls, skip, program }
}

/** The most 429s within a minute. */
function mostRefused(calls: readonly { readonly status?: number; readonly atMs: number }[]): number {
  const refused = calls.filter(({ status }) => status === 429)
  return Math.max(
    0,
    ...refused.map(
      ({ atMs }) => refused.filter((one) => one.atMs >= atMs && one.atMs < atMs + MINUTE_MS).length,
    ),
  )
}

test('while others use the whole refill, non-critical programs get at most four 429s a minute, then one', async () => {
  const { ask, asked, calls, skip, program, clock, service } = await inStorm()
  const keys = [program('scanner', 'normal'), program('sheet', 'normal'), program('notes', 'background')]
  const poll = (skippedMs: number) => {
    if (skippedMs % 2_000 === 0) for (const key of keys) ask(key, 60)
  }
  await skip(4 * MINUTE_MS, poll)
  // Requests of one instant may all be on their way when the first 429 comes.
  const firstAtMs = calls().find(({ status }) => status === 429)?.atMs ?? 0
  expect(mostRefused(calls(firstAtMs + 1_000))).toBeLessThanOrEqual(4)
  expect(calls(clock.wallMs() - MINUTE_MS).length).toBeLessThanOrEqual(2)
  // After the others have stopped, a trial request succeeds. Then all waiting requests are sent.
  service.service.setTraffic({})
  const ceasedAtMs = clock.wallMs()
  await skip(90_000, poll)
  const [first] = calls(ceasedAtMs)
  expect(first?.status).toBe(200)
  expect(calls(ceasedAtMs).map(({ status }) => status)).not.toContain(429)
  const soon = calls(ceasedAtMs).filter(({ atMs }) => atMs < first!.atMs + 2_000)
  expect(soon.length).toBeGreaterThanOrEqual(5)
  await skip(MINUTE_MS)
  for (const { answer } of asked) {
    const { status, headers } = await answer
    expect([200, 429]).toContain(status)
    if (headers.get('proxy-status')?.includes('http_request_denied'))
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
}, 60_000)

test('critical programs continue while others use the whole refill, and their header with room frees the rest', async () => {
  const { ask, calls, skip, program, clock, service } = await inStorm()
  const [bot, notes] = [program('bot', 'critical'), program('notes', 'normal')]
  await skip(2 * MINUTE_MS, (skippedMs) => {
    if (skippedMs % 1_000 === 0) void ask(bot, 5)
    if (skippedMs % 2_000 === 0) void ask(notes, 30)
  })
  const tries = calls(clock.wallMs() - MINUTE_MS)
  expect(tries.length).toBeGreaterThan(20)
  expect(tries.some(({ status }) => status === 200)).toBe(true)
  const impatient = ask(notes, 0)
  await skip(STEP_MS)
  const told = await impatient
  expect(told.status).toBe(429)
  expect(Number(told.headers.get('retry-after'))).toBeGreaterThan(0)
  service.service.setTraffic({})
  const ceasedAtMs = clock.wallMs()
  await skip(15_000, (skippedMs) => {
    if (skippedMs % 4_000 === 0) void ask(bot, 5)
    if (skippedMs % 1_000 === 0) void ask(notes, 30)
  })
  expect(calls(ceasedAtMs).length).toBeGreaterThanOrEqual(8)
  // The first request may be sent before a whole request has refilled.
  expect(mostRefused(calls(ceasedAtMs))).toBeLessThanOrEqual(1)
}, 60_000)
