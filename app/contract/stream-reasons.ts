/**
 * The reason for a stream's state as a code, for programs; people read the sentence beside it.
 *
 * Codes may be added. What is here is not renamed.
 */
export type StreamReasonCode =
  /** A person or a pin asked for it. */
  | 'asked'
  | 'opened'
  | 'snapshot-ended'
  | 'frame'
  /** No frame for too long, whatever the socket thinks. */
  | 'silent'
  /** The service announced a restart: planned, not a failure. */
  | 'going-away'
  | 'stream-error'
  | 'ended-by-service'
  | 'connection-lost'
  /** An answer began that is not HTTP, or was cut within its head. */
  | 'broken-answer'
  /** Data flowed and the stream died young, again and again. */
  | 'hidden-cap'
  | 'no-token'
  | 'token-refused'
  | 'service-error'
  /** Something between answered in the service's place. */
  | 'not-the-service'
  | 'rate-limited'
  | 'no-slot'
  /** Nothing a retry can mend. */
  | 'refused'
  | 'dual-logon'
  | 'restarted-here'
  /** A program began to read a stream of Headroom's own: planned, not a failure. */
  | 'program-joined'
  | 'closed-here'
  | 'made-room'
  | 'revoked'
  | 'closing'
