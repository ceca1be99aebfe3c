import { NO_PROBES, probeDueAtMs } from '../../app/quota/probe-plan.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../app/service/categories.ts'
import { type RequestQuotaRules, RequestQuotas } from '../../main/simulator/rules/request-quotas.ts'
import { chanceFrom } from '../app/quota/chance.ts'
import { type Client, Modelled, otherClients } from './accuracy-clients.ts'
import { benchFlags, round, tell } from './result.ts'

/**
 * How far the displayed number is off between headers: `node test/bench/accuracy.ts [--traffic own|shared]
 * [--seeds 20] [--json]`.
 *
 * The simulator's quota rules decide what is left. Every client sees the same headers of the same own
 * requests, and the bench compares the number that it shows with the truth each second. Exit 1 if an aim is
 * missed.
 */
const { traffic, seeds } = benchFlags({ traffic: 'own', seeds: 20 })
const START_MS = Date.UTC(2026, 0, 5, 14, 30)
const MINUTES = 30
const STEP_MS = 100
const LOOK_MS = 1_000
const AFTER_A_REFUSAL_MS = 30_000
const PROBES = { budgetFraction: 0.02, everySeconds: {} }
const OURS = 'headroom'
/**
 * Maximum mean error in requests (PROMISES Q1). It applies without other programs, whose next requests can't
 * be predicted.
 */
const AIM = 0.5

/** Traffic on one quota: own requests per second at a time, and those of others. */
interface Scenario {
  readonly category: string
  readonly own: (second: number) => number
  readonly rules?: Partial<RequestQuotaRules>
}

const others = (category: string, perSecond: number, onSeconds = 0, offSeconds = 0) =>
  offSeconds === 0
    ? { traffic: { [category]: perSecond } }
    : { neighbours: [{ category, perSecond, onSeconds, offSeconds }] }

const OWN: Readonly<Record<string, Scenario>> = {
  'a quota that fills, with occasional checks': {
    category: 'Positions',
    own: () => 0,
    rules: { alreadySpent: { Positions: 300 } },
  },
  'bursts of 80, every four minutes': {
    category: 'Quote Snapshot',
    own: (second) => (second % 240 < 8 ? 10 : 0),
  },
  'steady requests': { category: 'Positions', own: () => 0.9 },
  'more than the quota: 429s and waits': { category: 'Option Expirations', own: () => 2.5 },
}
const SHARED: Readonly<Record<string, Scenario>> = {
  'steady use elsewhere': { category: 'Positions', own: () => 0, rules: others('Positions', 1.3) },
  'heavy use elsewhere': { category: 'Accounts', own: () => 0, rules: others('Accounts', 3) },
  'others for two minutes of five': {
    category: 'Balances',
    own: () => 0,
    rules: others('Balances', 2.5, 120, 180),
  },
  'own requests and others': {
    category: 'Option Strikes',
    own: () => 0.6,
    rules: others('Option Strikes', 1.2),
  },
}
const isShared = traffic === 'shared'
const scenarios = isShared ? SHARED : OWN

interface Errors {
  readonly all: Map<string, number[]>
}

function live({ category, own, rules = {} }: Scenario, seed: number, errors: Errors): void {
  const quota = CURRENT_REQUEST_QUOTAS.find((one) => one.category === category)
  if (!quota) throw new Error(`no quota ${category}`)
  const service = new RequestQuotas(
    {
      ...{ table: 'current', window: 'rolling', limits: {}, alreadySpent: {}, traffic: {} },
      ...{ arrivals: 'poisson', neighbours: [], seed, ...rules },
    },
    START_MS,
  )
  const chance = chanceFrom(seed)
  const ours = new Modelled(quota, START_MS)
  const clients: readonly Client[] = [ours, ...otherClients()]
  const coming: { readonly atMs: number; readonly happens: (nowMs: number) => void }[] = []
  let probes = NO_PROBES
  let waitUntilMs = 0
  let nextId = 0
  let isSeen = false

  const ask = (sentAtMs: number) => {
    const id = nextId++
    const [there, back] = [20 + 130 * chance(), 20 + 130 * chance()]
    for (const client of clients) client.sent(id, sentAtMs)
    coming.push({
      atMs: sentAtMs + there,
      happens: (countedAtMs) => {
        const isRejected = !service.spend(category, countedAtMs)
        const { limit, periodSeconds, remaining, resetSeconds } =
          service.reading(category, countedAtMs) ?? raise()
        const rate = { limit, periodSeconds, remaining, resetSeconds, resource: category }
        if (isRejected) waitUntilMs = countedAtMs + AFTER_A_REFUSAL_MS
        coming.push({
          atMs: countedAtMs + back,
          happens: (nowMs) => {
            isSeen = true
            for (const client of clients) client.answered(id, rate, nowMs, isRejected)
          },
        })
      },
    })
  }

  for (let nowMs = START_MS; nowMs < START_MS + MINUTES * 60_000; nowMs += STEP_MS) {
    for (let next = due(nowMs); next; next = due(nowMs)) next.happens(next.atMs)
    const second = Math.floor((nowMs - START_MS) / 1000)
    const row = ours.ledger.rowAt(category, nowMs)
    if (row && probeDueAtMs(row, probes, PROBES, nowMs) <= nowMs) {
      probes = {
        ...probes,
        sentAtMs: [...probes.sentAtMs.filter((at) => at > nowMs - row.period * 1000), nowMs],
      }
      ask(nowMs)
    }
    if (nowMs >= waitUntilMs && chance() < (own(second) * STEP_MS) / 1000) ask(nowMs)
    if (!isSeen || (nowMs - START_MS) % LOOK_MS !== 0) continue
    const truth = service.reading(category, nowMs)?.remaining ?? raise()
    for (const client of clients) {
      const known = errors.all.get(client.name) ?? []
      known.push(Math.abs(client.remaining(nowMs) - truth))
      errors.all.set(client.name, known)
    }
  }

  /**
   * The next event that is due by `nowMs`. The events are sorted here, because they are not made in order.
   */
  function due(nowMs: number) {
    coming.sort((a, b) => a.atMs - b.atMs)
    return coming[0] && coming[0].atMs <= nowMs ? coming.shift() : undefined
  }
}

function raise(): never {
  throw new Error('the rules know no such quota')
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length
const p95 = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.95)] ?? Number.NaN

const whole: Errors = { all: new Map() }
const rows: string[][] = []
/** One column for each client. The smallest error is in bold. */
function meansAndTails({ all }: Errors): readonly string[] {
  const least = Math.min(...[...all.values()].map(mean))
  return [...all.values()].map((wrong) => {
    const words = `${round(mean(wrong))} (${p95(wrong)})`
    return mean(wrong) === least ? `**${words}**` : words
  })
}
for (const [name, scenario] of Object.entries(scenarios)) {
  const errors: Errors = { all: new Map() }
  for (let seed = 1; seed <= seeds; seed += 1) live(scenario, seed, errors)
  rows.push([`${name} (${scenario.category})`, ...meansAndTails(errors)])
  for (const [client, wrong] of errors.all) {
    whole.all.set(client, [...(whole.all.get(client) ?? []), ...wrong])
  }
}
rows.push(['all', ...meansAndTails(whole)])
const means = Object.fromEntries([...whole.all].map(([name, wrong]) => [name, round(mean(wrong))]))
const { [OURS]: ours = Number.NaN, ...peers } = means
const looks = whole.all.get(OURS)?.length ?? 0
tell({
  what: `How far the Remaining on the screen is from the service’s own count, ${isShared ? 'with others on the key' : 'own traffic only'}`,
  unit: 'requests (mean error)',
  better: 'less',
  ours,
  peers,
  details: {},
  table: { columns: ['mean error (95th percentile)', ...whole.all.keys()], rows },
  aims: isShared ? [] : [{ what: `a mean error of at most ${AIM} requests`, isMet: ours <= AIM }],
  how: `${Object.keys(scenarios).length} kinds of traffic, ${seeds} seeds of ${MINUTES} minutes each, sampled every second (${looks.toLocaleString('en')} samples) against the simulator's rules, whose arithmetic shares nothing with the app's. All clients see the same headers: those of own requests and of the app's own probes at ${100 * PROBES.budgetFraction} % of the quota.`,
})
