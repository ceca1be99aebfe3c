import type { Outcome } from '../../app/contract/outcome.ts'
import type { CurrentKeySettings } from '../../app/contract/settings.ts'
import { PROBED_CATEGORIES } from '../api/probe-requests.ts'
import type { ProfileStore } from '../vault/profile-store.ts'
import { profileWith, settingsOf } from './key-settings.ts'
import type { SettingsChange } from './monitor-surface.ts'
import type { Profile } from './profile.ts'
import type { ProfileMonitor } from './profile-monitor.ts'

/** What holds of a key now, and whether it will after a restart. */
export function keptSettings(
  { profile, settingsAt }: Pick<ProfileMonitor, 'profile' | 'settingsAt'>,
  storage: Pick<ProfileStore, 'keepsSettings'>,
): Outcome<CurrentKeySettings> {
  const kept = storage.keepsSettings(profile) ? 'stored' : 'until-exit'
  return { ok: true, settings: settingsOf(profile), settingsAt, kept, probed: PROBED_CATEGORIES }
}

/** The profile after a change that is stored; what is not stored does not hold. */
export function keepSettings(
  profile: Profile,
  change: SettingsChange,
  storage: Pick<ProfileStore, 'keepSettings'>,
): Outcome<{ readonly profile: Profile }> {
  const changed = profileWith(profile, change)
  if (!changed.ok) return changed
  const saved = storage.keepSettings(changed.profile)
  if (saved.ok) return changed
  const message = `That could not be kept: ${saved.why}. Nothing was changed; try again.`
  return { ok: false, code: 'not-kept', message }
}
