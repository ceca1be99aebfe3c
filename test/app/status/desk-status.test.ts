import '../../renderer/utc.ts'
import { expect, it } from 'vitest'
import type { DeskSummary } from '../../../app/contract/desk.ts'
import type { ProgramSummary } from '../../../app/contract/snapshot.ts'
import {
  announcerText,
  deskMachines,
  dispatcherText,
  engineStatus,
  machinesText,
  sharedText,
} from '../../../app/status/desk-status.ts'
import { DESK, DESK_ALONE, NOW_MS, snapshot } from '../../renderer/fixtures.ts'

const program = (name: string, perSecond: number) => ({ name, perSecond }) as ProgramSummary
const machinesOf = (desk: DeskSummary, programs: readonly ProgramSummary[] = []) =>
  deskMachines(snapshot({ desk, programs })).map(({ name, note, rate }) => [name, note, rate])

it('shows each machine with its programs and its rate, and its share of the desk’s use', () => {
  const programs = [program('executor', 0.31), program('scanner', 0.75)]
  expect(machinesOf(DESK, programs)).toEqual([
    ['WORKSTATION', 'scanner 0.75 · executor 0.31', '1.06/s'],
    ['LAPTOP', 'dashboard 0.25', '0.25/s'],
    ['SERVER', 'risk 0.20', '0.20/s'],
  ])
  const [first] = deskMachines(snapshot({ desk: DESK }))
  expect(first).toMatchObject({ isSelf: true, severity: 'ok', note: 'no programs' })
  expect(first?.share).toBeCloseTo(1.06 / 1.51)
})

it('names at most three programs of a machine', () => {
  const programs = ['a', 'b', 'c', 'd', 'e'].map((name, at) => program(name, at / 10))
  expect(machinesOf(DESK, programs)[0]?.[1]).toBe('e 0.40 · d 0.30 · c 0.20 · 2 more')
})

it('shows since when a machine has been silent', () => {
  const [self, laptop, server] = DESK.members
  if (self === undefined || laptop === undefined || server === undefined) throw new Error('no member')
  const lost = { ...DESK, members: [self, { ...laptop, present: false, lastSeenMs: 9_000 }, server] }
  expect(machinesOf(lost)[1]).toEqual(['LAPTOP', 'doesn’t respond, last seen 14:30:56', '–'])
  expect(machinesText(lost)).toBe('2 of 3 machines')
})

it('shows that this machine works alone while the server can’t be reached', () => {
  expect(machinesOf(DESK_ALONE)).toEqual([
    ['WORKSTATION', 'alone since 14:31:04', '1.06/s'],
    ['LAPTOP', 'last seen 14:31:02', '–'],
    ['SERVER', 'last seen 14:31:02', '–'],
  ])
  expect(machinesText(DESK_ALONE)).toBe('1 of 3 machines')
  expect(engineStatus(DESK_ALONE, NOW_MS)).toEqual({
    severity: 'warning',
    label: 'unreachable',
    facts: ['since 14:31:03'],
  })
  const refused = { ...DESK, state: 'refused', members: DESK.members.slice(0, 1) } as const
  expect(machinesOf(refused)).toEqual([['WORKSTATION', 'works alone', '1.06/s']])
})

it('names the day of a time that is not today', () => {
  const [self, laptop] = DESK_ALONE.members
  if (self === undefined || laptop === undefined) throw new Error('no member')
  const yesterday = NOW_MS - 30 * 3_600_000
  const engine = { ...DESK_ALONE.engine, since: yesterday }
  const lost: DeskSummary = {
    ...{ ...DESK_ALONE, engine, queue: { mode: 'alone', since: yesterday } },
    members: [self, { ...laptop, lastSeenMs: 10 * 86_400_000 }],
  }
  expect(machinesOf(lost).map(([, note]) => note)).toEqual([
    'alone since Thu 08:31:05',
    'last seen 2026-03-03 14:31:05',
  ])
  expect(engineStatus(lost, NOW_MS).facts).toEqual(['since Thu 08:31:05'])
})

it('shows the server', () => {
  expect(engineStatus(DESK, NOW_MS)).toEqual({ severity: 'ok', label: 'ok', facts: ['round trip 1.4 ms'] })
  expect(
    engineStatus({ ...DESK, engine: { server: 'nats.lan:4222', reachable: true } }, NOW_MS).facts,
  ).toEqual([])
  expect(machinesText(DESK)).toBe('3 machines')
})

it('shows who dispatches the queue and who announces alerts', () => {
  expect(dispatcherText(DESK)).toBe('SERVER dispatches')
  expect(announcerText(DESK)).toBe('WORKSTATION announces alerts')
  const gone = { ...DESK, dispatcher: 'gone', announces: 'gone' }
  expect([dispatcherText(gone), announcerText(gone)]).toEqual(['', ''])
  expect(sharedText(DESK)).toBe('3 machines, one queue')
  expect(sharedText({ ...DESK, members: DESK.members.slice(0, 1) })).toBe('1 machine')
  expect(deskMachines(snapshot({ desk: DESK })).map(({ role }) => role)).toEqual([
    undefined,
    undefined,
    'dispatches',
  ])
})

it('shows who dispatched last and since when this machine works alone', () => {
  expect(dispatcherText(DESK_ALONE)).toBe('SERVER dispatched last')
  expect(sharedText(DESK_ALONE)).toBe('1 of 3 machines')
  expect(deskMachines(snapshot({ desk: DESK_ALONE })).map(({ role }) => role)).toEqual([
    undefined,
    undefined,
    'dispatched',
  ])
  // During a take-over, the desk does not count as unreachable yet.
  const { state, members, engine } = DESK
  const during: DeskSummary = { ...DESK_ALONE, state, members, engine }
  expect(machinesOf(during).map(([, note]) => note)).toEqual([
    'alone since 14:31:04',
    'dashboard 0.25',
    'risk 0.20',
  ])
})

it('is empty without a desk', () => {
  expect(deskMachines(snapshot())).toEqual([])
})
