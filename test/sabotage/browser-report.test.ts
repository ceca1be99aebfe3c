import { describe, expect, it } from 'vitest'
import { browserResults } from './browser-report.ts'
import { testRunOf } from './test-run.ts'

interface Ended {
  readonly status?: string
  readonly message?: string
}

/** A report as Playwright writes it, including its colours. */
const reportOf = ({ status = 'failed', message }: Ended) => ({
  errors: [],
  suites: [
    {
      specs: [],
      suites: [
        {
          specs: [
            {
              title: 'it holds',
              tests: [
                {
                  projectName: 'browser',
                  status: status === 'passed' ? 'expected' : 'unexpected',
                  results: [{ status, ...(message !== undefined && { error: { message } }) }],
                },
              ],
            },
          ],
        },
      ],
    },
  ],
})

const runOf = (ended: Ended) => testRunOf(browserResults(reportOf(ended)))

const LOCATOR = 'Error: \u001b[2mexpect(\u001b[22mlocator\u001b[2m).\u001b[22mtoHaveText(expected) failed'
const WAITED =
  '\n\nLocator:  locator(\'b\')\nExpected: "y"\nReceived: "x"\nTimeout:  10000ms\n\nCall log:\n  - waiting'

describe('a browser test proves detection', () => {
  it.each([
    ['an expectation of a value', 'Error: expect(received).toEqual(expected) // deep equality\n\n- 1\n+ 2'],
    [
      'one that was polled in vain',
      'Error: expect(received).toBe(expected)\n\nCall Log:\n- Timeout 500ms exceeded',
    ],
    ['one of the page that waited until its own time was up', `${LOCATOR}${WAITED}`],
    ['one turned around', 'Error: expect(received).not.toBe(expected)\n\nExpected: not 1'],
    ['one of a promise', 'Error: expect(received).rejects.toThrow()\n\nReceived promise resolved'],
    ['one with words of its own', 'Error: my words\n\nexpect(received).toBe(expected)\n\nExpected: 2'],
  ])('by %s', (_, message) => {
    expect(runOf({ message })).toMatchObject({ kind: 'red', test: 'it holds [browser]', count: 1 })
  })

  it.each([
    ['an action that waited in vain', 'TimeoutError: locator.click: Timeout 500ms exceeded.\nCall log:\n'],
    ['an error of the test itself', 'TypeError: boom'],
    ['a page that crashed', 'Error: page.waitForTimeout: Page crashed'],
    ['a page that crashed while it was looked at', `${LOCATOR}\n\nExpected: "y"\nError: Target crashed \n`],
    ['a page that was closed', `${LOCATOR}\n\nLocator: locator('b')\nExpected: "y"\nReceived: ""\n`],
    [
      'the end of its time in a poll',
      'Error: expect(received).toBe(expected)\n\n- Test timeout of 500ms exceeded',
    ],
    ['an error that only quotes an expectation', 'Error: no\nexpect(received).toBe(expected)'],
    ['nothing at all', undefined],
  ])('not by %s', (_, message) => {
    expect(runOf(message === undefined ? {} : { message })).toMatchObject({ kind: 'unproved' })
  })

  it('not by an expectation that its timeout cut short', () => {
    expect(runOf({ status: 'timedOut', message: `${LOCATOR}${WAITED}` })).toMatchObject({ kind: 'unproved' })
  })

  it('in one line without colours and without the log of attempts', () => {
    const said =
      'Error: expect(locator).toHaveText(expected) failed Locator: locator(\'b\') Expected: "y" Received: "x"'
    expect(runOf({ message: `${LOCATOR}${WAITED}` })).toMatchObject({ said: `${said} Timeout: 10000ms` })
  })
})

it('green is green, and a test that was not run or did not load is broken', () => {
  expect(runOf({ status: 'passed' })).toEqual({ kind: 'green' })
  expect(testRunOf(browserResults({ errors: [], suites: [] })).kind).toBe('broken')
  const report = reportOf({ status: 'passed' })
  expect(testRunOf(browserResults({ ...report, errors: [{ message: 'SyntaxError' }] })).kind).toBe('broken')
  expect(testRunOf(browserResults(undefined)).kind).toBe('broken')
})
