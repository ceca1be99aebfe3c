/** A fault that can be simulated. */
export interface FaultDescription {
  readonly name: string
  /** One line for `--help`. */
  readonly what: string
  /** How often it strikes when no count is given; absent: always. */
  readonly times?: number
}

/** The faults that can be simulated. `NAME:TIMES` and `NAME:always` override how often they strike. */
export const FAULTS: readonly FaultDescription[] = [
  { name: 'lost-refresh-response', what: 'a refresh takes effect, then the socket dies (once)', times: 1 },
  {
    name: 'late-commit',
    what: 'a refresh loses its socket at once and takes effect 3 s later (once)',
    times: 1,
  },
  { name: 'cut-refresh-response', what: 'a refresh takes effect, half its answer arrives (once)', times: 1 },
  { name: 'html-refresh-response', what: 'a refresh meets a login page of the network (twice)', times: 2 },
  { name: 'refresh-503', what: 'a refresh is answered 503 with Retry-After: 2 (twice)', times: 2 },
  { name: 'refresh-reset', what: 'a refresh loses its socket and has no effect (twice)', times: 2 },
  { name: 'short-scope', what: 'a refresh names only openid offline_access as its scope' },
  { name: 'revoke-503', what: 'a revoke is answered 503 (twice)', times: 2 },
  { name: 'lost-revoke-response', what: 'a revoke takes effect, then the socket dies (once)', times: 1 },
  { name: 'strict-revoke', what: 'a revoke with a field it does not know is answered 400' },
  { name: 'black-hole', what: 'every request is accepted and none is answered' },
  { name: 'resources-503', what: 'every resource is answered 503 with Retry-After: 5' },
  { name: 'resources-401', what: 'every resource is answered 401, whatever the token' },
  { name: 'resources-403', what: 'every resource is answered 403' },
  { name: 'resources-garbage', what: 'every resource is answered 200 with JSON of another service' },
  { name: 'slow-answers', what: 'resource answers take 0 to 2 s, so they overtake each other' },
  { name: 'no-quota-headers', what: 'resources answer without any quota header' },
  { name: 'skewed-date', what: 'the Date header is one hour ahead' },
  { name: 'silent-stream', what: 'streams stay open and say nothing, not even heartbeats' },
  { name: 'split-frames', what: 'stream chunks end anywhere, also inside a character' },
  { name: 'hidden-cap', what: 'a sixth stream of a category is opened with 200 and closed after 3 s' },
  { name: 'goaway-v2', what: 'streams are sent {"StreamStatus":"GoAway"} after 10 s' },
  { name: 'goaway-v3', what: 'streams are sent {"Error":"GoAway","Message":…} after 10 s' },
  { name: 'dual-logon', what: 'market data streams end with DualLogon after 10 s' },
  { name: 'stream-error', what: 'streams end with InternalServerError after 10 s' },
  { name: 'stream-reset', what: 'streams lose their socket inside a frame after 5 s' },
  { name: 'tickbars-end', what: 'tick bar streams end with the line END after 10 s' },
  { name: 'tickbars-timeout', what: 'tick bar streams end with an ERROR line that is not JSON after 10 s' },
]
