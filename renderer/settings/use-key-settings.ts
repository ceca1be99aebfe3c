import { useCallback, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { CurrentKeySettings, KeySettings } from '../../app/contract/settings.ts'
import { useAsked } from '../hooks/use-asked.ts'
import { useParts } from '../state/window-parts.ts'
import { changedElsewhere, changedSettings, type SettingName } from './changed-settings.ts'

export type HeldKeySettings = ReturnType<typeof useKeySettings>

const NOTHING: ReadonlySet<SettingName> = new Set()

/**
 * The settings of one key.
 *
 * Changes are sent one at a time, each based on the result of the previous one. Another window's changes are
 * fetched when a snapshot reports them.
 */
export function useKeySettings(profile: string) {
  const { api, live } = useParts()
  const { refusal, run } = useAsked<CurrentKeySettings>()
  const [current, setCurrent] = useState<CurrentKeySettings>()
  const [elsewhere, setElsewhere] = useState(NOTHING)
  const latest = useRef<CurrentKeySettings>(undefined)
  const turn = useRef(Promise.resolve())
  // Uses the live state even in a paused window, because changes must be based on the present settings.
  const settingsAt = useStore(
    live.mirror,
    ({ snapshots }) => snapshots.find((one) => one.profile.id === profile)?.settingsAt ?? 0,
  )

  const answered = useCallback(
    (answer: Awaited<ReturnType<typeof run>>, own: readonly SettingName[] = []) => {
      if (answer?.ok !== true) return
      const former = latest.current
      latest.current = answer
      setCurrent(answer)
      if (former === undefined) return
      const changed = changedSettings(former.settings, answer.settings)
      setElsewhere((now) => changedElsewhere(now, changed, own))
    },
    [],
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: `run` changes at each render, but not its effect
  useEffect(() => {
    let stopped = false
    turn.current = turn.current.then(async () => {
      const answer = await run(() => api.keySettings({ profile }))
      if (!stopped) answered(answer)
    })
    return () => {
      stopped = true
    }
  }, [api, profile, answered])

  useEffect(() => {
    let stopped = false
    const follow = async () => {
      // Does not fetch settings that the response to this window's own change already included.
      if (stopped || settingsAt <= (latest.current?.settingsAt ?? settingsAt)) return
      // Without a response, nothing changes. The banner reports a lost host.
      const answer = await api.keySettings({ profile }).catch(() => undefined)
      if (!stopped) answered(answer)
    }
    turn.current = turn.current.then(follow)
    return () => {
      stopped = true
    }
  }, [api, profile, settingsAt, answered])

  return {
    current,
    refusal,
    /** Fields that another window has changed since they were shown. */
    elsewhere,
    /** Resolves when main has made or rejected the change. */
    change: (changes: (now: KeySettings) => Partial<KeySettings>): Promise<void> => {
      turn.current = turn.current.then(async () => {
        const now = latest.current
        if (now === undefined) return
        const asked = changes(now.settings)
        const own = changedSettings(now.settings, { ...now.settings, ...asked })
        answered(await run(() => api.setKeySettings({ profile, ...asked })), own)
      })
      return turn.current
    },
  }
}
