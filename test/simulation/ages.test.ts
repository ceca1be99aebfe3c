import { expect, test } from 'vitest'
import type { RequestQuota } from '../../app/contract/snapshot.ts'
import { categoryOf } from '../../app/service/categories.ts'
import { ageText, isStale, isUnchecked, leftText, STALE_AFTER_MS } from '../../app/status/quota-status.ts'
import type { HttpHeaders } from '../../main/ports/ports.ts'
import { proves } from '../proof/proves.ts'
import { QUIET } from './story.ts'
import { World } from './world.ts'

const HOURS = 24
const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

/** The times at which headers of each category last arrived, recorded at the simulated network alone. */
function headersSeen(world: World): ReadonlyMap<string, number> {
  const seen = new Map<string, number>()
  const note = (method: string, url: string, headers: HttpHeaders) => {
    const category = categoryOf(method, new URL(url).pathname)
    if (category !== undefined && 'x-ratelimit-remaining' in headers)
      seen.set(category, world.clock.worldMs())
  }
  const { http } = world
  const send = http.send.bind(http)
  const open = http.open.bind(http)
  http.send = async (request) => {
    const outcome = await send(request)
    if (outcome.kind === 'answer') note(request.method, request.url, outcome.headers)
    return outcome
  }
  http.open = (request, listener) =>
    open(request, {
      opened: (status, headers) => {
        note(request.method, request.url, headers)
        listener.opened(status, headers)
      },
      chunk: (bytes) => listener.chunk(bytes),
      ended: (why) => listener.ended(why),
    })
  return seen
}

/** The ages in words that a row of `ageMs` may show. A deviation of one second is allowed. */
const wordsWithinASecond = (row: RequestQuota, seenAtMs: number, nowMs: number) =>
  [-SECOND_MS, 0, SECOND_MS].map((off) => ageText({ ...row, observedAt: seenAtMs + off }, nowMs))

test('every second of a day, a shown age is accurate within a second, and old data is never shown as live', {
  timeout: 300_000,
}, async () => {
  const world = new World(31, QUIET)
  const seen = headersSeen(world)
  world.connect()
  let stale = 0
  let looks = 0
  for (let second = 1; second <= HOURS * 3_600; second += 1) {
    if (second === 4 * 3_600) world.service.faults.set('resources-503', true)
    if (second === 5 * 3_600) world.service.faults.set('resources-503', false)
    if (second === 9 * 3_600) world.service.faults.set('no-quota-headers', true)
    if (second === 10 * 3_600) world.service.faults.set('no-quota-headers', false)
    if (second === 15 * 3_600) world.clock.sleep(HOUR_MS / 6)
    await world.clock.advance(SECOND_MS)
    const nowMs = world.clock.worldMs()
    for (const row of world.snapshot.requests) {
      const realMs = seen.get(row.category)
      if (realMs === undefined) {
        if (row.source !== 'default') expect.fail(`${row.category} has no header and is not a default`)
        continue
      }
      looks += 1
      const words = ageText(row, nowMs)
      if (!wordsWithinASecond(row, realMs, nowMs).includes(words)) {
        expect.fail(
          `second ${second}: ${row.category} reads ${words}, its header is ${nowMs - realMs} ms old`,
        )
      }
      if (nowMs - realMs <= STALE_AFTER_MS + SECOND_MS) continue
      stale += 1
      const shown = leftText(row, nowMs)
      const isMarked = isUnchecked(row, nowMs) ? shown === `was ${row.seen}` : shown.startsWith('~')
      if (!isStale(row, nowMs) || !isMarked) {
        expect.fail(`second ${second}: ${row.category} is ${nowMs - realMs} ms old and shown as ${shown}`)
      }
    }
  }
  console.info(`ages: ${looks} looks at rows over ${HOURS} h, ${stale} of them old and shown as old`)
  // There were two faults of an hour each, and eight rows with checks. Rows of streams get their age from the
  // stream.
  expect(stale).toBeGreaterThan(8 * 2 * 3_000)
  world.monitor.stop()
  proves('Q5', { level: 2, cases: looks })
})
