import { createContext } from 'react'
import type { LoggedEvent } from '../../app/contract/events.ts'

/** The events that the list shows, for the menu that exports them. */
export const ExportsOf = createContext<{
  readonly shown: readonly LoggedEvent[]
  readonly stored: 'sealed' | 'memory'
}>({ shown: [], stored: 'memory' })
