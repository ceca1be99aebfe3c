import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { headline } from '../../../app/status/key-status.ts'
import { accessStatus, refreshStatus } from '../../../app/status/token-status.ts'
import { duration } from './cells.ts'

/** How the key stands, before anything else: a narrow terminal cuts what comes last. */
export function verdictLine(snapshot: Snapshot, nowMs: number): string {
  return headline(snapshot, nowMs).headline
}

/** Whose key this is, and whether its service answers. */
export function serviceLine({ profile, service }: Snapshot, nowMs: number): string {
  const retry = service.retryAt === undefined ? '' : `, trying again in ${duration(service.retryAt - nowMs)}`
  const why = service.why === undefined ? '' : ` (${service.why})`
  const reach = service.reachable ? service.host : `${service.host} unreachable${why}${retry}`
  return `${profile.name} (${profile.environment})  ${reach}`
}

export function tokenLine({ access }: Snapshot, nowMs: number): string {
  const { label } = accessStatus(access, nowMs)
  if (label !== 'valid') return `access token   ${label}`
  const end = access.expiresAt === undefined ? '' : `, ends in ${duration(access.expiresAt - nowMs)}`
  const next = access.refreshAt === undefined ? '' : `, next refresh in ${duration(access.refreshAt - nowMs)}`
  return `access token   ${label}${end}${next}`
}

export function refreshLine({ refresh }: Snapshot, nowMs: number): string {
  const parts = [refreshStatus(refresh, nowMs).label]
  if (refresh.reason !== undefined) parts.push(refresh.reason)
  if (refresh.rotating && refresh.rotatesBy !== undefined) {
    parts.push(`rotates within ${duration(refresh.rotatesBy - nowMs)}`)
  }
  if (refresh.endsAt !== undefined) parts.push(`sign-in ends in ${duration(refresh.endsAt - nowMs)}`)
  if (refresh.retryAt !== undefined) parts.push(`trying again in ${duration(refresh.retryAt - nowMs)}`)
  parts.push(refresh.stored === 'sealed' ? 'sealed on disk' : 'in memory only')
  return `refresh token  ${parts.join(', ')}`
}
