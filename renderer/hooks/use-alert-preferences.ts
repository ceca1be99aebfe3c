import { useEffect, useState } from 'react'
import { changedPreferences } from '../../app/alerts/quiet.ts'
import type { AlertPreferences, AlertPreferencesChange } from '../../app/contract/alerts.ts'
import { useParts } from '../state/window-parts.ts'
import { unanswered } from './use-asked.ts'

/** When alerts are announced, as main has it: `undefined` until it has said so, with what went wrong where it did not. */
export function useAlertPreferences() {
  const { api } = useParts()
  const [preferences, setPreferences] = useState<AlertPreferences>()
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    let stopped = false
    api.alertPreferences().then(
      (answer) => !stopped && setPreferences(answer),
      (error: unknown) => !stopped && setFailure(unanswered(error)),
    )
    return () => {
      stopped = true
    }
  }, [api])
  const change = (wanted: AlertPreferencesChange) => {
    setPreferences((before) => before && changedPreferences(before, wanted))
    api.setAlertPreferences(wanted).then(setPreferences, (error: unknown) => setFailure(unanswered(error)))
  }
  return { preferences, failure, change } as const
}
