import { expect, test } from 'vitest'
import { addNamed, namedInBrowser, namedLines, namedUnits } from './named-tests.ts'

const unit = (status: string, ...failureMessages: string[]) => ({
  status,
  fullName: ` a ${status} test`,
  failureMessages,
})
const file = (status: string, ...assertionResults: ReturnType<typeof unit>[]) => ({
  name: '/somewhere/vault.test.ts',
  status,
  assertionResults,
})

test('a unit test that failed is named with its reason, one that passed is not', () => {
  const report = { testResults: [file('failed', unit('passed'), unit('failed', 'expected 1\nto be 2'))] }
  expect(namedLines(namedUnits(report))).toBe(
    'failed: vault.test.ts › a failed test\n    expected 1\n    to be 2\n',
  )
})

test('a unit test that needed a second try is named as unsteady', () => {
  const report = { testResults: [file('passed', unit('passed', 'timed out'))] }
  expect(namedLines(namedUnits(report))).toBe('unsteady: vault.test.ts › a passed test\n    timed out\n')
})

test('a file that did not load is named as a whole', () => {
  const report = { testResults: [{ ...file('failed'), message: 'no such module' }] }
  expect(namedUnits(report).failed).toEqual([
    { test: 'vault.test.ts › the file as a whole', why: 'no such module' },
  ])
})

test('browser tests are named with their project, however deep their suite', () => {
  const spec = (status: string) => ({
    title: `a ${status} spec`,
    file: 'sign-in.spec.ts',
    tests: [{ projectName: 'browser', status, results: [{ error: { message: 'no button' } }, {}] }],
  })
  const report = {
    suites: [{ specs: [spec('expected')], suites: [{ specs: [spec('unexpected'), spec('flaky')] }] }],
  }
  expect(namedInBrowser(report)).toEqual({
    failed: [{ test: '[browser] sign-in.spec.ts › a unexpected spec', why: 'no button' }],
    unsteady: [{ test: '[browser] sign-in.spec.ts › a flaky spec', why: 'no button' }],
  })
})

test('a reason is cut to its first lines', () => {
  const why = Array.from({ length: 40 }, () => 'x'.repeat(1000)).join('\n')
  const [named] = namedUnits({ testResults: [file('failed', unit('failed', why))] }).failed
  expect(named?.why.split('\n').map((line) => line.length)).toEqual(Array.from({ length: 12 }, () => 300))
})

test('a suite without a report names nothing, which is not its own error', () => {
  expect(namedLines(addNamed(namedUnits(undefined), namedInBrowser({ suites: 'none' })))).toBe('')
})
