import { expect, test } from 'vitest'
import { controlKinds, dailyKinds } from './daily-kinds.ts'
import { tenDays } from './days.ts'
import type { Kind } from './kinds.ts'
import { afterRestart, meanOf, restartedKinds } from './restarts.ts'

const SEED = 1

const named = (kinds: readonly Kind[], name: string): Kind =>
  kinds.find((kind) => kind.name === name) ?? expect.fail(name)

test('after nine days a scanner at the open gets an earlier warning and a better forecast', async () => {
  const kind = named(dailyKinds(), 'two scanners, at the open and at 10:10, 320 in 300 s')
  const { last, lastUnlearned } = await tenDays(kind, SEED)
  expect(last.delays.length).toBe(lastUnlearned.delays.length)
  const mean = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length
  expect(mean(last.delays)).toBeLessThan(0.5 * mean(lastUnlearned.delays))
  expect(last.emptyingsWarned).toBe(last.emptyings)
  expect(last.falseAlerts).toBe(0)
  expect(last.brier / last.forecasts).toBeLessThan(0.85 * (lastUnlearned.brier / lastUnlearned.forecasts))
  expect(last.highWrong).toBe(0)
  expect(last.covered / last.looks).toBeGreaterThan(0.93)
}, 60_000)

test('days without a pattern teach no load, and make nothing worse', async () => {
  const kind = named(controlKinds(), 'control: a scanner at a random time, 320 in 300 s')
  const { last, lastUnlearned } = await tenDays(kind, SEED)
  expect(last.brier / last.forecasts).toBeLessThan(lastUnlearned.brier / lastUnlearned.forecasts + 0.02)
  expect(last.covered / last.looks).toBeGreaterThan(0.93)
  expect(last.falseAlerts).toBeLessThanOrEqual(lastUnlearned.falseAlerts)
}, 60_000)

test('in the hour after a restart, what was learned forecasts as well as running on', async () => {
  const kinds = restartedKinds().filter(({ name }) => /^(bursts|self|three).*90 in 60 s, and own$/.test(name))
  const all = await Promise.all(kinds.map((kind) => afterRestart(kind, SEED)))
  const { running, restarted, forgetful } = meanOf(all)
  expect(restarted).toBeLessThan(running + 0.01)
  // Without what it learned, the forecast has to start from nothing.
  expect(forgetful).toBeGreaterThan(restarted + 0.005)
}, 60_000)
