import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Look } from './judge.ts'
import { POLLED } from './programs.ts'

/**
 * Lowest and highest number of requests that the service would still have accepted around the time of a
 * snapshot.
 */
export interface Truth {
  readonly least: number
  readonly most: number
}

/**
 * Tolerance in requests: a header contains whole requests, and the snapshot and the count are not from the
 * same time.
 */
const OFF_BY = 1

/** Problems in a snapshot at a time without faults. `truthOf`: the service's counts by category. */
export function lookOf(snapshot: Snapshot, truthOf: (category: string) => Truth | undefined): Look {
  const wrong: Record<string, string> = {}
  const unbound: Record<string, string> = {}
  const { service, access, refresh, requests, streams, at } = snapshot
  if (!service.reachable) wrong['service'] = 'not reachable'
  if (access.state !== 'valid') wrong['token'] = access.state
  if (refresh.state !== 'valid') wrong['refresh token'] = refresh.state
  for (const { id, category, target, state, reason } of streams)
    if (state !== 'live') wrong[`stream ${category} ${target} ${id}`] = `${state}, ${reason ?? 'no reason'}`
  for (const category of POLLED) {
    const row = requests.find((one) => one.category === category)
    const truth = truthOf(category)
    if (row?.observedAt === undefined) unbound[category] = 'not observed'
    else if (truth && (truth.most < row.low - OFF_BY || truth.least > row.high + OFF_BY))
      unbound[category] = `${row.low} to ${row.high}, and the service has ${truth.least} to ${truth.most}`
  }
  return { atMs: at, wrong, unbound }
}
