import type { Feature } from '../../../app/contract/ipc.ts'
import type { CommandError, Outcome } from '../../../app/contract/outcome.ts'
import type {
  CurrentKeySettings,
  KeySettings,
  KeySettingsChange,
  settingsContract,
} from '../../../app/contract/settings.ts'
import { PROBED_CATEGORIES } from '../../../app/service/categories.ts'
import { isSymbol } from '../../../app/service/stream-paths.ts'
import { ROTATION } from '../../../app/tokens/schedule.ts'
import { notProbed } from '../../api/check-errors.ts'
import { DEFAULT_PROBE_SYMBOL } from '../../api/prober.ts'
import { DEFAULT_PROBES, type Profile } from '../../ports/profile.ts'
import type { ProfileStore } from '../../sign-in/profile-store.ts'
import type { ShownTimes } from '../../storage/shown-times.ts'
import type { MonitorSurface } from '../monitor-surface.ts'
import type { ProfileSession } from '../profile-session.ts'

/** The commands for the settings of one key and of the whole app. */
export function settingsCommands(
  monitor: Pick<MonitorSurface, 'withProfile'>,
  storage: Pick<ProfileStore, 'keepsSettings' | 'keepSettings'>,
  times: ShownTimes,
): Feature<typeof settingsContract> {
  const current = ({ profile, settingsAt }: ProfileSession): Outcome<CurrentKeySettings> => {
    const kept = storage.keepsSettings(profile) ? 'stored' : 'until-exit'
    return { ok: true, settings: settingsOf(profile), settingsAt, kept, probed: PROBED_CATEGORIES }
  }
  return {
    handlers: {
      keySettings: ({ profile }) => monitor.withProfile(profile, current),
      setKeySettings: ({ profile: id, ...change }) =>
        monitor.withProfile(id, (session) => {
          const changed = profileWith(session.profile, change)
          if (!changed.ok) return changed
          const saved = storage.keepSettings(changed.profile)
          if (!saved.ok) {
            const message = `Saving failed: ${saved.why}. Nothing was changed. Try again.`
            return { ok: false, code: 'not-kept', message }
          }
          session.changeSettings(changed.profile)
          return current(session)
        }),
      timeZone: () => times.zone,
      setTimeZone: ({ zone }) => {
        const saved = times.set(zone)
        if (saved.ok) return saved
        const message = `Applied until Headroom quits. Saving failed: ${saved.why}.`
        return { ok: false, code: 'not-stored', message }
      },
    },
    follow: ({ timeZoneChanged }) => times.onChange(timeZoneChanged),
  }
}

/** The settings of a profile, with defaults. */
function settingsOf({ probes, rotationMinutes }: Profile): KeySettings {
  const { enabled = true, budgetFraction, everySeconds, symbol, trialAfterStep = false } = probes
  return {
    probesEnabled: enabled && (budgetFraction > 0 || Object.keys(everySeconds).length > 0),
    budgetFraction,
    symbol: symbol ?? DEFAULT_PROBE_SYMBOL,
    everySeconds,
    trialAfterStep,
    rotationMinutes: rotationMinutes ?? ROTATION.rotationMs / 60_000,
  }
}

/** The profile after a change, or the error of an invalid change. */
function profileWith(profile: Profile, change: KeySettingsChange): Outcome<{ readonly profile: Profile }> {
  const { probesEnabled, budgetFraction, symbol, everySeconds, trialAfterStep, rotationMinutes } = change
  const asked = symbol?.trim()
  if (asked !== undefined && !isSymbol(asked)) return BAD_SYMBOL
  const stranger = Object.keys(everySeconds ?? {}).find((category) => !PROBED_CATEGORIES.includes(category))
  if (stranger !== undefined) return notProbed(stranger)
  const probes = {
    ...profile.probes,
    ...(probesEnabled !== undefined && { enabled: probesEnabled }),
    ...(budgetFraction !== undefined && { budgetFraction }),
    ...(asked !== undefined && { symbol: asked }),
    ...(everySeconds !== undefined && { everySeconds }),
    ...(trialAfterStep !== undefined && { trialAfterStep }),
  }
  // A key that was connected without checks has a budget of 0, so turning checks on needs the default budget.
  const needsBudget = probesEnabled === true && probes.budgetFraction === 0
  return {
    ok: true,
    profile: {
      ...profile,
      probes: needsBudget ? { ...probes, budgetFraction: DEFAULT_PROBES.budgetFraction } : probes,
      ...(rotationMinutes !== undefined && { rotationMinutes }),
    },
  }
}

const BAD_SYMBOL: CommandError = {
  ok: false,
  code: 'bad-symbol',
  message: 'Enter one symbol, such as MSFT.',
}
