import { type KeyLifetimes, ROTATION } from '../../app/tokens/after-refresh.ts'
import { REFRESH_SCHEDULE } from '../../app/tokens/schedule.ts'
import type { Profile } from '../monitor/profile.ts'

/** How long the tokens of a key live, with what a person chose for it. */
export const lifetimesOf = ({ rotationMinutes }: Pick<Profile, 'rotationMinutes'>): KeyLifetimes => ({
  schedule: REFRESH_SCHEDULE,
  ...ROTATION,
  ...(rotationMinutes !== undefined && { rotationMs: rotationMinutes * 60_000 }),
})
