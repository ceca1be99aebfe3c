import { expect, test } from 'vitest'
import type { Plan } from '../../../app/plan/plan.ts'
import { isTooLittle, planHeadline, recordedText } from '../../../app/plan/plan-words.ts'
import { planVerdict } from '../../../app/plan/verdict.ts'
import type { StreamKind } from '../../../app/service/stream-kinds.ts'
import { proves } from '../../proof/proves.ts'

const HOUR_MS = 3_600_000

test.each([
  [1, 24, '1 minute of the last 24 h is recorded, too little to judge a day'],
  [59, 24, '59 minutes of the last 24 h are recorded, too little to judge a day'],
  [60, 24, '1 h of the last 24 h are recorded'],
  [90, 24, '1.5 h of the last 24 h are recorded'],
  [1440, 24, '24 h of the last 24 h are recorded'],
  [10, 0.5, '10 minutes of the last 30 min are recorded, too little to judge a day'],
])('describes %d recorded minutes of %d h accurately', (minutes, hours, text) => {
  expect(recordedText(minutes, hours * HOUR_MS)).toBe(text)
  expect(isTooLittle(minutes)).toBe(minutes < 60)
  proves('L3', { level: 1, cases: 1 })
})

/** A program that opens `count` streams of each kind, and a plan of it alone. */
const streaming = (kinds: readonly StreamKind[], count: number): Plan => ({
  programs: [
    {
      name: 'viewer',
      class: 'normal',
      weight: 1,
      requests: [],
      streams: kinds.flatMap((kind) =>
        Array.from({ length: count }, (_, at) => ({ kind, target: `SYM${at}`, options: {} })),
      ),
    },
  ],
  limits: {},
  reserves: {},
})

test('several groups of slots are counted, and a single one is named', () => {
  const one = planVerdict(streaming(['option-chains'], 11))
  expect(planHeadline(one).text).toContain('Option chains')
  const two = planVerdict(streaming(['option-chains', 'option-quotes'], 11))
  expect(planHeadline(two).text).toBe('2 groups of slots over capacity.')
  const busy = { category: 'Positions', perSecond: 9, burst: 0 }
  const [viewer] = streaming(['option-chains'], 11).programs
  const mixed = { ...streaming([], 0), programs: [{ ...(viewer ?? expect.fail()), requests: [busy] }] }
  expect(planHeadline(planVerdict(mixed)).text).toBe('1 quota and 1 group of slots over capacity.')
})

test('a plan fits so far while slots of several groups are not observed', () => {
  const unknown = { requests: [], slots: ['Option Chain Stream', 'Option Quote Stream'] }
  const headline = (kinds: readonly StreamKind[]) =>
    planHeadline(planVerdict(streaming(kinds, 1)), { unknown })
  expect(headline(['option-chains', 'option-quotes'])).toMatchObject({
    severity: 'unknown',
    label: 'Fits so far.',
    text: '2 groups of slots: slots used by others aren’t observed yet.',
  })
  expect(headline(['option-chains']).text).toBe('Option chains: slots used by others aren’t observed yet.')
})
