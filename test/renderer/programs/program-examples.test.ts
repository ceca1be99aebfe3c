import { expect, test } from 'vitest'
import { programExamples } from '../../../renderer/programs/program-examples.ts'

test('each line has the whole address and key, and is one line', () => {
  const examples = programExamples('http://127.0.0.1:4791', 'KEY-of_a-program')
  expect(examples.map(({ language }) => language)).toEqual([
    'Python',
    'Node',
    'curl',
    'Spreadsheet (Power Query)',
  ])
  for (const { code } of examples) {
    expect(code).toContain('http://127.0.0.1:4791/v3/brokerage/accounts')
    expect(code).toContain('Bearer KEY-of_a-program')
    expect(code).not.toContain('\n')
  }
})
