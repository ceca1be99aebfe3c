import type { Severity } from '../contract/severity.ts'
import type { GatewaySummary, ProgramSummary } from '../contract/snapshot.ts'
import { minuteText } from './moments.ts'

/** The state of the gateway in words, with its severity. */
export function gatewayStatus({ state, url, why }: GatewaySummary): {
  readonly text: string
  readonly severity: Severity
} {
  switch (state) {
    case 'off':
      return { text: 'The gateway is off', severity: 'unknown' }
    case 'serving':
      return { text: `The gateway serves programs at ${url ?? 'this machine'}`, severity: 'ok' }
    case 'failed':
      return { text: `The gateway can’t serve: ${why ?? 'its port cannot be used'}`, severity: 'warning' }
  }
}

export type ProgramState = 'paused' | 'waiting' | 'active' | 'idle' | 'not seen yet'

/**
 * A program is `waiting` while one of its requests is queued. It is `active` if it sent a request in the last
 * minute or has an open stream.
 */
export function programState({
  pausedUntil,
  waiting,
  perSecond,
  streams,
  lastSeenAt,
}: ProgramSummary): ProgramState {
  if (pausedUntil !== undefined) return 'paused'
  if (waiting > 0) return 'waiting'
  if (perSecond > 0 || streams > 0) return 'active'
  return lastSeenAt === undefined ? 'not seen yet' : 'idle'
}

/** The text of `programState`: `paused until 14:36`, `idle`. */
export function programStateText(program: ProgramSummary): string {
  const { pausedUntil } = program
  return pausedUntil === undefined ? programState(program) : `paused until ${minuteText(pausedUntil)}`
}
