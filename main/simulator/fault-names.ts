export interface FaultDescription {
  readonly name: string
  /** One line for `--help`. */
  readonly what: string
  /** Number of times that the fault occurs by default. Absent if it always occurs. */
  readonly times?: number
}

/** The faults that can be simulated. `NAME:TIMES` and `NAME:always` override how often a fault occurs. */
export const FAULTS: readonly FaultDescription[] = [
  {
    name: 'lost-refresh-response',
    what: 'one token refresh takes effect, but its connection drops',
    times: 1,
  },
  { name: 'late-commit', what: 'one token refresh is cut off, but takes effect 3 s later', times: 1 },
  {
    name: 'cut-refresh-response',
    what: 'one token refresh takes effect, but only half its response arrives',
    times: 1,
  },
  {
    name: 'html-refresh-response',
    what: 'the first two token refreshes get a Wi-Fi login page (captive portal)',
    times: 2,
  },
  { name: 'refresh-503', what: 'the first two token refreshes get 503 with Retry-After: 2', times: 2 },
  { name: 'refresh-reset', what: 'the first two token refreshes are cut off and have no effect', times: 2 },
  { name: 'short-scope', what: 'a token refresh grants only openid offline_access' },
  { name: 'revoke-503', what: 'the first two revocations get 503', times: 2 },
  { name: 'lost-revoke-response', what: 'one revocation takes effect, then is cut off', times: 1 },
  { name: 'strict-revoke', what: 'a revocation with an unknown field gets 400' },
  { name: 'black-hole', what: 'every request is accepted, but none gets a response' },
  { name: 'resources-503', what: 'every resource responds with 503 and Retry-After: 5' },
  { name: 'resources-401', what: 'every resource responds with 401, whatever the token' },
  { name: 'resources-403', what: 'every resource responds with 403' },
  { name: 'resources-garbage', what: 'every resource responds with 200 and another service’s JSON' },
  { name: 'slow-answers', what: 'resource responses take 0 to 2 s and arrive out of order' },
  { name: 'no-quota-headers', what: 'resource responses have no quota headers' },
  { name: 'skewed-date', what: 'the Date header is one hour ahead' },
  { name: 'silent-stream', what: 'streams stay open and send nothing, not even heartbeats' },
  { name: 'split-frames', what: 'stream chunks end anywhere, even inside a character' },
  { name: 'hidden-cap', what: 'a sixth stream of a category opens with 200 and closes after 3 s' },
  { name: 'goaway-v2', what: 'streams get {"StreamStatus":"GoAway"} after 10 s' },
  { name: 'goaway-v3', what: 'streams get {"Error":"GoAway","Message":…} after 10 s' },
  { name: 'dual-logon', what: 'market data streams end with DualLogon after 10 s' },
  { name: 'stream-error', what: 'streams end with InternalServerError after 10 s' },
  { name: 'stream-reset', what: 'streams are cut off in the middle of a frame after 5 s' },
  { name: 'tickbars-end', what: 'tick bar streams end with the line END after 10 s' },
  { name: 'tickbars-timeout', what: 'tick bar streams end after 10 s with an ERROR line that is not JSON' },
  { name: 'connect-reset', what: 'one new connection is reset before its first request', times: 1 },
  { name: 'order-lost-response', what: 'an order is accepted, then its connection breaks (once)', times: 1 },
  {
    name: 'order-cut-response',
    what: 'an order is accepted, but only half of its response arrives (once)',
    times: 1,
  },
  { name: 'order-silence', what: 'an order is accepted, but no response arrives (once)', times: 1 },
  {
    name: 'order-late-response',
    what: 'an order is accepted, but its response arrives after 12 s (once)',
    times: 1,
  },
  { name: 'order-reset', what: 'the connection breaks before an order is accepted (once)', times: 1 },
  { name: 'order-401', what: 'an order is rejected with 401, whatever the token (once)', times: 1 },
  { name: 'order-429', what: 'an order is rejected with 429, even if quota is left (once)', times: 1 },
  ...[500, 502, 503, 504].flatMap((status) => [
    { name: `order-${status}`, what: `an order is rejected with ${status} (once)`, times: 1 },
    {
      name: `order-${status}-taken`,
      what: `an order is accepted, but the response is ${status} (once)`,
      times: 1,
    },
  ]),
  { name: 'trade-withheld', what: 'a sign-in that requests the Trade scope is approved without it' },
]
