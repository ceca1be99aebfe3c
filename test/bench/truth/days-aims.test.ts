import { expect, test } from 'vitest'
import { dailyKinds } from './daily-kinds.ts'
import { type DaysMeasured, daysAims, daysTable } from './days-aims.ts'
import { type Figures, figuresOf } from './figures.ts'
import { noLooks } from './looks.ts'

const [KIND] = dailyKinds()

/** Figures of a day: 100 looks, delays in seconds, and counts. */
function day(more: Partial<Figures>): Figures {
  if (!KIND) return expect.fail('no kind')
  const none = figuresOf(noLooks(KIND, 0, 0, []))
  const { best: _, ...figures } = { ...none, looks: 100, covered: 98, forecasts: 100, brier: 10, ...more }
  return { ...figures, best: figures }
}

const FIRST = day({ delays: [100, 120], alerts: 10, falseAlerts: 1, emptyings: 10, emptyingsWarned: 6 })
const LAST = day({ delays: [50, 60], alerts: 10, falseAlerts: 1, emptyings: 10, emptyingsWarned: 9 })

interface Differs {
  readonly last?: Partial<Figures>
  readonly control?: Partial<Figures>
  readonly restarted?: number
}

function missed({ last, control, restarted = 0.06 }: Differs) {
  const days = (name: string) => ({
    ...{ first: { ...FIRST, name }, last: { ...LAST, ...last }, lastUnlearned: FIRST },
  })
  const measured: DaysMeasured = {
    seeds: 1,
    daily: [days('one, 320 in 300 s'), days('one, 90 in 60 s')],
    control: [{ first: FIRST, last: { ...FIRST, ...control }, lastUnlearned: FIRST }],
    afterRestart: { running: 0.05, restarted, forgetful: 0.07 },
  }
  expect(daysTable(measured)).toHaveLength(1 + 3 * 5)
  return daysAims(measured).flatMap(({ figure, isMet }) => (isMet === false ? [figure.slice(0, 30)] : []))
}

test('days right at every aim meet them', () => {
  expect(missed({})).toEqual([])
})

test.each<readonly [string, Differs]>([
  ['a daily pattern: median delay', { last: { delays: [61, 61] } }],
  ['a daily pattern: emptyings', { last: { emptyingsWarned: 8 } }],
  ['a daily pattern: alerts', { last: { falseAlerts: 2 } }],
  ['a daily pattern: coverage', { last: { covered: 99.6 } }],
  ['no pattern', { control: { brier: 11.1 } }],
  ['no pattern', { control: { delays: [100, 121] } }],
  ['no pattern', { control: { falseAlerts: 2 } }],
  ['the hour after a restart', { restarted: 0.0601 }],
])('%s is missed right beyond its aim', (figure, differs) => {
  const [found, ...more] = missed(differs)
  expect(found).toContain(figure)
  expect(more).toEqual([])
})
