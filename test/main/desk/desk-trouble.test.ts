import { expect, test } from 'vitest'
import type { KeyReport } from '../../../app/contract/events.ts'
import { DeskTrouble } from '../../../main/desk/desk-trouble.ts'
import type { EngineState } from '../../../main/desk/engine.ts'

function setUp() {
  let state: EngineState = { server: 'nats:4222', reachable: false }
  let nowMs = 0
  const reports: KeyReport[] = []
  const trouble = new DeskTrouble({
    engine: {
      get state() {
        return state
      },
    },
    clock: { monotonicMs: () => nowMs },
    report: (report) => void reports.push(report),
    changed: () => {},
  })
  const pass = (ms: number) => {
    nowMs += ms
    trouble.tell()
  }
  const reach = (reachable: boolean) => {
    state = { server: 'nats:4222', reachable }
    trouble.tell()
  }
  return { trouble, reports, pass, reach, kinds: () => reports.map(({ kind }) => kind) }
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
  expect(reports).toEqual([{ kind: 'desk-alone', why: 'The server doesn’t respond.' }])
  reach(true)
  reach(false)
  expect(kinds()).toEqual(['desk-alone', 'desk-back', 'desk-alone'])
})

test('a member with another version is named as long as it is heard, and the desk continues', () => {
  const { trouble, reach, pass, kinds } = setUp()
  reach(true)
  trouble.mismatched({ code: 'update-there', machine: 'SERVER' })
  expect(trouble.isRefused).toBe(false)
  expect(trouble.why).toContain('Update Headroom on SERVER.')
  pass(4_900)
  trouble.mismatched({ code: 'update-there', machine: 'SERVER' })
  pass(4_900)
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
