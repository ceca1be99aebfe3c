import type { Ending, StreamTraits } from './open-stream.ts'
import type { SimulatorFlags } from './options.ts'
import type { Faults } from './rules/faults.ts'
import { GO_AWAY_V2, GO_AWAY_V3 } from './rules/stream-frames.ts'

export interface StreamHabits extends Pick<SimulatorFlags, 'heartbeatSeconds' | 'streamRate'> {
  readonly chance: () => number
}

const SAID_AFTER_MS = 10_000
const LINGER_MS = 3000
const HIDDEN_CAP_MS = 3000
const RESET_AFTER_MS = 5000
/** Number of open streams per category that the fault `hidden-cap` permits. */
export const HIDDEN_CAP = 5

export function traitsOf(
  habits: StreamHabits,
  faults: Faults,
  path: string,
  overHiddenCap: boolean,
  atMs: number,
): StreamTraits {
  const ending = overHiddenCap
    ? ({ atMs: atMs + HIDDEN_CAP_MS, lingerMs: 0, how: 'end' } as const)
    : endingOf(faults, path, atMs)
  // A fault with a count affects only new streams, so `strike` is called here, once. A fault without a count
  // also affects open streams, so it is evaluated for each frame.
  const silent = !faults.standing('silent-stream') && faults.strike('silent-stream')
  const split = !faults.standing('split-frames') && faults.strike('split-frames')
  return {
    heartbeatMs: habits.heartbeatSeconds * 1000,
    gapMs: habits.streamRate > 0 ? 1000 / habits.streamRate : Number.POSITIVE_INFINITY,
    ...(ending === undefined ? {} : { ending }),
    silent: () => silent || faults.standing('silent-stream'),
    split: () => split || faults.standing('split-frames'),
    chance: habits.chance,
  }
}

function endingOf(faults: Faults, path: string, atMs: number): Ending | undefined {
  const saying = (lastLine: string): Ending => ({
    atMs: atMs + SAID_AFTER_MS,
    lastLine,
    lingerMs: LINGER_MS,
    how: 'end',
  })
  const isTickBars = path.startsWith('/v2/')
  const isMarketData = path.startsWith('/v3/marketdata/')
  if (faults.strike('goaway-v2')) return saying(JSON.stringify(GO_AWAY_V2))
  if (faults.strike('goaway-v3')) return saying(JSON.stringify(GO_AWAY_V3))
  if (isMarketData && faults.strike('dual-logon')) return saying(errorLine(path, 'DualLogon'))
  if (faults.strike('stream-error')) return saying(errorLine(path, 'InternalServerError'))
  if (isTickBars && faults.strike('tickbars-end')) return saying('END')
  if (isTickBars && faults.strike('tickbars-timeout')) {
    return saying('ERROR - A Timeout Occurred after waiting 15000ms')
  }
  if (faults.strike('stream-reset')) return { atMs: atMs + RESET_AFTER_MS, lingerMs: 0, how: 'reset' }
  return undefined
}

/** The error line that ends a stream, with the first symbol or account in the stream's path. */
function errorLine(path: string, error: string): string {
  const last = decodeURIComponent(path.split('/').at(-1) ?? '').split(',')[0]
  return JSON.stringify({ Symbol: last, Error: error })
}
