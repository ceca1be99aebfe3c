/**
 * Why a stream has its state, as a code for programs. A sentence for people accompanies the code.
 *
 * Codes may be added. Existing codes are not renamed.
 */
export type StreamReasonCode =
  /** A person requested the stream, or it is pinned. */
  | 'asked'
  | 'opened'
  | 'snapshot-ended'
  | 'frame'
  /** No frame arrived for too long, although the socket is open. */
  | 'silent'
  /** The service announced a restart, which is not a failure. */
  | 'going-away'
  | 'stream-error'
  | 'ended-by-service'
  | 'connection-lost'
  /** The response is not HTTP, or its head is incomplete. */
  | 'broken-answer'
  /** Data arrived, but the stream repeatedly ended early. */
  | 'hidden-cap'
  | 'no-token'
  /** All calls of the key fail. The stream reopens when calls succeed again. */
  | 'calls-fail'
  | 'token-refused'
  | 'service-error'
  /** An intermediary answered in place of the service. */
  | 'not-the-service'
  | 'rate-limited'
  | 'no-slot'
  /** Retrying cannot help. */
  | 'refused'
  | 'dual-logon'
  | 'restarted-here'
  /** The stream restarts as planned, because a program began to read it. */
  | 'program-joined'
  | 'closed-here'
  | 'made-room'
  | 'revoked'
  | 'closing'
