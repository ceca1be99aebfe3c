import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { DESK_LIMITS, type deskContract } from '../../app/contract/desk.ts'
import type { Handlers } from '../../app/contract/ipc.ts'
import { sessionOf } from '../monitor/monitor-surface.ts'
import type { Clock, Random } from '../ports/ports.ts'
import { DeskCommands, type DeskCommandsDeps } from './desk-commands.ts'
import { DeskSession, type DeskSessionDeps } from './desk-session.ts'
import { type DeskRun, type DeskRunParts, Desks, type DesksDeps, keyOf } from './desks.ts'
import { natsEngines } from './nats-engine.ts'

/** The desks of a process, and the commands for them. */
export type DeskService = ReturnType<typeof deskService>

export type DeskServiceDeps = Omit<DesksDeps, 'engines' | 'clock' | 'createRun' | 'randomBytes'> &
  DeskRunPorts

/** The desks of the connected keys, on NATS. */
export function deskService({ clock, random, person, ...deps }: DeskServiceDeps) {
  const engines = natsEngines({ clock, random, randomBytes })
  const createRun = (parts: DeskRunParts) => deskRun(parts, { clock, random, person })
  const desks = new Desks({ ...deps, engines, clock, randomBytes, createRun })
  const { monitor, store, secrets } = deps
  const { handlers } = new DeskCommands({
    ...common({ store, secrets }),
    engines,
    keyOf: (profile) => {
      const session = sessionOf(monitor, profile)
      return session && keyOf(session)
    },
    running: desks,
  })
  return { handlers, follow: () => desks.follow(), stop: () => desks.stop() }
}

/** The commands for the desks of a data folder that no app is using. They change only the stored desks. */
export const storedDeskCommands = (
  deps: Pick<DeskCommandsDeps, 'store' | 'secrets' | 'keyOf'>,
  ports: Pick<DeskRunPorts, 'clock' | 'random'>,
): Handlers<typeof deskContract> =>
  new DeskCommands({ ...deps, ...common(deps), engines: natsEngines({ ...ports, randomBytes }) }).handlers

const common = ({ store, secrets }: Pick<DeskCommandsDeps, 'store' | 'secrets'>) => ({
  store,
  secrets,
  randomBytes,
  hostName: hostname().slice(0, DESK_LIMITS.name) || 'this machine',
})

/** Facts about the person at this machine. The desk sends them to the other members. */
export type DeskPerson = Pick<DeskSessionDeps, 'lookedAtMs' | 'snooze'>

export interface DeskRunPorts {
  readonly clock: Clock
  readonly random: Random
  readonly person: DeskPerson
}

/** Runs the desk of a connected key. While the desk runs, it is attached to the key's session. */
export function deskRun(
  { session, ...parts }: DeskRunParts,
  { clock, random, person }: DeskRunPorts,
): DeskRun {
  const { ledger, slots, tap, prober, timeline } = session.parts
  const desk: DeskSession = new DeskSession({
    ...parts,
    ...person,
    ...{ clock, random, randomBytes, ledger, slots, tap, prober, timeline },
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
