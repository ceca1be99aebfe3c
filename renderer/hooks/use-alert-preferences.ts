import { changedPreferences } from '../../app/alerts/quiet.ts'
import type { AlertPreferencesChange } from '../../app/contract/alerts.ts'
import type { WindowApi } from '../api/window-api.ts'
import { useParts } from '../state/window-parts.ts'
import { useAnswer } from './use-answer.ts'

const preferencesOf = (main: WindowApi) => main.alertPreferences()

/**
 * When alerts are announced, as main has it: `undefined` until it has said so, with what went wrong where it
 * did not.
 */
export function useAlertPreferences() {
  const { api } = useParts()
  const { answer: preferences, failure, expect, take } = useAnswer(preferencesOf)
  const change = (wanted: AlertPreferencesChange) => {
    expect((before) => changedPreferences(before, wanted))
    take(api.setAlertPreferences(wanted))
  }
  return { preferences, failure, change } as const
}
