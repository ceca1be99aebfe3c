import type { DeskMember, DeskSummary } from '../contract/desk.ts'
import type { Severity } from '../contract/severity.ts'
import type { Snapshot } from '../contract/snapshot.ts'
import { dayAndClockText } from './moments.ts'
import { countText } from './rates.ts'

/** One machine of a desk, the same on every surface. */
export interface Machine {
  readonly id: string
  readonly name: string
  readonly isSelf: boolean
  /** `dispatches`: dispatches the desk's queue. `dispatched`: dispatched it last, and no machine does now. */
  readonly role?: 'dispatches' | 'dispatched'
  /** `unknown` for a machine whose messages don't arrive. */
  readonly severity: Severity
  /** `executor 0.31 · scanner 0.75`, `doesn’t respond, last seen 14:31:03`, `alone since 14:31:04`. */
  readonly note: string
  /** `1.06/s`, or a dash for a machine whose messages don't arrive. */
  readonly rate: string
  /** The machine's share of the desk's use, 0 to 1. */
  readonly share: number
}

/** Maximum number of programs that are named for one machine. */
const MAX_PROGRAMS = 3

/** The machines of the desk, this one first. Empty without a desk. */
export function deskMachines({ desk, programs = [], at }: Snapshot): readonly Machine[] {
  if (desk === undefined) return []
  const most = desk.members.reduce((sum, { present, perSecond }) => sum + (present ? perSecond : 0), 0)
  return desk.members.map((member): Machine => {
    const { id, name, self: isSelf, present, perSecond } = member
    return {
      ...{ id, name, isSelf, ...roleOf(id, desk) },
      severity: present ? 'ok' : 'unknown',
      note: isSelf
        ? (aloneText(desk, at) ?? programsText(programs))
        : present
          ? programsText(member.programs ?? [])
          : silenceText(desk, member, at),
      rate: present ? `${perSecond.toFixed(2)}/s` : '–',
      share: present && most > 0 ? perSecond / most : 0,
    }
  })
}

function roleOf(id: string, { dispatcher, queue }: DeskSummary): Pick<Machine, 'role'> {
  if (id === dispatcher) return { role: 'dispatches' }
  return id === queue?.lastDispatcher ? { role: 'dispatched' } : {}
}

function aloneText({ state, queue, engine }: DeskSummary, atMs: number): string | undefined {
  if (state === 'joined' && queue?.mode !== 'alone') return undefined
  const since = queue?.since ?? engine.since
  return since === undefined ? 'works alone' : `alone since ${dayAndClockText(since, atMs)}`
}

/**
 * The note of a machine whose messages don't arrive. While the server can't be reached, it is unknown whether
 * the machine responds.
 */
function silenceText({ state }: DeskSummary, { lastSeenMs }: DeskMember, atMs: number): string {
  const seen = `last seen ${dayAndClockText(atMs - lastSeenMs, atMs)}`
  return state === 'joined' ? `doesn’t respond, ${seen}` : seen
}

function programsText(programs: readonly { readonly name: string; readonly perSecond: number }[]): string {
  if (programs.length === 0) return 'no programs'
  const busiest = programs.toSorted((a, b) => b.perSecond - a.perSecond)
  const more = programs.length - MAX_PROGRAMS
  const named = busiest
    .slice(0, MAX_PROGRAMS)
    .map(({ name, perSecond }) => `${name} ${perSecond.toFixed(2)}`)
    .join(' · ')
  return more > 0 ? `${named} · ${more} more` : named
}

/** `3 machines`, or `2 of 3 machines` if messages arrive from only two machines. */
export function machinesText({ members }: Pick<DeskSummary, 'members'>): string {
  const present = members.filter((one) => one.present).length
  const all = countText(members.length, 'machine')
  return present === members.length ? all : `${present} of ${all}`
}

/** `3 machines, one queue` if a dispatcher schedules several machines. Otherwise `3 machines`. */
export const sharedText = (desk: DeskSummary): string =>
  desk.queue?.mode === 'granted' && desk.members.length > 1
    ? `${machinesText(desk)}, one queue`
    : machinesText(desk)

/** Whether the desk's server can be reached. Also its round-trip time, or when it became unreachable. */
export function engineStatus({ engine: { reachable, since, roundTripMs } }: DeskSummary, nowMs: number) {
  if (!reachable) {
    const facts = since === undefined ? [] : [`since ${dayAndClockText(since, nowMs)}`]
    return { severity: 'warning', label: 'unreachable', facts } as const
  }
  const facts = roundTripMs === undefined ? [] : [`round trip ${roundTripMs.toFixed(1)} ms`]
  return { severity: 'ok', label: 'ok', facts } as const
}

const nameOf = ({ members }: DeskSummary, id: string | undefined): string | undefined =>
  members.find((one) => one.id === id)?.name

/** `SERVER dispatches`, or `SERVER dispatched last`. Empty if no dispatcher is known. */
export function dispatcherText(desk: DeskSummary): string {
  const name = nameOf(desk, desk.dispatcher)
  if (name !== undefined) return `${name} dispatches`
  const last = nameOf(desk, desk.queue?.lastDispatcher)
  return last === undefined ? '' : `${last} dispatched last`
}

/** `WORKSTATION announces alerts`. Empty if the announcing machine is unknown. */
export function announcerText(desk: DeskSummary): string {
  const name = nameOf(desk, desk.announces)
  return name === undefined ? '' : `${name} announces alerts`
}
