import type { StreamProposal } from './streams.ts'

/** An expected failure of a command. `code` is for programs. `message` is for a person, with advice. */
export interface CommandError {
  readonly ok: false
  readonly code: string
  readonly message: string
  /** One of Headroom's own streams, which could be closed to free a slot. Only for `no-slot`. */
  readonly proposal?: StreamProposal
  /** When a retry makes sense, epoch ms. Absent if unknown. */
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
