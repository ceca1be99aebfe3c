import { expect, test } from 'vitest'
import { NOT_NOTED, type Origin, originWords } from './commit.ts'
import { type Break, type Evidence, parseCounts } from './evidence.ts'
import type { Level, PromiseId } from './promise-list.ts'
import { promisesPage } from './promises-page.ts'
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
  }
}

const page = (of: Evidence, since = 0) => promisesPage(of, ORIGIN, () => since)
const standingOf = (of: Evidence, id: PromiseId) => standings(of).find((one) => one.id === id)

test('the weakest come first: not tried, gone unnoticed, only claimed, below their level, kept', () => {
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
  const text = page(of)
  const places = ['Q3', 'T8', 'T6', 'S1'].map((id) => text.indexOf(`| [${id}]`))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})

test('a promise without a killed break is claimed, whatever its tests say', () => {
  expect(standingOf(evidence([proved('T5', 4)]), 'T5')?.standing).toBe('claimed')
})

test('one break that was not killed outweighs those that were', () => {
  const of = evidence([proved('T5', 3)], [broken('T5'), broken('T5', 'not-by-an-assertion'), broken('T5')])
  expect(standingOf(of, 'T5')?.standing).toBe('break-survived')
  expect(page(of)).toContain('**not by an assertion**')
})

test('a sweep of one case is an example, and cases of one level are summed', () => {
  expect(standingOf(evidence([proved('Q2', 2, 1)], [broken('Q2')]), 'Q2')).toMatchObject({
    reached: 1,
    standing: 'below-its-level',
  })
  const both = evidence([proved('Q2', 2, 1), proved('Q2', 2, 1)], [broken('Q2')])
  expect(standingOf(both, 'Q2')).toMatchObject({ reached: 2, standing: 'kept' })
})

test('a proof that this machine cannot run is said with its reason, and counts for nothing', () => {
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
  expect(page(of)).toContain('1 of 4; level 4 not run: no Electron runtime')
})

test('results of another commit are marked as such, and so are sources that are not committed', () => {
  expect(page(evidence([]), 3)).toContain('**3 commits ago**')
  expect(page(evidence([]), 0)).not.toContain('ago**')
  expect(originWords({ ...ORIGIN, isClean: false }, 0)).toContain('not committed')
  expect(originWords(ORIGIN, undefined)).toContain('another history')
  expect(originWords({ ...ORIGIN, commit: NOT_NOTED }, undefined)).toContain('not noted')
})

test('the long simulation is told with what went wrong in it, on purpose and not', () => {
  const simulation = {
    ...ORIGIN,
    seeds: 12_000,
    virtualHours: 72_000.4,
    minutes: 60,
    virtualHoursPerCoreHour: 72_000,
    failures: [{ seed: 7, law: 'two refreshes' }],
    faults: { sleep: 3, cut: 40 },
  }
  const text = page({ ...evidence([]), simulation })
  expect(text).toContain('12,000 seeds, 72,000 virtual hours: **1 failed**')
  expect(text).toContain('two refreshes')
  expect(text).toContain('cut 40, sleep 3')
  expect(page(evidence([]))).toContain('not run for this page')
})

test('a title is said once, however many rows its table has', () => {
  const rows = Array.from({ length: 5 }, () => proved('T8', 2, 1))
  expect(page(evidence(rows))).toContain('- level 2, 5 cases, `test/x.test.ts`: “of T8”\n')
})

test('a failed test counts against every promise of its file, whatever else was proved', () => {
  const of = evidence([proved('T8', 2), proved('T9', 2)], [broken('T8'), broken('T9')])
  const failures = [{ file: 'x.test.ts', test: 'a session ended', promises: ['T8' as const] }]
  const failing = { ...of, suites: { ...of.suites, failures } }
  expect(standings(failing)[0]).toMatchObject({ id: 'T8', standing: 'failed' })
  expect(standingOf(failing, 'T9')?.standing).toBe('kept')
  expect(page(failing)).toContain('- **failed**: `test/x.test.ts`: “a session ended”')
})

test('failed tests are on the page', () => {
  const of = evidence([])
  expect(page({ ...of, suites: { ...of.suites, failed: 2 } })).toContain('**2 failed**')
})

test('what tests say cannot break the table, and names no folder of the machine', () => {
  const said = 'expected <b>a|b</b>\nat /srv/build-7/headroom/main/x.ts'
  const text = page(evidence([proved('T1', 3)], [{ ...broken('T1'), said }]))
  expect(text).toContain('expected \\<b\\>a\\|b\\</b\\> at …/x.ts')
  expect(text).not.toContain('build-7')
})

test('the last line of the suites is read, and what says nothing has failed', () => {
  expect(parseCounts('x\ntests: 12 passed, 1 failed, 3 skipped\n')).toEqual({
    passed: 12,
    failed: 1,
    skipped: 3,
  })
  expect(parseCounts('tests: 12 passed, 0 failed\n')).toEqual({ passed: 12, failed: 0, skipped: 0 })
  expect(parseCounts('killed').failed).toBe(1)
})

test('breaks of an earlier run count, and stand with their own commit', () => {
  const of = evidence([proved('T5', 3)])
  const run = (commit: string, promise: string) => ({ ...ORIGIN, commit, outcomes: [broken(promise)] })
  const before = [run('0123456789', 'T5'), run('9876543210', 'T6')]
  const both = { ...of, sabotage: { ...of.sabotage, before } }
  expect(standingOf(of, 'T5')?.standing).toBe('claimed')
  expect(standingOf(both, 'T5')?.standing).toBe('kept')
  for (const commit of ['0123456789', '9876543210'])
    expect(page(both)).toContain(`breaks of an earlier run | 1 of 1 killed | commit \`${commit}\``)
})
