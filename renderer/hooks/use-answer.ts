import { useCallback, useEffect, useState } from 'react'
import { changedPreferences } from '../../app/alerts/quiet.ts'
import type { AlertPreferencesChange } from '../../app/contract/alerts.ts'
import type { WindowApi } from '../api/window-api.ts'
import { useParts } from '../state/window-parts.ts'
import { unanswered } from './use-asked.ts'

/**
 * Sends a request to main when a component is mounted, and again when `ask` or `when` changes.
 *
 * `ask` must be stable across renders, with `useCallback` if needed. If `ask` is `undefined`, nothing is
 * requested.
 */
export function useAnswer<T>(ask: ((api: WindowApi) => Promise<T>) | undefined, when?: unknown) {
  const { api } = useParts()
  const [answer, setAnswer] = useState<T>()
  /** Why the last request or command had no response. */
  const [failure, setFailure] = useState<string>()
  const [times, setTimes] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `when` or `times` must ask again
  useEffect(() => {
    let stopped = false
    ask?.(api).then(
      (next) => {
        if (stopped) return
        setAnswer(() => next)
        setFailure(undefined)
      },
      (error: unknown) => !stopped && setFailure(unanswered(error)),
    )
    return () => {
      stopped = true
    }
  }, [api, ask, when, times])
  /** Changes the response before main confirms the change. */
  const expect = useCallback(
    (change: (answer: T) => T) => setAnswer((before) => (before === undefined ? undefined : change(before))),
    [],
  )
  /** Replaces the response with the result of a command. Resolves when main has responded, or failed. */
  const take = useCallback((next: Promise<T>) => {
    setFailure(undefined)
    return next.then(
      (changed) => setAnswer(() => changed),
      (error: unknown) => setFailure(unanswered(error)),
    )
  }, [])
  const again = useCallback(() => setTimes((before) => before + 1), [])
  return { answer, failure, expect, take, again }
}

const preferencesOf = (main: WindowApi) => main.alertPreferences()

/** Main's announcement preferences (`undefined` until main responds), and the error of a failed request. */
export function useAlertPreferences() {
  const { api } = useParts()
  const { answer: preferences, failure, expect, take } = useAnswer(preferencesOf)
  const change = (wanted: AlertPreferencesChange) => {
    expect((before) => changedPreferences(before, wanted))
    void take(api.setAlertPreferences(wanted))
  }
  return { preferences, failure, change } as const
}
