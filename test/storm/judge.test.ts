import { expect, test } from 'vitest'
import { type Allowances, judge, type Look, type Recorded, RULES, type Rule, type Verdict } from './judge.ts'
import type { LoggedRequest, LoggedStream } from './logs.ts'

const SECOND = 1_000
const FAULT = { startMs: 0, endMs: 30 * SECOND, untilMs: 60 * SECOND, lateMs: 0 }
const READER = 'a /v3/marketdata/stream/quotes/MSFT'

const request = (traits: Partial<LoggedRequest> = {}): LoggedRequest => ({
  ...{ id: 'a-1', program: 'a-bot', path: '/v3/brokerage/accounts', sentAtMs: 5 * SECOND },
  ...{ endedAtMs: 6 * SECOND, heads: 1, status: 200, by: 'service' },
  ...traits,
})
const stream = (traits: Partial<LoggedStream> = {}): LoggedStream => ({
  ...{ id: 'a-2', reader: READER, openedAtMs: -SECOND },
  ...traits,
})
const look = (second: number, wrong: Look['wrong'] = {}, unbound: Look['unbound'] = {}): Look => ({
  atMs: second * SECOND,
  wrong,
  unbound,
})
const frame = (second: number) => ({ reader: READER, atMs: second * SECOND })

/** A slot in which nothing goes wrong, except for the given faults. */
function verdictOn(recorded: Partial<Recorded> = {}, allows: Allowances = {}): Verdict {
  const [verdict] = judge({
    slots: [{ fault: 'a fault', allows, ...FAULT }],
    requests: [request()],
    streams: [stream()],
    frames: [frame(31)],
    crashes: [],
    refusals: [],
    looks: [look(29), look(31), look(50)],
    ...recorded,
  })
  if (verdict === undefined) throw new Error('no verdict')
  return verdict
}

const brokenRules = ({ problems }: Verdict): readonly Rule[] =>
  RULES.filter((rule) => problems[rule].length > 0)

test('a slot without a fault breaks no rule', () => {
  const verdict = verdictOn()
  expect(brokenRules(verdict)).toEqual([])
  expect(verdict.figures).toMatchObject({
    requests: 1,
    byService: 1,
    rightAfterMs: SECOND,
    rightLast: expect.stringContaining(READER),
  })
})

test('a crash of the gateway counts as one, however it is noticed', () => {
  const verdict = verdictOn({ crashes: [{ atMs: 5 * SECOND, what: 'ended with 1' }] }, { kills: true })
  expect(brokenRules(verdict)).toEqual(['crash'])
})

test('a request with two responses breaks the rule, even if the gateway was killed', () => {
  const verdict = verdictOn({ requests: [request({ heads: 2 })] }, { kills: true })
  expect(brokenRules(verdict)).toEqual(['answers'])
  expect(verdict.problems.answers[0]).toContain('answered 2 times')
})

test('a request without a response breaks the rule, even if the gateway was killed', () => {
  const { endedAtMs: _, status: __, ...open } = request({ heads: 0 })
  const verdict = verdictOn({ requests: [open] }, { kills: true })
  expect(brokenRules(verdict)).toEqual(['answers'])
  expect(verdict.problems.answers[0]).toContain('never answered')
})

test('a connection may break only while the gateway is killed or stopped', () => {
  const { status: _, ...broken } = request({ heads: 0, broken: 'ECONNRESET' })
  const during = { requests: [broken] }
  expect(brokenRules(verdictOn(during))).toEqual(['answers'])
  expect(brokenRules(verdictOn(during, { cuts: true }))).toEqual(['answers'])
  expect(brokenRules(verdictOn(during, { kills: true }))).toEqual([])
  expect(brokenRules(verdictOn(during, { stops: true }))).toEqual([])
  const after = { requests: [{ ...broken, sentAtMs: 40 * SECOND, endedAtMs: 41 * SECOND }] }
  expect(brokenRules(verdictOn(after, { kills: true }))).toEqual(['answers'])
  expect(brokenRules(verdictOn(after, { stops: true }))).toEqual(['answers'])
})

test('a response may be cut short only if the service cuts its own', () => {
  const cut = { requests: [request({ broken: 'cut within the answer' })] }
  expect(brokenRules(verdictOn(cut))).toEqual(['answers'])
  expect(brokenRules(verdictOn(cut, { cuts: true }))).toEqual([])
})

test('a stream that ends is lost, unless its process ended', () => {
  const inOutage = { streams: [stream({ endedAtMs: 20 * SECOND, why: 'GoAway' })] }
  expect(brokenRules(verdictOn(inOutage))).toEqual(['streams'])
  expect(brokenRules(verdictOn(inOutage, { stops: true }))).toEqual(['streams'])
  expect(brokenRules(verdictOn(inOutage, { kills: true }))).toEqual([])
  const later = { streams: [stream({ endedAtMs: 50 * SECOND, why: 'GoAway' })] }
  expect(brokenRules(verdictOn(later, { kills: true }))).toEqual(['streams'])
})

test('a 429 outside the storm of others is avoidable', () => {
  const refusals = [{ atMs: 40 * SECOND, category: 'Positions' }]
  expect(brokenRules(verdictOn({ refusals }))).toEqual(['refusals'])
  const stormOfOthers = verdictOn({ refusals }, { others: true })
  expect(brokenRules(stormOfOthers)).toEqual([])
  expect(stormOfOthers.figures.refusals).toBe(1)
})

test('the state has to be right once within ten seconds of the end', () => {
  const wrong = { service: 'not reachable' }
  const rightAt = (second: number) =>
    verdictOn({ looks: [look(31, wrong), look(38, wrong), look(second)] }).problems.state
  expect(rightAt(40)).toEqual([])
  expect(rightAt(41)).toEqual(['service: not reachable, right only 11.0 s after the end'])
  const never = verdictOn({ looks: [look(31, wrong), look(50, wrong)] })
  expect(brokenRules(never)).toEqual(['state'])
  expect(never.figures.rightAfterMs).toBeUndefined()
})

test('each fault is judged separately', () => {
  const looks = [look(31, { token: 'expired' }), look(35, { service: 'not reachable' })]
  expect(verdictOn({ looks }).problems.state).toEqual([])
})

test('a right state has to stay right, except for a quota’s bounds and the time of a refresh', () => {
  const settled = Array.from({ length: 20 }, (_, at) => 41 + at * 0.5)
  const laterWith = (wrong: Look['wrong'], unbound: Look['unbound'], share: number) =>
    verdictOn({
      looks: [
        look(31),
        ...settled.map((second, at) => (at < 20 * share ? look(second, wrong, unbound) : look(second))),
      ],
    }).problems.state
  const gone = { service: 'not reachable' }
  expect(laterWith(gone, {}, 0.1)).toEqual([])
  expect(laterWith(gone, {}, 0.15)).toEqual(['service: not reachable, in 3 of 20 later looks'])
  expect(laterWith({}, { Positions: '1 to 2' }, 1)).toEqual([])
})

test('bounds of a quota have to hold once within ten seconds too', () => {
  const looks = [look(31, {}, { Positions: '1 to 2' }), look(41)]
  expect(brokenRules(verdictOn({ looks }))).toEqual(['state'])
})

test('time lost on a busy machine is added', () => {
  const looks = [look(31, { token: 'expired' }), look(42)]
  const slots = [{ fault: 'a fault', allows: {}, ...FAULT, lateMs: 2 * SECOND }]
  expect(brokenRules(verdictOn({ looks }))).toEqual(['state'])
  expect(brokenRules(verdictOn({ looks, slots }))).toEqual([])
})

test('a gateway that prints nothing after the end fails the rule', () => {
  expect(brokenRules(verdictOn({ looks: [look(29)] }))).toEqual(['state'])
})

test('a reader without a frame within ten seconds fails the rule, even if its connection is open', () => {
  expect(brokenRules(verdictOn({ frames: [frame(29), frame(40)] }))).toEqual([])
  expect(brokenRules(verdictOn({ frames: [frame(29), frame(41)] }))).toEqual(['state'])
  expect(brokenRules(verdictOn({ frames: [frame(29)] }))).toEqual(['state'])
})

test('while the service is healthy, no request fails', () => {
  const failed = (sentAtMs: number, status: number) => ({
    requests: [request({ status, by: 'headroom', sentAtMs, endedAtMs: sentAtMs + 1 })],
  })
  const during = failed(5 * SECOND, 503)
  expect(brokenRules(verdictOn(during))).toEqual([])
  expect(brokenRules(verdictOn(during, { served: true }))).toEqual(['served'])
  expect(brokenRules(verdictOn(failed(41 * SECOND, 502)))).toEqual(['served'])
  expect(brokenRules(verdictOn(failed(41 * SECOND, 429)))).toEqual([])
  const rejected = failed(5 * SECOND, 401)
  expect(brokenRules(verdictOn(rejected, { served: true }))).toEqual(['served'])
  expect(brokenRules(verdictOn(rejected, { served: true, rejects: true }))).toEqual([])
})

test('a request on the edge of two slots may be spoilt by the fault of either, and by nothing else', () => {
  const later = { ...FAULT, startMs: 60 * SECOND, endMs: 90 * SECOND, untilMs: 120 * SECOND }
  const verdictsOn = (sent: number, ended: number, allows: readonly [Allowances, Allowances], status = 502) =>
    judge({
      slots: [
        { fault: 'one', allows: allows[0], ...FAULT },
        { fault: 'two', allows: allows[1], ...later },
      ],
      requests: [request({ status, by: 'headroom', sentAtMs: sent * SECOND, endedAtMs: ended * SECOND })],
      streams: [stream()],
      frames: [frame(31), frame(91)],
      crashes: [],
      refusals: [],
      looks: [look(31), look(91)],
    }).map(brokenRules)
  const [spoils, serves] = [{}, { served: true }] as const
  const [explained, unexplained] = [
    [[], []],
    [['served'], []],
  ]
  // The request is sent before the second fault. The response arrives during or before that fault.
  expect(verdictsOn(59.999, 60, [spoils, spoils])).toEqual(explained)
  expect(verdictsOn(59.999, 60, [spoils, serves])).toEqual(unexplained)
  expect(verdictsOn(59.998, 59.999, [spoils, spoils])).toEqual(unexplained)
  // The request is sent within ten seconds of the first fault's end. The response may arrive at any time.
  expect(verdictsOn(40, 70, [spoils, serves])).toEqual(explained)
  expect(verdictsOn(40.001, 70, [spoils, serves])).toEqual(unexplained)
  expect(verdictsOn(40.001, 59, [spoils, spoils])).toEqual(unexplained)
  // A rejected token explains a 401, and no other status.
  const rejects = { served: true, rejects: true } as const
  expect(verdictsOn(59, 61, [serves, rejects], 401)).toEqual(explained)
  expect(verdictsOn(59, 61, [serves, rejects], 502)).toEqual(unexplained)
  expect(verdictsOn(41, 42, [rejects, serves], 401)).toEqual(unexplained)
})

test('an event is judged with the slot it started in, and only once', () => {
  const second = { ...FAULT, startMs: 60 * SECOND, endMs: 90 * SECOND, untilMs: 120 * SECOND }
  const { endedAtMs: _, ...open } = request({ heads: 0, sentAtMs: 59 * SECOND })
  const verdicts = judge({
    slots: [
      { fault: 'one', allows: {}, ...FAULT },
      { fault: 'two', allows: {}, ...second },
    ],
    requests: [open],
    streams: [stream({ endedAtMs: 70 * SECOND, why: 'GoAway' })],
    frames: [frame(31), frame(91)],
    crashes: [],
    refusals: [],
    looks: [look(31), look(91)],
  })
  expect(verdicts.map(brokenRules)).toEqual([['answers'], ['streams']])
})
