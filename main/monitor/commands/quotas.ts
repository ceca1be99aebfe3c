import type { Feature } from '../../../app/contract/ipc.ts'
import type { Outcome } from '../../../app/contract/outcome.ts'
import type { quotasContract } from '../../../app/contract/quotas.ts'
import { cannotAsk, needsAccount, needsTarget } from '../../api/check-errors.ts'
import { streamToCheck } from '../../streams/stream-check.ts'
import type { MonitorSurface } from '../monitor-surface.ts'
import type { ProfileParts } from '../profile-parts.ts'

export function quotaCommands(monitor: Pick<MonitorSurface, 'withProfile'>): Feature<typeof quotasContract> {
  return {
    handlers: {
      checkNow: ({ profile, category }) =>
        monitor.withProfile(profile, ({ parts }) => checkNow(category, parts)),
      rowDetails: ({ profile, category }) =>
        monitor.withProfile(profile, ({ parts }) => ({ ok: true, details: parts.tap.detailsOf(category) })),
    },
  }
}

/** Checks one row. Sends a request, or opens a stream if only streams show the category's quota. */
async function checkNow(
  category: string,
  { prober, streams, mayUseService }: Pick<ProfileParts, 'prober' | 'streams' | 'mayUseService'>,
): Promise<Outcome> {
  const request = streamToCheck(category, prober)
  if (request === undefined) return prober.checkNow(category)
  if (request === 'no-target') return needsTarget(category)
  if (!mayUseService()) return cannotAsk(category)
  return request === 'no-account' ? needsAccount(category) : streams.look(request)
}
