import { OPTIMISM_SIGMAS } from '../../app/gateway/bucket-queue.ts'
import {
  MIXES,
  type MixName,
  NO_TURNS,
  type Turns,
  trueRatesOf,
  turnsOf,
  turnsTogether,
} from '../app/gateway/turns.ts'
import { benchFlags, tell } from './result.ts'

/**
 * How well the gateway declines requests at once that would be too late: `node test/bench/gateway-turns.ts
 * [--lives 30] [--json]`.
 *
 * The gateway's scheduler runs in virtual time: with its own safety margin, with other margins, and with the
 * true rates of the other programs, which it usually has to learn. Exit 1 if an aim is missed.
 */
const { lives } = benchFlags({ lives: 30 })
const AIM_WRONG = 0.01
const MARGINS = [0, 1, 1.5, 2, 2.5, 3] as const
const NAMES = Object.keys(MIXES) as readonly MixName[]
/** The seeds are far apart, so that no two runs are the same. */
const SEED_STEP = 7919

interface Rule {
  readonly name: string
  readonly margin: number
  readonly isTold: boolean
}
const OURS: Rule = { name: `as shipped, margin ${OPTIMISM_SIGMAS}`, margin: OPTIMISM_SIGMAS, isTold: false }
const RULES: readonly Rule[] = [
  OURS,
  ...MARGINS.map((margin) => ({ name: `margin ${margin}`, margin, isTold: false })),
  ...MARGINS.map((margin) => ({ name: `with the true rates, margin ${margin}`, margin, isTold: true })),
]

const results = new Map<MixName, ReadonlyMap<Rule, Turns>>()
for (const name of NAMES) {
  const mix = MIXES[name]
  const ofRules = new Map<Rule, Turns>()
  for (const rule of RULES) {
    const forecast = { optimismSigmas: rule.margin, ...(rule.isTold && { trueRates: trueRatesOf(mix) }) }
    let turns = NO_TURNS
    for (let life = 0; life < lives; life += 1)
      turns = turnsTogether(turns, turnsOf(mix, 1 + life * SEED_STEP, forecast))
    ofRules.set(rule, turns)
  }
  results.set(name, ofRules)
}

const of = (name: MixName, rule: Rule): Turns => results.get(name)?.get(rule) ?? NO_TURNS
const wrong = ({ wrong: count, all }: Turns): number => count / all
const inVain = ({ inVain: count, all }: Turns): number => count / all
const percent = (share: number): number => Number((100 * share).toFixed(2))

/**
 * The smallest share of requests that wait in vain, over the rules that know the true rates and wrongly
 * decline few enough requests.
 */
const leastTold = (name: MixName): number =>
  Math.min(
    ...RULES.filter((rule) => rule.isTold && wrong(of(name, rule)) <= AIM_WRONG).map((rule) =>
      inVain(of(name, rule)),
    ),
  )
const most = (share: (name: MixName) => number): number => Math.max(...NAMES.map(share))
const worstWrong = most((name) => wrong(of(name, OURS)))
const alone = of('no other', OURS)

tell({
  what: 'Requests of an overloaded program that wait in vain, at most',
  unit: '%',
  better: 'less',
  ours: percent(most((name) => inVain(of(name, OURS)))),
  peers: { 'the same rule, with the others’ true rates': percent(most(leastTold)) },
  details: {
    'declined at once although they could have gone, at most, %': percent(worstWrong),
    'requests, each rule': NAMES.reduce((sum, name) => sum + of(name, OURS).all, 0),
  },
  table: {
    columns: [
      ...['others', 'rule', 'declined at once, could have gone', 'waited in vain'],
      'these waited, of their longest wait',
    ],
    rows: NAMES.flatMap((name) =>
      RULES.map((rule) => {
        const turns = of(name, rule)
        return [
          ...[name, rule.name, `${percent(wrong(turns))} %`, `${percent(inVain(turns))} %`],
          turns.inVain === 0 ? '' : `${Math.round((100 * turns.vainShare) / turns.inVain)} %`,
        ]
      }),
    ),
  },
  aims: [
    {
      what: `at most ${100 * AIM_WRONG} % declined at once that could have gone, with each of the others`,
      isMet: worstWrong <= AIM_WRONG,
    },
    {
      what: 'with no other, a request is declined at once if and only if its turn comes after its longest wait',
      isMet: alone.wrong === 0 && alone.inVain === 0,
    },
  ],
  how: `${lives} times 20 minutes in virtual time, the same for each rule: 320 requests in 300 s, a scanner of the class background that requests 1.5 times the refill (2 times with several) and waits up to a minute. Other programs request 30 to 60 % of the refill at random times: critical programs, two of the scanner's class, and programs outside the gateway. The margin is how far the forecast goes below the expected number of others' requests, in standard deviations. With a larger margin, fewer requests are refused wrongly, and more wait in vain. No rule can know when others will request. The rule that knows their true rates shows how much a better estimate could gain. Its figure is the smallest at which at most ${100 * AIM_WRONG} % are refused wrongly.`,
})
