import { expect, test } from 'vitest'
import { aimsOf, aimWord, NO_MODEL } from './aims.ts'
import { added, type Figures } from './figures.ts'

const GOOD: Figures = {
  ...{ name: 'good', shape: 'steady', own: 0, looks: 1000, hours: 1, covered: 960, oracleCovered: 950 },
  ...{
    width: 10,
    oracleWidth: 8,
    leastWidth: 8,
    leastCovered: 960,
    highWrong: 0,
    error: 1000,
    oracleError: 900,
    peerErrors: { [NO_MODEL]: 2000 },
  },
  ...{
    underFifth: 1000,
    okUnderFifth: 1,
    overHalf: 1000,
    warnedOverHalf: 5,
    delays: [10, 20, 80],
  },
  ...{ rateLooks: 1000, rateHeld: 900, rateNarrow: 900, flickers: 0 },
  ...{
    changes: 6,
    warningLooks: 100,
    warningOld: 2,
    checks: 100,
    budget: 100,
    forecasts: 1000,
  },
  ...{ brier: 105, came: 300, alerts: 100, falseAlerts: 17, emptyings: 100, emptyingsWarned: 80 },
  chances: Array.from({ length: 10 }, (_, at) => ({
    told: 100 * (at / 10 + 0.05),
    came: 100 * (at / 10 + 0.05),
    looks: 100,
  })),
}

/**
 * Results of the oracle that does not know the kind of traffic. Delays and changes are compared with these.
 */
const WITHOUT_KIND: Figures = { ...GOOD, delays: [10, 20, 73], changes: 5 }

const missed = (kinds: readonly Figures[]) =>
  aimsOf(kinds.map((kind) => ({ best: GOOD, untold: WITHOUT_KIND, ...kind })))
    .filter(({ isMet }) => isMet === false)
    .map(({ figure }) => figure)

test('figures right at every aim meet them', () => {
  expect(missed([GOOD])).toEqual([])
})

test.each<readonly [string, Partial<Figures>]>([
  ['coverage', { covered: 929 }],
  ['coverage', { covered: 999, width: 18 }],
  ['truth above', { highWrong: 1 }],
  ['no model', { error: 2001, oracleError: 2001 }],
  ['against the oracle', { oracleError: 800 }],
  ['`ok` or `watch` while', { okUnderFifth: 2 }],
  ['above half', { warnedOverHalf: 6 }],
  ['to the warning', { delays: [21] }],
  ['to the warning', { delays: [10, 10, 10, 81] }],
  ['changes of', { changes: 7 }],
  ['under 10 s', { flickers: 1 }],
  ['range of others', { rateHeld: 899 }],
  ['range of others', { rateNarrow: 899 }],
  ['older than 60 s', { warningOld: 3 }],
  ['against the budget', { checks: 101 }],
  ['Brier', { brier: 106 }],
  ['were false', { falseAlerts: 18 }],
  ['warned of', { emptyingsWarned: 79 }],
])('a little worse in %s is missed', (figure, worse) => {
  expect(missed([{ ...GOOD, ...worse }]).join('\n')).toContain(figure)
})

test('a forecast chance ten points off the outcome is missed', () => {
  const chances = GOOD.chances.map((step, at) => (at === 8 ? { ...step, came: step.told - 11 } : step))
  expect(missed([{ ...GOOD, chances }])).toEqual(['shown chance against the outcome, from 50 % up'])
})

test('three kinds in twenty may miss the coverage, four may not', () => {
  const wide = { ...GOOD, covered: 915 }
  const kinds = (off: number) => Array.from({ length: 20 }, (_, at) => (at < off ? wide : GOOD))
  expect(missed(kinds(3))).toEqual([])
  expect(missed(kinds(4)).join()).toContain('coverage')
})

test('seeds add up', () => {
  const twice = added(GOOD, GOOD)
  expect(twice.looks).toBe(2000)
  expect(twice.peerErrors[NO_MODEL]).toBe(4000)
  expect(twice.delays).toHaveLength(6)
  expect(twice.chances[9]).toEqual({ told: 190, came: 190, looks: 200 })
  expect(missed([twice])).toEqual([])
})

test('an aim that the oracle misses on the same headers is marked as missed by the oracle too', () => {
  const bad = { ...GOOD, alerts: 100, falseAlerts: 60 }
  const word = (best: Figures) => {
    const aim = aimsOf([{ ...bad, best }]).find(({ figure }) => figure.startsWith('alerts'))
    return aim && aimWord(aim)
  }
  expect(word(GOOD)).toBe('missed')
  expect(word({ ...GOOD, falseAlerts: 30 })).toBe('missed, by the oracle too')
})

test('delays and changes are not judged without an oracle to compare them with', () => {
  const aims = aimsOf([{ ...GOOD, delays: [300], changes: 100 }])
  const measured = aims.filter(({ figure }) => /to the warning|^changes/.test(figure))
  expect(measured.map(({ isMet }) => isMet)).toEqual([undefined, undefined])
})
