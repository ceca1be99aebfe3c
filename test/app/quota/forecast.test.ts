import { expect, test } from 'vitest'
import type { Bucket } from '../../../app/quota/bucket.ts'
import { RowState } from '../../../app/quota/state.ts'
import { viewOf } from '../../../app/quota/view.ts'
import { lawRuns } from '../../thorough.ts'
import { chanceFrom } from './chance.ts'
import { play, type Traffic } from './traffic.ts'

const SEEDS = lawRuns(150)
const SIZES = [
  [500, 300],
  [320, 300],
  [90, 60],
] as const

const rowOf = (bucket: Bucket, nowMs: number) =>
  viewOf('Positions', undefined, bucket, { hold: undefined, state: new RowState() }, nowMs)

/**
 * From full to empty at a constant rate, made up of own requests and others' requests, or nearly only of own
 * ones.
 */
function constantLoad(seed: number): Traffic {
  const chance = chanceFrom(seed)
  const [limit, periodSeconds] = SIZES[seed % SIZES.length]!
  const window = seed % 4 === 3 ? 'fixed' : 'rolling'
  const gain = window === 'rolling' ? limit / periodSeconds : 0
  // The pace empties a rolling bucket within an hour at most, because a bucket that lasts longer needs no
  // forecast.
  const perSecond =
    gain + (limit / periodSeconds) * (window === 'fixed' ? 1.5 + 2 * chance() : 0.4 + 2.6 * chance())
  const own = Math.max(perSecond * 0.05, perSecond * (chance() < 0.2 ? 0.97 : chance()))
  return {
    rule: { limit, periodSeconds, window },
    level: limit,
    forMs: window === 'fixed' ? periodSeconds * 1000 - 500 : periodSeconds * 4_000,
    chance,
    pauseMs: () => 1_000 / own,
    latencyMs: () => 10 + 100 * chance(),
    elsewherePerSecond: perSecond - own,
  }
}

test('predicted at half a bucket under constant load, the moment it is empty is right within 10 % (p95)', {
  timeout: 120_000,
}, () => {
  const errors: number[] = []
  let none = 0
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const traffic = constantLoad(seed)
    let forecast: { readonly emptyAtMs: number | undefined; readonly atMs: number } | undefined
    let emptyAtMs: number | undefined
    play(traffic, {
      answered: (bucket, _found, nowMs, level) => {
        if (level <= traffic.rule.limit / 2)
          forecast ??= { emptyAtMs: rowOf(bucket, nowMs).emptyAt, atMs: nowMs }
      },
      moment: (_bucket, level, nowMs) => {
        if (level < 1) emptyAtMs ??= nowMs
      },
    })
    if (emptyAtMs === undefined || forecast === undefined || emptyAtMs <= forecast.atMs) continue
    if (forecast.emptyAtMs === undefined) none += 1
    else errors.push(Math.abs(forecast.emptyAtMs - emptyAtMs) / (emptyAtMs - forecast.atMs))
  }
  errors.sort((a, b) => a - b)
  const at = (share: number) => errors[Math.floor(errors.length * share)] ?? Number.NaN
  const shown = [0.5, 0.9, 0.95, 0.99].map((share) => `p${share * 100} ${(at(share) * 100).toFixed(1)} %`)
  console.info(
    `time to empty at half a bucket: ${shown.join(', ')} of ${errors.length} seeds; no forecast in ${none}`,
  )
  expect(errors.length).toBeGreaterThan(SEEDS * 0.8)
  expect(none).toBeLessThan(SEEDS * 0.01)
  expect(at(0.95)).toBeLessThanOrEqual(0.1)
})

/** The rows at each header of a key that is checked every 20 s, while others behave as given. */
function rowsOf(seed: number, others: Partial<Traffic>, forMs: number) {
  const chance = chanceFrom(seed)
  const rows: { readonly row: ReturnType<typeof rowOf>; readonly atMs: number; readonly level: number }[] = []
  play(
    {
      rule: { limit: 320, periodSeconds: 300, window: 'rolling' },
      level: 320,
      forMs,
      chance,
      pauseMs: () => 18_000 + 4_000 * chance(),
      latencyMs: () => 10 + 100 * chance(),
      ...others,
    },
    { answered: (bucket, _found, atMs, level) => rows.push({ row: rowOf(bucket, atMs), atMs, level }) },
  )
  return rows
}

test('never forecasts an end while others are silent', { timeout: 120_000 }, () => {
  for (let seed = 0; seed < lawRuns(150); seed += 1) {
    for (const { row } of rowsOf(seed, {}, 600_000)) expect(row.emptyAt).toBeUndefined()
  }
})

test('bursts that the bucket survives look like an end while they last, and not in between', {
  timeout: 120_000,
}, () => {
  let alarmed = 0
  for (let seed = 0; seed < lawRuns(80); seed += 1) {
    // Others send 120 requests at once every five minutes, while 320 refill.
    const others = { elsewherePerSecond: 1 / 300, elsewhereFromMs: 150_000, elsewhereBurst: 120 }
    for (const { row, atMs } of rowsOf(seed, others, 1_500_000)) {
      if (row.emptyAt === undefined) continue
      alarmed += 1
      const sinceBurstMs = (((atMs - 150_000) % 300_000) + 300_000) % 300_000
      if (atMs < 150_000 || sinceBurstMs > 120_000) expect.fail(`seed ${seed}: an end at ${atMs}`)
    }
  }
  expect(alarmed).toBeGreaterThan(0)
})

test('when the load ends the forecast does, within two minutes', () => {
  let before = 0
  for (let seed = 0; seed < lawRuns(200); seed += 1) {
    const others = { elsewherePerSecond: 2, elsewhereUntilMs: 200_000 }
    for (const { row, atMs } of rowsOf(seed, others, 600_000)) {
      if (row.emptyAt === undefined) continue
      before += 1
      if (atMs > 320_000) expect.fail(`seed ${seed}: an end is still forecast at ${atMs}`)
    }
  }
  expect(before).toBeGreaterThan(lawRuns(1_000))
})
