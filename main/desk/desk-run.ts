import { randomBytes } from 'node:crypto'
import type { Clock, Random } from '../ports/ports.ts'
import { DeskSession, type DeskSessionDeps } from './desk-session.ts'
import type { DeskRun, DeskRunParts } from './desks.ts'

/** Facts about the person at this machine. The desk sends them to the other members. */
export type DeskPerson = Pick<DeskSessionDeps, 'lookedAtMs' | 'snooze'>

export interface DeskRunPorts {
  readonly clock: Clock
  readonly random: Random
  readonly person: DeskPerson
}

/** Runs the desk of a connected key. While the desk runs, it is attached to the key's session. */
export function deskRun(
  { session, membership, engine, isFromStart }: DeskRunParts,
  { clock, random, person }: DeskRunPorts,
): DeskRun {
  const { ledger, slots, tap, prober, timeline } = session.parts
  const desk: DeskSession = new DeskSession({
    ...{ membership, engine, isFromStart, clock, random, randomBytes, ledger, slots, tap, prober, timeline },
    ...person,
    programs: () => session.programs,
    revokedAtMs: () => session.revokedAtMs,
    revoked: () => session.revokedElsewhere(),
    report: (report) => session.happened(report),
    changed: () => session.changed(),
    // Attaches the desk again, so that the gateway finds no queue in it. The gateway's own scheduler then
    // decides.
    queueEnded: () => session.attachDesk(desk),
  })
  return {
    start: () => {
      session.attachDesk(desk)
      desk.start()
    },
    rotated: () => desk.rotated(),
    refuse: (code) => desk.refuse(code),
    // Detaches the desk before it ends, because another desk may start on the same key while this one is
    // ending.
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
