import { expect, test } from 'vitest'
import { programExamples } from '../../../renderer/programs/program-examples.ts'

test('each example has the full address, and reads the key from the environment', () => {
  const examples = programExamples('http://127.0.0.1:4791')
  expect(examples.map(({ language }) => language)).toEqual([
    'Python',
    'Node',
    'curl',
    'Spreadsheet (Power Query)',
  ])
  for (const { code } of examples) {
    expect(code).toContain('http://127.0.0.1:4791')
    expect(code).toContain('/v3/brokerage/accounts')
    expect(code).toContain('HEADROOM_KEY')
    expect(code).toContain('Bearer ')
  }
})
