import { expect, test } from 'vitest'
import { proves } from '../proof/proves.ts'
import { simulate } from './simulate.ts'
import { QUIET, storyOf } from './story.ts'
import type { TruthCounts } from './truth-invariants.ts'

const SEEDS = 16
const HOURS = 1.25
/**
 * Lower than in the truth bench, because networks fail and processes die here. Also, a full bucket hides one
 * request of others that come at even times.
 */
const MIN_COVERED = 0.85
/** Promises that an invariant checks at every step. The files of the invariants name them. */
const HELD = [
  ...(['T1', 'T2', 'T5', 'T6', 'T7', 'T8', 'T9', 'T11', 'T12'] as const),
  ...(['R1', 'R2', 'R3', 'R4'] as const),
  ...(['Q1', 'Q2', 'Q6', 'Q7', 'Q10', 'S2', 'S4'] as const),
]

test(`${SEEDS} seeds of ${HOURS} virtual hours each keep every invariant`, { timeout: 400_000 }, async () => {
  const events: Record<string, number> = {}
  let crashes = 0
  const truth = { looks: 0, covered: 0, underFifth: 0, okUnderFifth: 0, emptyings: 0, emptyingsWarned: 0 }
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const report = await simulate(seed, HOURS, storyOf(seed, HOURS))
    for (const [kind, count] of Object.entries(report.events)) events[kind] = (events[kind] ?? 0) + count
    for (const [figure, count] of Object.entries(report.truth)) truth[figure as keyof TruthCounts] += count
    for (const [kind, count] of Object.entries(report.faults)) if (kind.startsWith('crash')) crashes += count
  }
  console.info(
    `simulation: ${SEEDS} seeds × ${HOURS} h kept every invariant; they saw ${JSON.stringify(events)}`,
  )
  // If nothing went wrong in any seed, the test would prove nothing.
  for (const kind of ['token-refresh-failed', 'rate-limited', 'slots-exhausted', 'stream-restarted']) {
    expect(events[kind], kind).toBeGreaterThan(0)
  }
  expect(crashes).toBeGreaterThan(SEEDS / 2)
  proves(HELD, { level: 2, cases: SEEDS })
  // One life may be unlucky, so these rules are checked over all lives together.
  expect(truth.looks).toBeGreaterThan(10_000)
  expect(truth.covered / truth.looks).toBeGreaterThan(MIN_COVERED)
  expect(truth.underFifth).toBeGreaterThan(1_000)
  expect(truth.okUnderFifth / truth.underFifth).toBeLessThan(0.01)
  expect(truth.emptyings).toBeGreaterThan(5)
  expect(truth.emptyingsWarned / truth.emptyings).toBeGreaterThan(0.7)
  proves(['Q8', 'Q9'], { level: 2, cases: truth.looks })
})

test('a quiet day of 24 hours with three streams passes in seconds', { timeout: 400_000 }, async () => {
  const startedMs = performance.now()
  const { last, requests, events } = await simulate(1, 24, QUIET)
  const seconds = (performance.now() - startedMs) / 1000
  console.info(`simulation: a quiet day took ${seconds.toFixed(1)} s`)
  // One token every 18 minutes, and no stream had to be opened twice.
  expect(events).toMatchObject({ 'stream-opened': 3 })
  expect(events['stream-restarted'] ?? 0).toBe(0)
  expect(events['service-unreachable'] ?? 0).toBe(0)
  expect(requests['token']).toBeGreaterThanOrEqual(80)
  expect(requests['token']).toBeLessThanOrEqual(82)
  expect(last.streams.map(({ restarts }) => restarts)).toEqual([0, 0, 0])
})
