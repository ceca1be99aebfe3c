import { expect, test } from 'vitest'
import { NOT_NOTED, type Origin, originWords } from './commit.ts'
import { type Break, type Evidence, parseCounts } from './evidence.ts'
import { type Level, PROMISE_IDS, type PromiseId } from './promise-list.ts'
import { promisesDetails, promisesPage } from './promises-page.ts'
import type { RecordLine } from './record.ts'
import { standings } from './standing.ts'

const ORIGIN: Origin = { commit: 'abcdef0123', isClean: true, date: '2026-11-20T10:00:00.000Z' }

function proved(promise: PromiseId, level: Level, cases = 10): RecordLine {
  return { kind: 'proved', promise, runner: 'vitest', file: 'x.test.ts', test: `of ${promise}`, level, cases }
}

function broken(promise: string, result = 'killed'): Break {
  return { promise, what: `break ${promise}`, test: 'x.test.ts', result, by: 'a test', said: 'expected 1' }
}

function evidence(lines: readonly RecordLine[], outcomes: readonly Break[] = []): Evidence {
  return {
    suites: { ...ORIGIN, passed: 9, failed: 0, skipped: 0, failures: [], lines: [...lines] },
    sabotage: { ...ORIGIN, outcomes: [...outcomes] },
    simulation: undefined,
    mutation: undefined,
  }
}

const rowOf = (of: Evidence, id: PromiseId) =>
  promisesPage(of)
    .split('\n')
    .find((line) => line.startsWith(`| ${id} |`))
const standingOf = (of: Evidence, id: PromiseId) => standings(of).find((one) => one.id === id)

test('the weakest come first: not tried, unnoticed, only claimed, below their level, kept', () => {
  const of = evidence(
    [proved('S1', 2), proved('T6', 2), proved('T8', 2), proved('Q3', 2)],
    [broken('S1'), broken('T6'), broken('Q3', 'survived')],
  )
  const order = standings(of)
  expect(order.slice(-4).map(({ id, standing }) => [id, standing])).toEqual([
    ['Q3', 'break-survived'],
    ['T8', 'claimed'],
    ['T6', 'below-its-level'],
    ['S1', 'kept'],
  ])
  expect(new Set(order.slice(0, -4).map(({ standing }) => standing))).toEqual(new Set(['untried']))
})

test('a promise without a killed break is claimed, whatever its tests say', () => {
  expect(standingOf(evidence([proved('T5', 4)]), 'T5')?.standing).toBe('claimed')
})

test('one break that was not killed outweighs those that were', () => {
  const of = evidence([proved('T5', 3)], [broken('T5'), broken('T5', 'not-by-an-assertion'), broken('T5')])
  expect(standingOf(of, 'T5')?.standing).toBe('break-survived')
  expect(rowOf(of, 'T5')).toContain('| **a break went unnoticed**; 2 of 3 breaks killed |')
  expect(promisesDetails(of)).toContain('**not by an assertion**')
})

test('a sweep of one case is an example, and cases of one level are summed', () => {
  expect(standingOf(evidence([proved('Q2', 2, 1)], [broken('Q2')]), 'Q2')).toMatchObject({
    reached: 1,
    standing: 'below-its-level',
  })
  const both = evidence([proved('Q2', 2, 1), proved('Q2', 2, 1)], [broken('Q2')])
  expect(standingOf(both, 'Q2')).toMatchObject({ reached: 2, standing: 'kept' })
})

test('a proof that this machine cannot run is listed with its reason, and counts for nothing', () => {
  const of = evidence(
    [
      proved('W1', 1),
      {
        kind: 'not-run',
        promise: 'W1',
        runner: 'vitest',
        file: 'x.test.ts',
        level: 4,
        why: 'no Electron runtime',
      },
    ],
    [broken('W1')],
  )
  expect(standingOf(of, 'W1')?.standing).toBe('below-its-level')
  expect(rowOf(of, 'W1')).toContain(
    '| 1 of 4 | **below its level**; 1 of 1 breaks killed; level 4 not run: no Electron runtime |',
  )
})

test('each promise is one row: its text, the file that tries most at its level, and the run’s result', () => {
  const small = { ...proved('S1', 2, 5), file: 'y.test.ts' }
  const of = evidence([small, proved('S1', 2, 10), proved('S1', 2, 20), proved('S1', 1)], [broken('S1')])
  expect(rowOf(of, 'S1')).toMatch(
    /^\| S1 \| Any chunking .+ \| `x\.test\.ts`, 30 cases; 1 more file \| 2 \| kept; 1 of 1 breaks killed \|$/,
  )
  const rows = promisesPage(of)
    .split('\n')
    .filter((line) => /^\| [A-Z]\d+ \|/.test(line))
  expect(rows).toHaveLength(PROMISE_IDS.length)
})

test('a run at another commit counts as not run', () => {
  const other = { ...ORIGIN, commit: '0123456789' }
  const file = { ...other, killed: 1, timedOut: 0, survivors: [] }
  const simulation = { ...other, seeds: 1, virtualHours: 1, minutes: 1, failures: [], faults: {} }
  const mutation = { seed: 1, share: 1, folders: { a: 2 }, files: { 'a/b.ts': file } }
  const of = evidence([proved('T5', 3)], [broken('T5')])
  const mixed = { ...of, sabotage: { ...other, outcomes: [broken('T5')] }, simulation, mutation }
  for (const text of [promisesPage(mixed), promisesDetails(mixed)]) {
    expect(text).not.toContain(other.commit)
    for (const name of ['breaks', 'long simulation', 'mutation testing'])
      expect(text).toContain(`- ${name}: **not run**`)
  }
  expect(rowOf(mixed, 'T5')).toContain('| tests passed; breaks **not run** |')
  expect(promisesPage({ ...mixed, suites: { ...of.suites, commit: other.commit } })).not.toContain('not run')
})

test('the origin of a result is named, and so are uncommitted sources', () => {
  expect(originWords(ORIGIN)).toBe('commit `abcdef0123`, 2026-11-20 10:00 UTC')
  expect(originWords({ ...ORIGIN, isClean: false })).toContain('not committed')
  expect(originWords({ ...ORIGIN, commit: NOT_NOTED })).toContain('not noted')
})

test('the long simulation is listed with its faults, planned and not', () => {
  const simulation = {
    ...ORIGIN,
    seeds: 12_000,
    virtualHours: 72_000.4,
    minutes: 60,
    failures: [{ seed: 7, law: 'two refreshes' }],
    faults: { sleep: 3, cut: 40 },
  }
  const text = promisesDetails({ ...evidence([]), simulation })
  expect(text).toContain('12,000 seeds, 72,000 virtual hours: **1 failed**')
  expect(text).toContain('two refreshes')
  expect(text).toContain('cut 40, sleep 3')
  expect(promisesPage({ ...evidence([]), simulation })).toContain('**1 failed**')
})

test('a title appears once, however many rows its table has', () => {
  const rows = Array.from({ length: 5 }, () => proved('T8', 2, 1))
  expect(promisesDetails(evidence(rows))).toContain('- level 2, 5 cases, `test/x.test.ts`: “of T8”\n')
})

test('a failed test counts against every promise of its file, whatever else was proved', () => {
  const of = evidence([proved('T8', 2), proved('T9', 2)], [broken('T8'), broken('T9')])
  const failures = [{ file: 'x.test.ts', test: 'a session ended', promises: ['T8' as const] }]
  const failing = { ...of, suites: { ...of.suites, failures } }
  expect(standings(failing)[0]).toMatchObject({ id: 'T8', standing: 'failed' })
  expect(standingOf(failing, 'T9')?.standing).toBe('kept')
  expect(rowOf(failing, 'T8')).toContain('**a test failed**; `x.test.ts`')
  expect(promisesDetails(failing)).toContain('- **failed**: `test/x.test.ts`: “a session ended”')
})

test('failed tests are on the page', () => {
  const of = evidence([])
  expect(promisesPage({ ...of, suites: { ...of.suites, failed: 2 } })).toContain('**2** failed')
})

test('a test’s output cannot break the table, and names no folder of the machine', () => {
  const said = 'expected <b>a|b</b>\nat /srv/build-7/headroom/main/x.ts'
  const text = promisesDetails(evidence([proved('T1', 3)], [{ ...broken('T1'), said }]))
  expect(text).toContain('expected \\<b\\>a\\|b\\</b\\> at …/x.ts')
  expect(text).not.toContain('build-7')
})

test('the last line of the suites is read, and a missing one means failure', () => {
  expect(parseCounts('x\ntests: 12 passed, 1 failed, 3 skipped\n')).toEqual({
    passed: 12,
    failed: 1,
    skipped: 3,
  })
  expect(parseCounts('tests: 12 passed, 0 failed\n')).toEqual({ passed: 12, failed: 0, skipped: 0 })
  expect(parseCounts('killed').failed).toBe(1)
})
