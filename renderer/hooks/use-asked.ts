import { useCallback, useState } from 'react'
import type { CommandError, Outcome } from '../../app/contract/outcome.ts'
import { useParts } from '../state/window-parts.ts'

/** The state of a command whose result a dialog waits for. */
export interface Asked<T> {
  readonly waiting: boolean
  /** The message of the last error. */
  readonly refusal: string | undefined
  /** The last error with its code, if main returned one. */
  readonly refused: CommandError | undefined
  /** Runs a command. Resolves to its result, or to `undefined` after an error. */
  run(ask: () => Promise<Outcome<T>>): Promise<Outcome<T> | undefined>
  clear(): void
}

export function useAsked<T>(): Asked<T> {
  const [waiting, setWaiting] = useState(false)
  const [refusal, setRefusal] = useState<string>()
  const [refused, setRefused] = useState<CommandError>()
  return {
    waiting,
    refusal,
    refused,
    clear: () => {
      setRefusal(undefined)
      setRefused(undefined)
    },
    run: async (ask) => {
      setWaiting(true)
      setRefusal(undefined)
      setRefused(undefined)
      try {
        const outcome = await ask()
        if (outcome.ok) return outcome
        setRefusal(outcome.message)
        setRefused(outcome)
      } catch (error) {
        setRefusal(unanswered(error))
      } finally {
        setWaiting(false)
      }
      return undefined
    },
  }
}

/** The message for an exception: the host is unreachable or failed. Expected errors are not thrown. */
export function unanswered(error: unknown): string {
  return error instanceof TypeError
    ? 'Headroom is not responding. Try again later.'
    : `That failed: ${error instanceof Error ? error.message : String(error)}`
}

/** Runs a command outside of dialogs and shows its error as the window's notice. */
export function useCommand(): (ask: () => Promise<Outcome>) => void {
  const { view } = useParts()
  return useCallback(
    (ask) => {
      view.setState({ notice: undefined })
      ask().then(
        (outcome) => {
          if (!outcome.ok) view.setState({ notice: outcome.message })
        },
        (error: unknown) => view.setState({ notice: unanswered(error) }),
      )
    },
    [view],
  )
}
