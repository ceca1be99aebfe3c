import type { ProgramSummary } from '../../app/contract/snapshot.ts'
import type { ProfileSession } from '../monitor/profile-session.ts'
import type { Forwarder, WaitingNow } from './forwarder.ts'
import type { Program } from './programs.ts'

/** A forwarder, and the session of its key. A reconnected key has a new session. */
export interface Attached {
  readonly session: ProfileSession
  readonly forwarder: Forwarder
}

/** The counts of a program while its key is not connected, or while no app is running. */
export const NO_USE = {
  forwarded: 0,
  coalesced: 0,
  refused: 0,
  perSecond: 0,
  waiting: 0,
  longestWaitMs: 0,
  streams: 0,
  use: [],
} as const

/** A program with its current activity. While its key is not connected, it has no activity. */
export function summaryOf(program: Program, attached: Attached | undefined): ProgramSummary {
  const { profile: _, ...shown } = program
  if (attached === undefined) return { ...shown, ...NO_USE }
  const nowMs = attached.session.parts.timeline.now()
  const { use, waiting } = attached.forwarder.nowOf(program)
  const used = use.byCategory(nowMs)
  const names = new Set([...used.map(({ category }) => category), ...waiting.map(({ category }) => category)])
  return {
    ...shown,
    ...(use.lastSeenAtMs !== undefined && { lastSeenAt: Math.round(use.lastSeenAtMs) }),
    forwarded: used.reduce((sum, { forwarded }) => sum + forwarded, 0),
    coalesced: use.coalesced,
    refused: use.refused,
    rejected: use.rejected,
    perSecond: used.reduce((sum, { perSecond }) => sum + perSecond, 0),
    waiting: waiting.length,
    longestWaitMs: longestWaitOf(waiting, nowMs),
    streams: use.streams,
    use: [...names].map((category) => ({
      category,
      forwarded: used.find((one) => one.category === category)?.forwarded ?? 0,
      perSecond: used.find((one) => one.category === category)?.perSecond ?? 0,
      ...waitOf(
        waiting.filter((one) => one.category === category),
        nowMs,
      ),
    })),
  }
}

/** The number of a category's waiting requests, their longest wait so far, and their next and last turns. */
function waitOf(
  waiting: readonly WaitingNow[],
  nowMs: number,
): Omit<ProgramSummary['use'][number], 'category' | 'forwarded' | 'perSecond'> {
  if (waiting.length === 0) return { waiting: 0 }
  const turns = waiting
    .flatMap((one) => (one.turnAtMs === undefined ? [] : [{ ...one, turnAtMs: one.turnAtMs }]))
    .sort((a, b) => a.turnAtMs - b.turnAtMs)
  const [next] = turns
  return {
    waiting: waiting.length,
    longestWaitMs: longestWaitOf(waiting, nowMs),
    ...(next !== undefined && {
      nextTurnAt: Math.round(next.turnAtMs),
      nextCameAt: Math.round(next.sinceMs),
      nextPatientUntil: Math.round(next.untilMs),
      lastTurnAt: Math.round(turns.at(-1)?.turnAtMs ?? next.turnAtMs),
    }),
  }
}

const longestWaitOf = (waiting: readonly WaitingNow[], nowMs: number): number =>
  Math.round(nowMs - Math.min(nowMs, ...waiting.map(({ sinceMs }) => sinceMs)))
