import { type LoggedEvent, loggedEvent } from '../../app/contract/events.ts'

/**
 * Parses a stored event.
 *
 * `undefined` for a kind that this version does not know, as after a downgrade, and for damaged text, so that one bad
 * row does not lose the others.
 */
export function storedEvent(body: unknown): LoggedEvent | undefined {
  try {
    return loggedEvent.safeParse(JSON.parse(String(body))).data
  } catch {
    return undefined
  }
}
