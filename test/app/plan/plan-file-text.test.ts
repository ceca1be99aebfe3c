import { expect, test } from 'vitest'
import { concessionsOf, withConcessions } from '../../../app/plan/advice.ts'
import { demandsOf } from '../../../app/plan/demand.ts'
import type { Plan } from '../../../app/plan/plan.ts'
import { readPlan } from '../../../app/plan/plan-file.ts'
import { planFileText, streamText } from '../../../app/plan/plan-file-text.ts'
import { planVerdict } from '../../../app/plan/verdict.ts'

const PLAN: Plan = {
  programs: [
    {
      name: 'scanner "fast"',
      class: 'background',
      weight: 0.5,
      requests: [{ category: 'Positions', perSecond: 0.25, burst: 10 }],
      streams: [
        { kind: 'option-chains', target: 'MSFT', options: {} },
        { kind: 'barcharts', target: '$SPX.X', options: { interval: '5', unit: 'Minute' } },
        { kind: 'option-quotes', target: 'MSFT 261218C400', options: { note: 'a&b=c' } },
      ],
    },
    { name: 'notes', class: 'critical', weight: 1, requests: [], streams: [] },
  ],
  limits: { Positions: { limit: 100, periodSeconds: 60 } },
  reserves: { Positions: 5 },
}

test('a written plan reads back unchanged', () => {
  expect(readPlan(planFileText(PLAN))).toEqual({ kind: 'plan', plan: PLAN })
  const bare: Plan = { programs: [], limits: {}, reserves: {} }
  expect(readPlan(planFileText(bare))).toEqual({ kind: 'plan', plan: bare })
})

test('each program is one line, and streams are written as in flags', () => {
  expect(planFileText(PLAN).split('\n')[1]).toContain('"name":"scanner \\"fast\\""')
  expect(PLAN.programs[0]?.streams.map(streamText)).toEqual([
    'option-chains:MSFT',
    'barcharts:$SPX.X?interval=5&unit=Minute',
    'option-quotes:MSFT 261218C400?note=a%26b%3Dc',
  ])
})

test('entries of one category are added up, so that advice for it makes the plan fit', () => {
  const requests = ['positions', 'Positions'].map((category) => ({ category, perSecond: 1, burst: 2 }))
  const read = readPlan(JSON.stringify({ programs: [{ name: 'scanner', requests }] }))
  if (read.kind === 'wrong') expect.fail(read.line)
  const { plan } = read
  expect(plan.programs[0]?.requests).toEqual([{ category: 'Positions', perSecond: 2, burst: 4 }])
  expect(planVerdict(plan).fits).toBe(false)
  expect(planVerdict(withConcessions(plan, demandsOf(plan).flatMap(concessionsOf))).fits).toBe(true)
})
