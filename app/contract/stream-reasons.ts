/**
 * The reason for a stream's state as a code, for programs. People read the accompanying sentence.
 *
 * Codes may be added. Existing ones are not renamed.
 */
export type StreamReasonCode =
  /** A person requested it, or it is pinned. */
  | 'asked'
  | 'opened'
  | 'snapshot-ended'
  | 'frame'
  /** No frame for too long, although the socket is open. */
  | 'silent'
  /** The service announced a restart: planned, not a failure. */
  | 'going-away'
  | 'stream-error'
  | 'ended-by-service'
  | 'connection-lost'
  /** The response is not HTTP, or ended within its head. */
  | 'broken-answer'
  /** The stream repeatedly ended early although data had arrived. */
  | 'hidden-cap'
  | 'no-token'
  /** All calls of the key fail and this stream receives nothing, so it is paused. */
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
  /** A program began to read one of Headroom's own streams: planned, not a failure. */
  | 'program-joined'
  | 'closed-here'
  | 'made-room'
  | 'revoked'
  | 'closing'
