import type { ProbeSettings, Profile } from '../../monitor/profile.ts'
import type { WatchFlags } from './flags.ts'

/**
 * A key as this run watches it: what the flags say, and where they say nothing what was chosen of it.
 *
 * For this run only: the choice that is stored with the key stays as it is.
 */
export function asWatched(
  profile: Profile,
  { probe, probeSymbol, trialAfterStep, stream }: WatchFlags,
): Profile {
  const probes: ProbeSettings = {
    ...profile.probes,
    ...probe,
    ...(probeSymbol !== undefined && { symbol: probeSymbol }),
    ...(trialAfterStep && { trialAfterStep }),
  }
  return { ...profile, probes, streams: stream ?? profile.streams }
}
