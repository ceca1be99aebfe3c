import type { CommandError, Outcome } from '../../app/contract/outcome.ts'
import type { KeySettings } from '../../app/contract/settings.ts'
import { isSymbol } from '../../app/service/stream-paths.ts'
import { ROTATION } from '../../app/tokens/schedule.ts'
import { notProbed } from '../api/probe-refusals.ts'
import { DEFAULT_PROBE_SYMBOL, PROBED_CATEGORIES } from '../api/probe-requests.ts'
import { DEFAULT_PROBES, type Profile } from './profile.ts'

/** What holds of a key now, with the defaults where nobody chose. */
export function settingsOf({ probes, rotationMinutes }: Profile): KeySettings {
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

/** The profile after a change, or why it cannot be. */
export function profileWith(
  profile: Profile,
  change: Readonly<{ [K in keyof KeySettings]?: KeySettings[K] | undefined }>,
): Outcome<{ readonly profile: Profile }> {
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
  // A key that was connected without probes has no budget to turn on.
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
  message: 'Probes ask about one symbol, as in MSFT: that is none.',
}
