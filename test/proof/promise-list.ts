/** How hard a promise is tried: what each level takes is explained in `record.ts`. */
export type Level = 1 | 2 | 3 | 4

interface Promised {
  readonly text: string
  readonly level: Level
}

const promised = (level: Level, text: string): Promised => ({ text, level })

/** What the app promises, and the level that its proof has to reach. */
export const PROMISES = {
  T1: promised(
    3,
    'The answer to a refresh is lost after the service rotated, inside its overlap: no new sign-in',
  ),
  T2: promised(
    3,
    'A refresh answer lost where no overlap helps: one answered refusal, one honest message, no loop',
  ),
  T3: promised(
    2,
    'An answer cut after any byte stores nothing partial and loses no token that could still be read',
  ),
  T4: promised(
    3,
    'A refresh token is sent once for each deliberate attempt, whatever becomes of the connection',
  ),
  T5: promised(
    3,
    '50 callers at expiry share one request; processes that want one data folder: one owner, one request',
  ),
  T6: promised(
    3,
    'Killed outright after each step of a refresh, the next start goes on with at most one more request',
  ),
  T7: promised(
    3,
    'Disk full or store locked at the commit: old record whole, new token used, person told, saved later',
  ),
  T8: promised(
    2,
    'Offline, 429, 503, a captive portal or a proxy’s error never ends a session, nor takes a token’s place',
  ),
  T9: promised(
    2,
    'A clock a day off, jumps, and sleep of a second to three days: no flood of requests, at most one 401',
  ),
  T10: promised(
    2,
    'Malformed token answers: no crash, no lost token, fewer than five requests in any five minutes',
  ),
  T11: promised(3, 'No part of a secret in logs, messages to a window, arguments, crash output or files'),
  T12: promised(
    2,
    'Default keys keep their token, rotating ones are recognised; the 24-hour end is told 1 h and 15 min ahead',
  ),
  T13: promised(
    3,
    'Tokens and codes reach nobody else: no argument list, no proxy on loopback, tunnels elsewhere, certificates checked',
  ),
  T14: promised(
    3,
    'No answer, however it is cut, nested or long, takes more than bounded memory and time, or a window its pushes',
  ),
  R1: promised(
    3,
    '“Revoked” is shown only after a 200; anything else reads “not confirmed” and is retried, also after a restart',
  ),
  R2: promised(2, 'A revocation during a refresh leaves no live refresh token'),
  R3: promised(3, 'After a revocation the key’s streams end within 2 s and nothing uses the grant'),
  R4: promised(2, 'A late retry of a revocation never ends a newer sign-in'),
  K1: promised(
    2,
    'Another backend, another key, a locked keyring and a damaged record are told apart; nothing is deleted',
  ),
  K2: promised(1, 'Nothing is stored unprotected without consent'),
  D1: promised(3, 'Killed outright during commits: no acknowledged write is lost, nothing is corrupt'),
  D2: promised(2, 'Cut, zeroed, read-only and missing files: it starts, sets the file aside and says so'),
  D7: promised(
    3,
    'A file of ours is never readable by others, from its first byte; a folder of others is not trusted',
  ),
  Q1: promised(
    2,
    'With own traffic only, the bounds hold the next header’s Remaining; 20 s on, the mean error is ≤ 0.5',
  ),
  Q2: promised(
    2,
    'Use elsewhere is found within two observations, and never invented under jitter or reordering',
  ),
  Q3: promised(
    2,
    'Fixed windows are recognised from the first header that the rolling rule does not allow; a change is followed',
  ),
  Q4: promised(2, 'Any garbage in headers is parsed or ignored: never a crash, never a NaN on screen'),
  Q5: promised(4, 'The age shown with a number is its real age ± 1 s; old is never shown as live'),
  Q6: promised(
    2,
    'Checks keep their budget on average and out of a held bucket; an empty one is asked each 15 s at most',
  ),
  Q7: promised(2, 'A 429 holds only its own category; without headers 60 s, then twice as long each time'),
  Q8: promised(
    3,
    'While others use a quota, its level lies within the told range in 93 to 99.5 % of looks, and never above it',
  ),
  Q9: promised(3, 'A quota under a fifth is not called ok; one that others empty is warned of in time'),
  Q10: promised(
    3,
    'Checks are spread evenly within their budget; a row in trouble is hardly ever older than a minute',
  ),
  Q11: promised(4, 'Categories that one quota counts are one row that names each of them'),
  Q12: promised(3, 'A quota said to be empty has less than one request left in at least nine looks of ten'),
  C1: promised(4, 'A key that cannot call shows no ok, no pace and no next check on any surface'),
  C2: promised(4, 'The headline is the root cause; no consequence stands above its cause'),
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
    'A dead, reset, silent or half-open stream is seen within 30 s and opened again with full jitter',
  ),
  S3: promised(2, 'GoAway in both spellings is a planned restart; one symbol’s error never ends a stream'),
  S4: promised(2, 'Own, others’ and free slots add up to the limit; none is leaked in a day of churn'),
  S5: promised(2, '1,000 clients dropped at once: their peak is under twice the mean of full jitter'),
  W1: promised(
    4,
    'Each item of Electron’s security checklist is probed; fuses are read back from the packaged build',
  ),
  W2: promised(2, 'A hostile frame, a second window or a malformed payload is refused on every channel'),
  W3: promised(4, 'Text from a server never runs and never navigates'),
  W4: promised(
    4,
    'Another loopback page, a rebound name, a forged simple request, no bearer: no read and no change; who is let in is told',
  ),
  W5: promised(2, 'Of odd forms of Host and Origin only the exact ones pass'),
  W6: promised(
    4,
    'Window frozen or killed: tokens and streams go on, memory is bounded, the latest value comes back',
  ),
  W8: promised(
    4,
    'One quit, one signal, ends the desktop app within 3 s with everything flushed, packaged or not',
  ),
  W9: promised(
    4,
    'The main process never stands still: no dialog blocks it, and no task takes a second; the bench aims at 50 ms',
  ),
  P1: promised(3, 'An installer holds only what the app imports, and the licence of each package in it'),
  P2: promised(3, 'Removing the app leaves no entry that starts it at login; an update keeps it'),
  P3: promised(3, 'The npm package is whole, installs globally and runs from another folder'),
  P4: promised(
    3,
    'A newer version is told, never fetched or installed unasked or unverified; built locally, no feed is asked',
  ),
  U1: promised(
    3,
    'Unattended: output that cannot be written ends it with one line, a reader that stalls costs bounded memory',
  ),
  U2: promised(
    3,
    'A start that cannot serve, or whose secrets cannot be read, spends no stored rotating token',
  ),
  J1: promised(
    2,
    'Each JSON line is as its published schema says, and no field is written that is not in it',
  ),
  E1: promised(
    2,
    'Each exported row says of which key and environment it is, when in ISO 8601, and nothing of what was not known',
  ),
  M1: promised(
    3,
    'A real Prometheus takes the metrics and every query of the dashboard; an OTLP store is pushed the same numbers',
  ),
  G1: promised(
    2,
    'No request is sent upstream twice but by the resends that are allowed; none is left without an answer',
  ),
  G2: promised(2, 'Nothing is refused upstream that waiting could have saved'),
  G3: promised(
    2,
    'Programs that the gateway cannot see are refused nothing because of it, as long as they leave half of what comes back, and ask for no more at once than half of what the reserve keeps beyond two requests',
  ),
  G4: promised(2, 'A busy program’s lead over its fair share is at most 2 requests, over any time'),
  G5: promised(2, 'A critical program within its burst never waits'),
  G6: promised(3, 'Each answer through the gateway says whether the service said it or Headroom'),
  G7: promised(
    3,
    'No page, no other Host, no other user and no unknown key gets through the gateway; no order ever does',
  ),
  G8: promised(3, 'A program that is cut off gets nothing more from then on, open streams included'),
  G9: promised(
    3,
    'Programs that read one stream share one slot; each ends with the state of a fresh stream, and none delays another',
  ),
  G10: promised(
    3,
    'A 401 ends in a renewed request or in itself; it discards no token that the service accepts elsewhere',
  ),
  G11: promised(3, 'An outage of up to a minute costs programs no stream and the key no quota'),
  G12: promised(3, 'No answer of the service, whatever its bytes, ends the process or speaks as Headroom'),
  L1: promised(
    2,
    'A plan said to fit meets no 429 and no wait beyond its bound; one said not to fit always meets one',
  ),
  L2: promised(2, 'A replayed day predicts the waits at p99 within a tenth of those before a service'),
  L3: promised(
    4,
    'What the window plans is what runs, with others as an estimate that has a range and an age',
  ),
} as const satisfies Readonly<Record<string, Promised>>

export type PromiseId = keyof typeof PROMISES

export const PROMISE_IDS = Object.keys(PROMISES) as readonly PromiseId[]
