import { expect, test } from 'vitest'
import { ConditionTracker } from '../../../app/conditions/tracker.ts'
import type { KeyReport } from '../../../app/contract/events.ts'
import type { QueueSummary } from '../../../app/desk/queue-ports.ts'
import { DeskTrouble } from '../../../main/desk/desk-trouble.ts'
import type { EngineState } from '../../../main/desk/engine.ts'

const REFUSED = 'nats:4222 refused the connection.'
const SILENT = 'nats:4222 doesn’t respond.'

/** `tracker`: of the key's events, which also knows problems of the desk's earlier run. */
function setUp(tracker = new ConditionTracker()) {
  let state: EngineState = { server: 'nats:4222', reachable: false }
  let nowMs = 0
  let queue: QueueSummary | undefined
  const reports: KeyReport[] = []
  const trouble = new DeskTrouble({
    engine: {
      get state() {
        return state
      },
    },
    clock: { monotonicMs: () => nowMs },
    queue: () => queue,
    report: (report) => {
      if (tracker.eventOf(report, nowMs) !== undefined) reports.push(report)
    },
    changed: () => {},
  })
  const pass = (ms: number) => {
    nowMs += ms
    trouble.tell()
  }
  const reach = (reachable: boolean, message?: string) => {
    state = {
      server: 'nats:4222',
      reachable,
      ...(message !== undefined && { refusal: { code: 'unreachable', message } }),
    }
    trouble.tell()
  }
  const dispatch = (mode: QueueSummary['mode'], isLate = false) => {
    const alone = mode === 'alone' && { aloneSinceMs: nowMs }
    const dispatcher = mode === 'granted' || isLate ? 'a' : undefined
    queue = { mode, members: 3, dispatcher, isLate, ...alone }
    trouble.tell()
  }
  return { trouble, reports, pass, reach, dispatch, kinds: () => reports.map(({ kind }) => kind) }
}

test('a start that connects within three seconds is no trouble', () => {
  const { reach, pass, kinds } = setUp()
  pass(2_900)
  reach(true)
  expect(kinds()).toEqual([])
})

test('a server that can’t be reached is reported once, and so is its return', () => {
  const { reach, pass, kinds, reports } = setUp()
  for (let second = 0; second < 5; second += 1) pass(1_000)
  expect(reports).toEqual([{ kind: 'desk-alone', why: SILENT }])
  reach(true)
  reach(false, REFUSED)
  expect(kinds()).toEqual(['desk-alone', 'desk-back', 'desk-alone'])
})

test('the report of a lost server has the reason that the window shows, once it is known', () => {
  const { trouble, reach, pass, reports } = setUp()
  reach(true)
  reach(false)
  pass(300)
  expect(reports).toEqual([])
  expect(trouble.why).toBeUndefined()
  reach(false, REFUSED)
  expect(trouble.why).toBe(REFUSED)
  pass(60_000)
  expect(reports).toEqual([{ kind: 'desk-alone', why: REFUSED }])
})

test('without a reason for a second, a lost server is reported as silent, on each surface', () => {
  const { trouble, reach, pass, reports } = setUp()
  reach(true)
  reach(false)
  pass(999)
  expect(reports).toEqual([])
  pass(1)
  expect(reports).toEqual([{ kind: 'desk-alone', why: SILENT }])
  expect(trouble.why).toBe(SILENT)
})

test('a problem of the desk’s earlier run ends once the new run is on the desk', () => {
  const tracker = new ConditionTracker()
  setUp(tracker).trouble.refuse({ code: 'other-user' })
  const { reach, pass, kinds } = setUp(tracker)
  pass(1_000)
  expect(kinds()).toEqual([])
  reach(true)
  pass(1_000)
  expect(kinds()).toEqual(['desk-back'])
})

test('a server that is back before a reason was known is no trouble', () => {
  const { reach, pass, reports } = setUp()
  reach(true)
  reach(false)
  pass(500)
  reach(true)
  pass(60_000)
  expect(reports).toEqual([])
})

test('a member with another version is named as long as it is heard, and the desk continues', () => {
  const { trouble, reach, pass, kinds } = setUp()
  reach(true)
  trouble.mismatched({ code: 'update-there', machine: 'SERVER' })
  expect(trouble.isRefused).toBe(false)
  expect(trouble.why).toContain('Update Headroom on SERVER.')
  pass(4_400)
  trouble.mismatched({ code: 'update-there', machine: 'SERVER' })
  pass(4_400)
  expect(kinds()).toEqual(['desk-alone'])
  pass(200)
  expect(kinds()).toEqual(['desk-alone', 'desk-back'])
  expect(trouble.refusal).toBeUndefined()
})

test('a refusal stays, and replaces what was reported before', () => {
  const { trouble, reach, pass, reports } = setUp()
  reach(true)
  trouble.mismatched({ code: 'update-here', machine: 'SERVER' })
  trouble.refuse({ code: 'rotated' })
  pass(60_000)
  expect(trouble.isRefused).toBe(true)
  expect(reports.map((report) => 'refusal' in report && report.refusal)).toEqual(['update-here', 'rotated'])
})

test('without a dispatcher, an event comes after two seconds, and the desk is unreachable after eight', () => {
  const { trouble, reach, pass, dispatch, reports } = setUp()
  reach(true)
  dispatch('starting')
  pass(2_000)
  expect(reports).toEqual([])
  dispatch('alone')
  pass(2_000)
  expect(reports).toEqual([])
  pass(1)
  const why = 'No machine dispatches the desk’s queue.'
  expect(reports).toEqual([{ kind: 'desk-alone', why, reachable: true }])
  pass(5_999)
  expect(trouble.isAlone).toBe(false)
  expect(trouble.why).toBeUndefined()
  pass(1)
  expect(trouble.isAlone).toBe(true)
  expect(trouble.why).toBe(why)
  dispatch('granted')
  expect(trouble.isAlone).toBe(false)
  expect(reports.at(-1)).toEqual({ kind: 'desk-back' })
})

test('a machine whose messages are too slow says so at once, and only once while it tries again', () => {
  const { trouble, reach, pass, dispatch, reports } = setUp()
  reach(true)
  dispatch('alone', true)
  const why = 'This machine’s messages reach the desk too late.'
  expect(reports).toEqual([{ kind: 'desk-alone', why, reachable: true }])
  pass(1)
  expect([trouble.isAlone, trouble.why]).toEqual([true, why])
  dispatch('granted', true)
  expect(trouble.isAlone).toBe(false)
  dispatch('alone', true)
  expect(reports).toHaveLength(1)
  dispatch('granted')
  expect(reports.at(-1)).toEqual({ kind: 'desk-back' })
})

test('a server that becomes unreachable while the desk has no dispatcher is reported too', () => {
  const { trouble, reach, pass, dispatch, reports } = setUp()
  reach(true)
  dispatch('alone')
  pass(3_000)
  reach(false, REFUSED)
  expect(trouble.isAlone).toBe(true)
  expect(reports).toEqual([
    expect.objectContaining({ kind: 'desk-alone', reachable: true }),
    { kind: 'desk-alone', why: REFUSED },
  ])
})

test('a server that is lost is the only trouble, although its dispatcher is silent before that is noticed', () => {
  const { reach, pass, dispatch, reports } = setUp()
  reach(true)
  dispatch('alone')
  pass(1_900)
  reach(false)
  pass(5_000)
  expect(reports).toEqual([{ kind: 'desk-alone', why: SILENT }])
})
