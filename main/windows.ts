import type { AppContract } from '../app/contract/contract.ts'
import type { Handlers, Pushes } from '../app/contract/ipc.ts'

/** One open window: the handlers of its commands, and its end. */
export interface WindowSession {
  readonly handlers: Handlers<AppContract>
  close(): void
}

/** What a host is given: it opens a session for each window, and tells it where the pushes go. */
export interface Windows {
  open(pushes: Pushes<AppContract>): WindowSession
}
