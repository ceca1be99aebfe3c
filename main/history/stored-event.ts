import { type LoggedEvent, loggedEvent } from '../../app/contract/events.ts'

/**
 * An event as the history gives it back.
 *
 * `undefined` for a kind that this version does not know, as after a step back to an older one, and for a text that is
 * none any more: one such row may not cost a person all the others.
 */
export function storedEvent(body: unknown): LoggedEvent | undefined {
  try {
    return loggedEvent.safeParse(JSON.parse(String(body))).data
  } catch {
    return undefined
  }
}
