import { changedPreferences } from '../../app/alerts/quiet.ts'
import type { AlertPreferencesChange } from '../../app/contract/alerts.ts'
import type { WindowApi } from '../api/window-api.ts'
import { useParts } from '../state/window-parts.ts'
import { useAnswer } from './use-answer.ts'

const preferencesOf = (main: WindowApi) => main.alertPreferences()

/** Main's announcement preferences (`undefined` until main responds), and the error of a failed request. */
export function useAlertPreferences() {
  const { api } = useParts()
  const { answer: preferences, failure, expect, take } = useAnswer(preferencesOf)
  const change = (wanted: AlertPreferencesChange) => {
    expect((before) => changedPreferences(before, wanted))
    take(api.setAlertPreferences(wanted))
  }
  return { preferences, failure, change } as const
}
