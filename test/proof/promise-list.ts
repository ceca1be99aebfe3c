/** How hard a promise is tested. `record.ts` explains the levels. */
export type Level = 1 | 2 | 3 | 4

interface Promised {
  readonly text: string
  readonly level: Level
}

const promised = (level: Level, text: string): Promised => ({ text, level })

/** A promise of the app, and the level that its proof must reach. */
export const PROMISES = {
  T1: promised(3, 'A refresh response is lost after the service rotated, within its overlap: no new sign-in'),
  T2: promised(
    3,
    'A refresh response is lost where no overlap helps: one answered rejection, one honest message, no loop',
  ),
  T3: promised(
    2,
    'A response cut after any byte stores nothing partial and loses no token that could still be read',
  ),
  T4: promised(3, 'A refresh token is sent once per deliberate attempt, whatever happens to the connection'),
  T5: promised(
    3,
    '50 callers at expiry share one request; processes on one data folder: one owner, one request',
  ),
  T6: promised(
    3,
    'Killed after any step of a refresh, the next start continues with at most one more request',
  ),
  T7: promised(
    3,
    'Disk full or store locked at the commit: old record intact, new token used, person notified, saved later',
  ),
  T8: promised(
    2,
    'Offline, 429, 503, a captive portal or a proxy’s error never ends a session, and never replaces a token',
  ),
  T9: promised(
    2,
    'Clocks a day off, clock jumps, and sleep of a second to three days: no flood of requests, at most one 401',
  ),
  T10: promised(
    2,
    'Malformed token responses: no crash, no lost token, fewer than five requests in any five minutes',
  ),
  T11: promised(3, 'No part of a secret in logs, messages to a window, arguments, crash output or files'),
  T12: promised(
    2,
    'Default keys keep their token, rotating ones are recognised; the 24-hour end is announced 1 h and 15 min ahead',
  ),
  T13: promised(
    3,
    'Tokens and codes leak to nobody: no argument list, no proxy on loopback, tunnels elsewhere, certificates checked',
  ),
  T14: promised(
    3,
    'No response, however cut, nested or long, takes more than bounded memory and time, or costs a window its pushes',
  ),
  R1: promised(
    3,
    '“Revoked” is shown only after a 200; anything else reads “not confirmed” and is retried, even after a restart',
  ),
  R2: promised(2, 'A revocation during a refresh leaves no live refresh token'),
  R3: promised(3, 'After a revocation the key’s streams end within 2 s and nothing uses the grant'),
  R4: promised(2, 'A late retry of a revocation never ends a newer sign-in'),
  K1: promised(
    2,
    'Another backend, another key, a locked keyring and a damaged record are distinguished; nothing is deleted',
  ),
  K2: promised(1, 'Nothing is stored unprotected without consent'),
  D1: promised(3, 'Killed during commits: no acknowledged write is lost, nothing is corrupt'),
  D2: promised(2, 'Cut, zeroed, read-only and missing files: it starts, sets the file aside and reports it'),
  D7: promised(
    3,
    'Our files are never readable by others, from the first byte; others’ folders are not trusted',
  ),
  Q1: promised(
    2,
    'With own traffic only, the bounds contain the next header’s Remaining; after 20 s the mean error is ≤ 0.5',
  ),
  Q2: promised(
    2,
    'Use by others is found within two observations, and never invented under jitter or reordering',
  ),
  Q3: promised(
    2,
    'Fixed windows are recognised from the first header that the rolling rule excludes; a change is followed',
  ),
  Q4: promised(2, 'Any garbage in headers is parsed or ignored: never a crash, never a NaN on screen'),
  Q5: promised(4, 'The age shown with a number is its real age ± 1 s; old is never shown as live'),
  Q6: promised(
    2,
    'Checks stay within their budget on average and out of a paused bucket; an empty one is checked at most every 15 s',
  ),
  Q7: promised(
    2,
    'A 429 pauses only its own category; without headers for 60 s, then twice as long each time',
  ),
  Q8: promised(
    3,
    'While others use a quota, its level is within the displayed range in 93 to 99.5 % of samples, and never above it',
  ),
  Q9: promised(3, 'A quota below a fifth is not called ok; one that others empty causes a warning in time'),
  Q10: promised(
    3,
    'Checks are spread evenly within their budget; a row in trouble is rarely older than a minute',
  ),
  Q11: promised(4, 'Categories counted by one quota are one row that names each of them'),
  Q12: promised(3, 'A quota shown as empty has less than one request left in at least nine samples of ten'),
  C1: promised(4, 'A key that cannot call shows no ok, no pace and no next check on any surface'),
  C2: promised(4, 'The headline is the root cause; no consequence appears above its cause'),
  C3: promised(
    3,
    'A condition is one incident, one alert and one event with an end, however often it repeats',
  ),
  C4: promised(4, 'What is unknown is never shown as known: slots, rows, use by others, lowest values'),
  S1: promised(
    2,
    'Any chunking of the same bytes gives the same frames; their classes equal those of a full parse',
  ),
  S2: promised(
    3,
    'A dead, reset, silent or half-open stream is detected within 30 s and reopened with full jitter',
  ),
  S3: promised(2, 'GoAway in both spellings is a planned restart; one symbol’s error never ends a stream'),
  S4: promised(2, 'Own, others’ and free slots add up to the limit; none is leaked in a day of churn'),
  S5: promised(2, '1,000 clients dropped at once: their peak stays below twice the mean of full jitter'),
  W1: promised(
    4,
    'Each item of Electron’s security checklist is probed; fuses are read back from the packaged build',
  ),
  W2: promised(2, 'A hostile frame, a second window or a malformed payload is rejected on every channel'),
  W3: promised(4, 'Text from a server never runs and never navigates'),
  W4: promised(
    4,
    'Another loopback page, a rebound name, a forged simple request, no bearer: no read and no change; each connected window is listed',
  ),
  W5: promised(2, 'Of unusual forms of Host and Origin only the exact ones pass'),
  W6: promised(
    4,
    'Window frozen or killed: tokens and streams continue, memory is bounded, the latest value is shown afterwards',
  ),
  W8: promised(
    4,
    'One quit or signal ends the desktop app within 3 s with everything flushed, packaged or not',
  ),
  W9: promised(
    4,
    'The main process never blocks: no dialog blocks it, and no task takes a second; the bench aims at 50 ms',
  ),
  P1: promised(3, 'An installer contains only what the app imports, and the licence of each package in it'),
  P2: promised(3, 'Removing the app leaves no entry that starts it at login; an update keeps it'),
  P3: promised(3, 'The npm package is complete, installs globally and runs from another folder'),
  P4: promised(
    3,
    'A newer version is announced, never downloaded or installed unasked or unverified; local builds ask no feed',
  ),
  U1: promised(
    3,
    'Unattended: output that cannot be written ends it with one line; a stalled reader costs bounded memory',
  ),
  U2: promised(3, 'A start that cannot serve, or cannot read its secrets, uses up no stored rotating token'),
  J1: promised(2, 'Each JSON line matches its published schema, and no field outside it is written'),
  E1: promised(
    2,
    'Each exported row names its key and environment, has its time in ISO 8601, and leaves unknown values empty',
  ),
  M1: promised(
    3,
    'A real Prometheus accepts the metrics and every query of the dashboard; an OTLP store receives the same numbers',
  ),
  G1: promised(
    2,
    'No request is sent upstream twice except by allowed resends; none is left without a response',
  ),
  G2: promised(2, 'No request gets a 429 upstream that waiting could have avoided'),
  G3: promised(
    2,
    'Programs outside the gateway get no 429 because of it, as long as they leave half of the refill, and request at most half of what the reserve keeps beyond two requests at once',
  ),
  G4: promised(2, 'A busy program gets at most 2 requests beyond its fair share, over any time'),
  G5: promised(2, 'A critical program within its burst never waits'),
  G6: promised(3, 'Each response through the gateway shows whether the service or Headroom sent it'),
  G7: promised(
    3,
    'No page, no other Host, no other user and no unknown key gets through the gateway; no order does by default',
  ),
  G8: promised(3, 'A revoked program gets nothing more from then on, including open streams'),
  G9: promised(
    3,
    'Programs that read one stream share one slot; each ends with a fresh stream’s state, and none delays another',
  ),
  G10: promised(
    3,
    'A 401 ends in a renewed request or is relayed; it discards no token that the service accepts elsewhere',
  ),
  G11: promised(3, 'An outage of up to a minute costs programs no stream and the key no quota'),
  G12: promised(
    3,
    'No response of the service, whatever its bytes, ends the process or impersonates Headroom',
  ),
  M2: promised(3, 'Two dispatchers of a desk never decide at once'),
  M3: promised(3, 'A desk of several gateways causes no 429 that one gateway would have avoided'),
  M4: promised(3, 'On a desk, each machine’s requests are counted exactly, on every machine'),
  M5: promised(3, 'The desk’s server sees and stores no secret and no plain word of ours'),
  M6: promised(3, 'Leaving or losing the desk costs no sign-in, no request and no number'),
  M7: promised(3, 'On a desk, no request is sent twice, and each is answered, whatever fails'),
  O1: promised(3, 'An order reaches the service at most once per request of a program, whatever fails'),
  O2: promised(3, 'No order passes without the switches of its key and its program, or after a stop'),
  O3: promised(3, 'Each order that was sent is in the journal, and no unknown outcome is silent'),
  O4: promised(2, 'No order waits behind a read'),
  L1: promised(
    2,
    'A plan shown as fitting gets no 429 and no wait beyond its bound; one shown as not fitting always gets one',
  ),
  L2: promised(2, 'A replayed day predicts the waits at p99 within a tenth of those with a real service'),
  L3: promised(4, 'The window’s plan matches what runs, with others as an estimate with a range and an age'),
} as const satisfies Readonly<Record<string, Promised>>

export type PromiseId = keyof typeof PROMISES

export const PROMISE_IDS = Object.keys(PROMISES) as readonly PromiseId[]
