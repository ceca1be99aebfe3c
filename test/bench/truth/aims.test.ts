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
    okUnderFifth: 2,
    overHalf: 1000,
    warnedOverHalf: 10,
    delays: [10, 20, 80],
    timeErrors: [0.1],
    leastTimeErrors: [0.05],
  },
  ...{ rateLooks: 1000, rateHeld: 900, rateNarrow: 900, flickers: 0 },
  ...{
    changes: 6,
    changesOfTruth: 6,
    bursts: 0,
    warningLooks: 100,
    warningOld: 2,
    checks: 100,
    budget: 100,
    forecasts: 1000,
  },
  ...{ brier: 120, came: 300, alerts: 100, falseAlerts: 25, emptyings: 100, emptyingsWarned: 75 },
  chances: Array.from({ length: 10 }, (_, at) => ({
    told: 100 * (at / 10 + 0.05),
    came: 100 * (at / 10 + 0.05),
    looks: 100,
  })),
}

const missed = (kinds: readonly Figures[]) =>
  aimsOf(kinds)
    .filter(({ isMet }) => isMet === false)
    .map(({ figure }) => figure)

test('figures right at every aim meet them', () => {
  expect(missed([GOOD])).toEqual([])
})

test.each<readonly [string, Partial<Figures>]>([
  ['coverage', { covered: 929 }],
  ['coverage', { covered: 999, width: 18 }],
  ['width', { width: 18 }],
  ['truth above', { highWrong: 1 }],
  ['no model', { error: 2001, oracleError: 2001 }],
  ['against the oracle', { oracleError: 800 }],
  ['`ok` while', { okUnderFifth: 3 }],
  ['above half', { warnedOverHalf: 11 }],
  ['to the warning', { delays: [31] }],
  ['to the warning', { delays: [10, 10, 10, 91] }],
  ['shown time to empty', { timeErrors: [0.11] }],
  ['every kind but bursts', { changes: 7 }],
  ['with bursts', { shape: 'bursts', bursts: 10, changes: 21 }],
  ['older than 60 s', { warningOld: 3 }],
  ['against the budget', { checks: 101 }],
  ['Brier', { brier: 121 }],
  ['were false', { falseAlerts: 26 }],
  ['warned of', { emptyingsWarned: 74 }],
])('a little worse in %s is missed', (figure, worse) => {
  expect(missed([{ ...GOOD, ...worse }]).join('\n')).toContain(figure)
})

test('a forecast chance ten points off the outcome is missed', () => {
  const chances = GOOD.chances.map((step, at) => (at === 8 ? { ...step, came: step.told - 11 } : step))
  expect(missed([{ ...GOOD, chances }])).toEqual(['shown chance against the outcome, from 50 % up'])
})

test('one kind in twenty may miss the aim, two may not', () => {
  const wide = { ...GOOD, covered: 915 }
  const kinds = (off: number) => Array.from({ length: 20 }, (_, at) => (at < off ? wide : GOOD))
  expect(missed(kinds(1))).toEqual([])
  expect(missed(kinds(2)).join()).toContain('coverage')
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

test('state changes of the true level are marked as missed by it too', () => {
  const word = (changesOfTruth: number) => {
    const aim = aimsOf([{ ...GOOD, changes: 7, changesOfTruth }]).find(({ figure }) =>
      figure.endsWith('bursts'),
    )
    return aim && aimWord(aim)
  }
  expect(word(6)).toBe('missed')
  expect(word(7)).toBe('missed, by the truth itself too')
})
