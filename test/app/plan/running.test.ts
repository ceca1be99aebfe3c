import { expect, test } from 'vitest'
import { planHeadline, tightestText } from '../../../app/plan/plan-words.ts'
import { runningPlan, withOthersHigh } from '../../../app/plan/running.ts'
import { planVerdict } from '../../../app/plan/verdict.ts'
import { exampleProgram } from '../../main/hosts/terminal/example-snapshot.ts'
import { DESK, quota, slots, snapshot, stream } from '../../renderer/fixtures.ts'

const bot = exampleProgram('bot', {
  id: 'p1',
  class: 'critical',
  weight: 2,
  forwarded: 10,
  perSecond: 0.25,
  use: [{ category: 'Positions', forwarded: 10, perSecond: 0.25, waiting: 0 }],
})
const use = { total: 0.9, own: 0.3, elsewhere: 0.6, elsewhereLow: 0.4, elsewhereHigh: 0.9 }
const positions = quota('Positions', 320, 300, 200, { use, observedAt: 1000 })
const row = (name: string, category: string, perSecond: number, burst: number) => ({
  name,
  requests: [{ category, perSecond, burst }],
})
/** A program that only reads balances. */
const balances = (name: string, perSecond: number) => ({
  name,
  class: 'normal' as const,
  weight: 1,
  streams: [],
  requests: [{ category: 'Balances', perSecond, burst: 1 }],
})

test('programs, the key’s other own requests and others’ use form the running plan', () => {
  const { plan, others } = runningPlan(
    snapshot({ requests: [positions], programs: [bot], slots: [], streams: [] }),
  )
  expect(plan.programs).toEqual([
    { ...row('bot', 'Positions', 0.25, 3), class: 'critical', weight: 2, streams: [] },
    { ...row('Headroom', 'Positions', 0.05, 1), class: 'background', weight: 1, streams: [] },
    { ...row('Others', 'Positions', 0.6, 6), class: 'critical', weight: 1, streams: [] },
  ])
  expect(plan.limits).toEqual({ Positions: { limit: 320, periodSeconds: 300 } })
  expect(others).toEqual([{ category: 'Positions', perSecond: 0.6, low: 0.4, high: 0.9, observedAtMs: 1000 }])
})

test('the desk’s other machines count as others, and so do their slots', () => {
  const shared = { ...use, total: 1.3, desk: 0.4 }
  const { plan, others } = runningPlan(
    snapshot({
      requests: [{ ...positions, use: shared }],
      slots: [{ ...slots('Option Chain Stream', 10, 0, 4), desk: 2, free: 4 }],
      streams: [],
    }),
  )
  expect(others).toMatchObject([{ perSecond: 1, low: 0.8, high: 1.3 }])
  expect(plan.programs.at(-1)).toMatchObject({ name: 'Others', requests: [{ perSecond: 1 }] })
  expect(plan.slots).toEqual({ 'Option Chain Stream': { limit: 10, elsewhere: 6 } })
})

test('programs on the desk’s other machines are rows, and do not count as others', () => {
  const requests = [{ ...positions, use: { ...use, total: 1.3, desk: 0.4 } }]
  const { plan, others, elsewhere } = runningPlan(
    snapshot({ requests, programs: [bot], slots: [], streams: [], desk: DESK }),
  )
  expect(plan.programs.map(({ name }) => name)).toEqual([
    ...['bot', 'LAPTOP/dashboard', 'SERVER/risk', 'Headroom', 'Others'],
  ])
  expect(elsewhere).toEqual(['LAPTOP/dashboard', 'SERVER/risk'])
  expect(plan.programs[2]).toMatchObject({
    ...{ class: 'critical', weight: 2, streams: [] },
    requests: [
      { category: 'Positions', perSecond: 0.1, burst: 1 },
      { category: 'Order Details', perSecond: 0.1, burst: 1 },
    ],
  })
  // Of 0.4 by the other machines, 0.1 is by the program risk.
  expect(others).toMatchObject([{ category: 'Positions', perSecond: 0.9 }])
  const verdict = planVerdict(plan)
  expect(verdict.categories.find(({ category }) => category === 'Positions')?.perSecond).toBeCloseTo(1.3)
})

test('machines and programs of the same name stay apart, and waiting requests are demand', () => {
  const programs = [
    { name: 'bot', perSecond: 0, use: [{ category: 'Positions', perSecond: 0, waiting: 30 }] },
  ]
  const members = DESK.members.map((one) => ({ ...one, name: 'PC', programs }))
  const { plan } = runningPlan(snapshot({ requests: [], desk: { ...DESK, members } }))
  const [first, second] = plan.programs
  expect([first?.name, second?.name]).toEqual(['PC/bot', 'PC/bot (2)'])
  expect(second?.requests).toEqual([{ category: 'Positions', perSecond: 0.5, burst: 30 }])
})

test('works without the gateway, from observed use alone', () => {
  const { plan } = runningPlan(snapshot({ requests: [positions], slots: [], streams: [] }))
  expect(plan.programs.map(({ name, requests }) => [name, requests[0]?.perSecond])).toEqual([
    ['Headroom', 0.3],
    ['Others', 0.6],
  ])
})

test('streams use their slots, even if only their number is known', () => {
  const { plan } = runningPlan(
    snapshot({
      requests: [],
      slots: [slots('Option Chain Stream', 10, 3, 4)],
      streams: [
        stream('s1', 'Option Chain Stream', 'MSFT'),
        stream('s2', 'Option Chain Stream', 'SPY', { state: 'closed' }),
      ],
    }),
  )
  expect(plan.programs).toEqual([
    {
      name: 'Headroom',
      class: 'background',
      weight: 1,
      requests: [],
      streams: [{ kind: 'option-chains', target: 'MSFT', options: {} }],
    },
  ])
  expect(plan.slots).toEqual({ 'Option Chain Stream': { limit: 10, elsewhere: 6 } })
  expect(planVerdict(plan).slots).toEqual([
    { category: 'Option Chain Stream', streams: 1, shared: 1, limit: 10, elsewhere: 6, fits: true },
  ])
})

test('two streams of one target with different options keep a slot each', () => {
  const { plan } = runningPlan(
    snapshot({
      requests: [],
      slots: [slots('Option Chain Stream', 10, 2, 0)],
      streams: ['s1', 's2'].map((id) => stream(id, 'Option Chain Stream', 'MSFT')),
    }),
  )
  const [group] = planVerdict(plan).slots
  expect(group).toMatchObject({ shared: 1, elsewhere: 1 })
})

test('a stream that programs read belongs to them, and is shared while pinned', () => {
  const readBy = [{ program: 'bot', readers: 2 }]
  const { plan } = runningPlan(
    snapshot({
      requests: [],
      programs: [bot],
      slots: [slots('Option Chain Stream', 10, 2, 0)],
      streams: [
        stream('s1', 'Option Chain Stream', 'MSFT', { readers: 2, readBy }),
        stream('s2', 'Option Chain Stream', 'SPY', { readers: 2, readBy, pinned: true }),
      ],
    }),
  )
  expect(plan.programs.map(({ name, streams }) => [name, streams.map(({ target }) => target)])).toEqual([
    ['bot', ['MSFT', 'SPY']],
    ['Headroom', ['SPY']],
  ])
  expect(planVerdict(plan).slots).toMatchObject([{ streams: 3, shared: 2, elsewhere: 0 }])
})

test('marks a program with a reserved name', () => {
  const { plan } = runningPlan(
    snapshot({ requests: [positions], programs: [{ ...bot, name: 'Others' }], slots: [], streams: [] }),
  )
  expect(plan.programs.map(({ name }) => name)).toEqual(['Others (program)', 'Headroom', 'Others'])
})

test('a plan that fits only at the middle of others’ estimate does not count as fitting', () => {
  const { plan, others } = runningPlan(
    snapshot({ requests: [positions], programs: [bot], slots: [], streams: [] }),
  )
  const verdict = planVerdict(plan)
  expect(planHeadline(verdict)).toEqual({ severity: 'ok', label: 'Fits.', text: 'No program waits.' })
  expect(planHeadline(verdict, { atMost: planVerdict(withOthersHigh(plan, { others })) })).toEqual({
    severity: 'warning',
    label: 'May not fit.',
    text: 'If others use their highest rate: Positions needs 1.20/s, refills 1.07/s.',
    action: 'Positions: pause Headroom’s checks.',
  })
  expect(tightestText(verdict)).toBe('Tightest: Positions, 84 % of refill.')
  const more = { ...plan, programs: [...plan.programs, { ...plan.programs[0]!, name: 'second' }] }
  expect(planHeadline(planVerdict(more))).toEqual({
    severity: 'critical',
    label: 'Does not fit.',
    text: 'Positions needs 1.15/s, refills 1.07/s.',
    action: 'Positions: pause Headroom’s checks.',
  })
})

test('counts several quotas over capacity, and names the first remedy', () => {
  const scanner = (category: string) => ({
    name: 'scanner',
    class: 'normal' as const,
    weight: 1,
    requests: [{ category, perSecond: 3, burst: 1 }],
    streams: [],
  })
  const verdict = planVerdict({
    programs: [scanner('Positions'), scanner('Balances')],
    limits: {},
    reserves: {},
  })
  expect(planHeadline(verdict)).toEqual({
    severity: 'critical',
    label: 'Does not fit.',
    text: '2 quotas over capacity.',
    action: 'Positions: lower scanner to 1.06/s.',
  })
})

test('a plan fits only so far while others’ use of its quotas is not measured', () => {
  const started = { ...positions, use: null }
  const { plan, unknown } = runningPlan(
    snapshot({
      requests: [started],
      programs: [bot],
      slots: [],
      streams: [stream('s1', 'MarketDepth Stream', 'MSFT', { streamKind: 'depth' })],
    }),
  )
  expect(unknown).toEqual({ requests: ['Positions'], slots: [] })
  const verdict = planVerdict(plan)
  const doubt = (requests: readonly string[]) => planHeadline(verdict, { unknown: { requests, slots: [] } })
  expect(doubt(['Positions'])).toEqual({
    severity: 'unknown',
    label: 'Fits so far.',
    text: 'Others’ use of Positions isn’t measured yet.',
    action: 'Save your changes, then press “Start from now” in a minute.',
  })
  // The plan does not use Balances, and only opens a stream of depth quotes.
  expect(doubt(['Balances', 'MarketDepth Stream']).label).toBe('Fits.')
  const both = planVerdict({ ...plan, programs: [...plan.programs, balances('notes', 0.1)] })
  const unmeasured = { requests: ['Positions', 'Balances'], slots: [] }
  expect(planHeadline(both, { unknown: unmeasured }).text).toBe('Others’ use of 2 quotas isn’t measured yet.')
  const tooMuch = planVerdict({ ...plan, limits: { Positions: { limit: 1, periodSeconds: 300 } } })
  expect(planHeadline(tooMuch, { ...(unknown && { unknown }) }).label).toBe('Does not fit.')
})

test('a plan fits only so far until a header shows the slots of others', () => {
  const group = slots('Option Chain Stream', 10, 1, 0, 'counted')
  const streams = [stream('s1', 'Option Chain Stream', 'MSFT')]
  const of = (one: typeof group) => {
    const { plan, unknown } = runningPlan(snapshot({ requests: [], slots: [one], streams }))
    return planHeadline(planVerdict(plan), { ...(unknown && { unknown }) })
  }
  expect(of(group)).toEqual({
    severity: 'unknown',
    label: 'Fits so far.',
    text: 'Option chains: slots used by others aren’t observed yet.',
    action: 'Save your changes, open a stream, then press “Start from now”.',
  })
  expect(of({ ...group, source: 'header' }).label).toBe('Fits.')
})

test('a waiting program’s demand is its waiting requests', () => {
  const waiting = {
    ...bot,
    perSecond: 0,
    use: [{ category: 'Positions', forwarded: 0, perSecond: 0, waiting: 6 }],
  }
  const { plan } = runningPlan(
    snapshot({ requests: [positions], programs: [waiting], slots: [], streams: [] }),
  )
  expect(plan.programs[0]).toMatchObject(row('bot', 'Positions', 0.1, 6))
})

test('names others only if they alone exceed the refill', () => {
  const others = (perSecond: number) => ({
    ...row('Others', 'Positions', perSecond, 1),
    class: 'critical' as const,
    weight: 1,
    streams: [],
  })
  const advice = (perSecond: number) =>
    planVerdict({
      programs: [
        { ...row('bot', 'Positions', 0.5, 1), class: 'critical', weight: 9, streams: [] },
        others(perSecond),
      ],
      limits: {},
      reserves: {},
    }).advice
  expect(advice(0.8)).toEqual(['Positions: lower bot to 0.26/s.'])
  expect(advice(1.5)).toEqual(['Positions: others alone exceed the refill.'])
})

test('others whose burst is too large are not blamed for the refill', () => {
  const program = (name: string, own: 'critical' | 'normal', burst: number) => ({
    ...row(name, 'Positions', 0.1, burst),
    class: own,
    weight: 1,
    streams: [],
  })
  const programs = [program('bot', 'normal', 5), program('Others', 'critical', 310)]
  const { advice, categories } = planVerdict({ programs, limits: {}, reserves: {} })
  expect(categories[0]?.why).toBe('needs 315 at once, allows 300.')
  expect(advice).toEqual(['Positions: others alone send too many requests at once.'])
})

test('the headline names the program that waits longest, never others', () => {
  const program = (name: string, own: 'critical' | 'background', burst: number) => ({
    ...row(name, 'Positions', 0.1, burst),
    class: own,
    weight: 1,
    streams: [],
  })
  const verdict = planVerdict({
    programs: [program('Others', 'critical', 10), program('scanner', 'background', 285)],
    limits: {},
    reserves: {},
  })
  const { severity, label, text } = planHeadline(verdict)
  expect({ severity, label }).toEqual({ severity: 'warning', label: 'Fits, with waits.' })
  expect(text).toMatch(/^scanner waits up to \d+ s\.$/)
})

test('requests in a row that another row counts use the quota of that row', () => {
  const requests = [
    { ...positions, use: { total: 1, own: 1, elsewhere: 0 } },
    { ...quota('Balances', 320, 300, 320), use: null, countedBy: 'Positions' },
  ]
  const twice = ['Balances', 'Positions'].map((category) => ({
    category,
    forwarded: 60,
    perSecond: 0.5,
    waiting: 0,
  }))
  const running = runningPlan(
    snapshot({ requests, programs: [{ ...bot, use: twice }], slots: [], streams: [] }),
  )
  expect(running.plan.limits).toEqual({ Positions: { limit: 320, periodSeconds: 300 } })
  expect(running.plan.programs).toMatchObject([row('bot', 'Positions', 1, 10)])
  const programs = [...running.plan.programs, balances('notes', 0.1)]
  const verdict = planVerdict({ ...running.plan, programs })
  expect(verdict.fits).toBe(false)
  expect(verdict.categories.map(({ category }) => category)).toEqual(['Positions'])
})

test('a reserve of the gateway is the plan’s', () => {
  const gateway = { state: 'serving', reserve: { Positions: 300 } } as const
  const { plan } = runningPlan(
    snapshot({ requests: [positions], programs: [bot], slots: [], streams: [], gateway }),
  )
  expect(planVerdict(plan)).toMatchObject({ categories: [{ category: 'Positions', reserve: 300 }] })
})
