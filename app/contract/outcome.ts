import type { StreamProposal } from './streams.ts'

/** An expected failure of a command: a code for programs, a sentence that says what a person can do. */
export interface CommandError {
  readonly ok: false
  readonly code: string
  readonly message: string
  /** `no-slot` only: the own stream that could be closed instead. */
  readonly proposal?: StreamProposal
  /** When asking again makes sense, epoch ms, where that is known. */
  readonly retryAt?: number
}

/** The answer to any command about a key that was disconnected meanwhile. */
export const UNKNOWN_PROFILE: CommandError = {
  ok: false,
  code: 'unknown-profile',
  message: 'That key is no longer connected.',
}

/** What a command that can fail answers. */
export type Outcome<T = unknown> = ({ readonly ok: true } & T) | CommandError
