import { randomBytes } from 'node:crypto'
import type { Clock, Random } from '../ports/ports.ts'
import { DeskSession, type DeskSessionDeps } from './desk-session.ts'
import type { DeskRun, DeskRunParts } from './desks.ts'

/** What a desk shares of the person at this machine. */
export type DeskPerson = Pick<DeskSessionDeps, 'lookedAtMs' | 'snooze'>

export interface DeskRunPorts {
  readonly clock: Clock
  readonly random: Random
  readonly person: DeskPerson
}

/** A desk's session, attached to the key's session from its start to its end. */
export function deskRun(
  { session, membership, engine }: DeskRunParts,
  { clock, random, person }: DeskRunPorts,
): DeskRun {
  const { ledger, slots, tap, prober, timeline } = session.parts
  const desk = new DeskSession({
    ...{ membership, engine, clock, random, randomBytes, ledger, slots, tap, prober, timeline },
    ...person,
    programs: () => session.programs,
    revokedAtMs: () => session.revokedAtMs,
    revoked: () => session.revokedElsewhere(),
    report: (report) => session.attachedHappened(report),
    changed: () => session.attachedChanged(),
  })
  return {
    start: () => {
      session.attachDesk(desk)
      desk.start()
    },
    rotated: () => desk.rotated(),
    refuse: (code) => desk.refuse(code),
    // It is detached at once, because another run may start on this session while this one still ends.
    leave: () => {
      session.attachDesk(undefined)
      return desk.leave()
    },
    close: () => {
      session.attachDesk(undefined)
      return desk.close()
    },
  }
}
