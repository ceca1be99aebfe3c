import { useCallback, useEffect, useRef, useState } from 'react'
import type { HeldSettings, KeySettings } from '../../app/contract/key-settings.ts'
import { useAsked } from '../view/use-asked.ts'
import { useParts } from '../view/window-parts.ts'

export interface HeldKeySettings {
  /** As main has them; nothing before its first answer. */
  readonly held: HeldSettings | undefined
  readonly refusal: string | undefined
  /** Resolves when the change holds, or was refused. */
  change(changes: (now: KeySettings) => Partial<KeySettings>): Promise<void>
}

/** The settings of one key. Changes go out one after the other, each made from what holds by then. */
export function useKeySettings(profile: string): HeldKeySettings {
  const { api } = useParts()
  const { refusal, run } = useAsked<HeldSettings>()
  const [held, setHeld] = useState<HeldSettings>()
  const latest = useRef<HeldSettings>(undefined)
  const turn = useRef(Promise.resolve())

  const answered = useCallback((answer: Awaited<ReturnType<typeof run>>) => {
    if (answer?.ok !== true) return
    latest.current = answer
    setHeld(answer)
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: `run` is made anew at each render, and asks the same
  useEffect(() => {
    let stopped = false
    void run(() => api.keySettings({ profile })).then((answer) => !stopped && answered(answer))
    return () => {
      stopped = true
    }
  }, [api, profile, answered])

  return {
    held,
    refusal,
    change: (changes) => {
      turn.current = turn.current.then(async () => {
        const now = latest.current
        if (now === undefined) return
        answered(await run(() => api.setKeySettings({ profile, ...changes(now.settings) })))
      })
      return turn.current
    },
  }
}
