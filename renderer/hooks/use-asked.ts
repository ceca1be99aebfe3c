import { useState } from 'react'
import type { CommandError, Outcome } from '../../app/contract/outcome.ts'

/** A question to main that a person waits for. */
export interface Asked<T> {
  readonly waiting: boolean
  /** The refusal of the last try, in words for a person. */
  readonly refusal: string | undefined
  /** The same with its code, where main was the one to refuse. */
  readonly refused: CommandError | undefined
  /** Resolves to the answer when it was not a refusal. */
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

/** The host could not be asked, or failed: a throw of the api is never a refusal. */
export function unanswered(error: unknown): string {
  return error instanceof TypeError
    ? 'Headroom is not answering. Try again when it is back.'
    : `Headroom could not do this: ${error instanceof Error ? error.message : String(error)}`
}
