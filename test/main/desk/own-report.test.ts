import { expect, test } from 'vitest'
import type { ReportMessage } from '../../../app/desk/messages.ts'
import { RowHeaders } from '../../../app/desk/row-headers.ts'
import { OtherMember } from '../../../main/desk/other-member.ts'
import { OwnReports, type Reporting } from '../../../main/desk/own-report.ts'

const NOW_MS = 1_700_000_000_000

/** The reports of a machine on which a person chose a snooze and looked at the window. */
class Machine {
  readonly snooze: { untilMs?: number; chosenAtMs?: number } = {
    untilMs: NOW_MS + 60_000,
    chosenAtMs: NOW_MS - 5_000,
  }
  readonly counted: Record<string, number> = { Positions: 4 }
  readonly reports = new OwnReports()
  #second = 0

  next(): ReportMessage {
    const parts: Reporting = {
      membership: { name: 'LAPTOP', marks: {} },
      ledger: { ownRates: () => ({}), reserves: {} },
      prober: { budget: 0.1 },
      programs: () => [],
      snooze: { read: () => this.snooze, adopt: () => {} },
    }
    this.#second += 1
    const nowMs = NOW_MS + 1_000 * this.#second
    const totals = { counted: { ...this.counted }, streams: {}, underWay: [] }
    return this.reports.next(parts, { nowMs, totals, inputAge: nowMs - NOW_MS, revokedAtMs: undefined })
  }
}

test('a report with no news is short, although its ages grow', () => {
  const machine = new Machine()
  expect(machine.next()).toMatchObject({ kind: 'report', number: 1, inputAge: 1_000, snoozeAge: 6_000 })
  expect(machine.next()).toEqual({ kind: 'unchanged', report: 1 })
  machine.counted['Positions'] = 5
  expect(machine.next()).toMatchObject({ kind: 'report', number: 2, counted: { Positions: 5 } })
  expect(machine.next()).toEqual({ kind: 'unchanged', report: 2 })
  machine.snooze.untilMs = NOW_MS + 90_000
  expect(machine.next()).toMatchObject({ kind: 'report', number: 3, snoozeMs: 85_000 })
})

test('a report is sent in full where another member may lack the last one, and once in ten', () => {
  const machine = new Machine()
  machine.next()
  machine.reports.forget()
  expect(machine.next()).toMatchObject({ kind: 'report', number: 2 })
  const kinds = Array.from({ length: 20 }, () => machine.next().kind)
  expect(kinds.flatMap((kind, at) => (kind === 'report' ? [at] : []))).toEqual([9, 19])
})

test('a short report makes a member present only with the report that it names, of the same run', () => {
  const member = new OtherMember('aa', {
    clock: { monotonicMs: () => 0 },
    heardMs: () => 0,
    record: {
      ledger: {
        apartSinceMs: 0,
        sentByDesk: () => expect.unreachable(),
        notSent: () => {},
        lost: () => {},
        missedByDesk: () => {},
        foundByDesk: () => {},
      },
      headers: new RowHeaders(),
      now: () => NOW_MS,
      sinceMs: NOW_MS,
      answered: () => undefined,
      checked: () => {},
      slots: () => {},
    },
  })
  const sentAt = { fromMs: NOW_MS, toMs: NOW_MS }
  const says = (message: ReportMessage) => {
    member.reported(message, sentAt)
    return member.isPresent
  }
  const report = new Machine().next()
  member.began('first')
  expect(says({ kind: 'unchanged', report: 1 })).toBe(false)
  expect(says(report)).toBe(true)
  member.lost()
  expect(says({ kind: 'unchanged', report: 2 })).toBe(false)
  expect(says({ kind: 'unchanged', report: 1 })).toBe(true)
  member.lost()
  member.began('second')
  expect(says({ kind: 'unchanged', report: 1 })).toBe(false)
})
