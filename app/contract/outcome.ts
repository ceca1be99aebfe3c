import type { StreamProposal } from './streams.ts'

/** An expected failure of a command: a code for programs, and a sentence that says what a person can do. */
export interface CommandError {
  readonly ok: false
  readonly code: string
  readonly message: string
  /** Only for `no-slot`: Headroom's own stream that could be closed to free a slot. */
  readonly proposal?: StreamProposal
  /** When a retry makes sense, epoch ms, if known. */
  readonly retryAt?: number
}

/** The response to any command for a key that has been disconnected. */
export const UNKNOWN_PROFILE: CommandError = {
  ok: false,
  code: 'unknown-profile',
  message: 'That key is no longer connected.',
}

/** The response to a command that can fail. */
export type Outcome<T = unknown> = ({ readonly ok: true } & T) | CommandError
