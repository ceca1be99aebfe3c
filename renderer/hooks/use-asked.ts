import { useState } from 'react'
import type { CommandError, Outcome } from '../../app/contract/outcome.ts'

/** A command in progress, for a dialog that waits for its result. */
export interface Asked<T> {
  readonly waiting: boolean
  /** The message of the last error. */
  readonly refusal: string | undefined
  /** The last error with its code, where main returned one. */
  readonly refused: CommandError | undefined
  /** Resolves to the result, `undefined` after an error. */
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

/** The host could not be reached or failed; an expected error is returned, not thrown. */
export function unanswered(error: unknown): string {
  return error instanceof TypeError
    ? 'Headroom is not answering. Try again when it is back.'
    : `Headroom could not do this: ${error instanceof Error ? error.message : String(error)}`
}
