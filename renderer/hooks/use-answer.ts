import { useCallback, useEffect, useState } from 'react'
import type { WindowApi } from '../api/window-api.ts'
import { useParts } from '../state/window-parts.ts'
import { unanswered } from './use-asked.ts'

/** What main answers to a question of a dialog. */
export interface AwaitedAnswer<T> {
  /** `undefined` before the first answer. */
  readonly answer: T | undefined
  /** Why the last question or command had no answer. */
  readonly failure: string | undefined
  /** Changes it before main has said so. */
  expect(change: (answer: T) => T): void
  /** Takes the answer that a command brings in its place. */
  take(next: Promise<T>): void
  /** Asks once more. */
  again(): void
}

/**
 * Asks main when a component is first drawn, and once more when `ask` or `when` changes. `ask` is one
 * function for all renders, by `useCallback` where it needs to be; `undefined` asks nothing.
 */
export function useAnswer<T>(
  ask: ((api: WindowApi) => Promise<T>) | undefined,
  when?: unknown,
): AwaitedAnswer<T> {
  const { api } = useParts()
  const [answer, setAnswer] = useState<T>()
  const [failure, setFailure] = useState<string>()
  const [times, setTimes] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once more when these change
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
  const expect = useCallback(
    (change: (answer: T) => T) => setAnswer((before) => (before === undefined ? undefined : change(before))),
    [],
  )
  const take = useCallback((next: Promise<T>) => {
    setFailure(undefined)
    next.then(
      (changed) => setAnswer(() => changed),
      (error: unknown) => setFailure(unanswered(error)),
    )
  }, [])
  const again = useCallback(() => setTimes((before) => before + 1), [])
  return { answer, failure, expect, take, again }
}
