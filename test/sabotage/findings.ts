/**
 * A defect that an attack once found, with the tests that failed because of it and the breaks that restore
 * it.
 */
export interface Finding {
  readonly found: string
  /**
   * Part of a test's name. The test is in a file of one of the breaks, or else in the named file under test/.
   */
  readonly tests: readonly (string | readonly [file: string, name: string])[]
  /** The `what` of these mutants in the registry. */
  readonly breaks: readonly string[]
}

const GATEWAY_FAULTS = 'main/gateway/faults.test.ts'
const KEEPER = 'main/tokens/keeper.test.ts'
const UNPROVEN = 'main/tokens/unproven-token.test.ts'
const PRIVATE = 'main/storage/private-files.test.ts'
const CLOCK = 'main/history/wrong-clock.test.ts'
const BROWSER_HOST = 'main/hosts/browser/browser-host.test.ts'
const STREAM_OUTAGE = 'main/streams/stream-outage.test.ts'
const HUB = 'main/gateway/stream-hub.test.ts'
const REMOVAL = 'main/gateway/token-removal.test.ts'
const MEMBER = 'app/desk/member-record.test.ts'
const MACHINES = 'main/desk/desk-processes.process.test.ts'
const METERED = 'app/quota/metered-ledger.test.ts'

/**
 * Defects that attacks on real processes, files, clocks and proxies found. Each was fixed together with these
 * tests.
 */
export const FINDINGS: readonly Finding[] = [
  {
    found: 'An order was not found although the account’s list showed it, and would have been sent again',
    tests: [
      'one that the journal knows by its ID is another',
      'made with a lost key, its hashes equal no others',
    ],
    breaks: [
      'not find an order although a listed one could be it',
      'not find an order whose hashes another key made',
      'not find an order although a listed one can’t be read',
    ],
  },
  {
    found: 'A lost order at a negative price was found as another one, and an answer about nothing was one',
    tests: [
      'have signs, and no text with a price that can’t be read',
      'an answer that %s is an unknown outcome',
    ],
    breaks: [
      'take an order at another sign of its price for the lost one',
      'take an answer about no order for its outcome',
    ],
  },
  {
    found: 'A removed history file took entries until the process ended, and was shown as stored',
    tests: ['a file removed while open is reported once, and a new one gets later entries'],
    breaks: ['go on writing to a history file that was removed'],
  },
  {
    found: 'An unknown outcome of an earlier run was forgotten if its journal was locked during the start',
    tests: ['a journal that is locked during the start delivers its unknown outcomes later'],
    breaks: ['pass over the orders of an earlier run if the journal was locked at the start'],
  },
  {
    found: 'Unknown outcomes were on no surface, and not looked up, while orders were off',
    tests: [
      'while orders are %s, an unknown outcome of an earlier run is shown and looked up',
      'while orders are off, an unknown outcome of this run stays shown',
    ],
    breaks: [
      'show no unknown outcome while orders are off',
      'look up no order of an earlier run while orders are off',
    ],
  },
  {
    found: 'An outcome that was dismissed while it was looked up alerted again after a restart',
    tests: ['an unknown outcome that a person dismissed while it was looked up stays dismissed'],
    breaks: ['show a dismissed outcome again after a restart'],
  },
  {
    found: 'A key with the id of a former one looked up the orders of that one in its own list',
    tests: ['a key with the id of a former one neither looks up nor counts the orders of that'],
    breaks: ['look up the orders of a former key in the list of another one with its id'],
  },
  {
    found: 'Orders whose answers were lost were forgotten at a kill if orders.db-wal had been removed',
    tests: ['a journal whose -wal file was removed has every order, also after a kill'],
    breaks: ['write on into a removed -wal file'],
  },
  {
    found: 'A lost order with a blank OrderConfirmID was called safe to send again',
    tests: ['a blank OrderConfirmID is none'],
    breaks: ['take a blank OrderConfirmID for one'],
  },
  {
    found: 'An order was not found because the service’s day had changed since it was sent',
    tests: ['after 60 s an order is also looked for in the list of former'],
    breaks: ['not find an order of a former day of the service'],
  },
  {
    found: 'A journal that was removed lost orders in flight and unknown outcomes',
    tests: ['a removed journal is recreated'],
    breaks: ['forget orders whose journal was removed'],
  },
  {
    found:
      'A process that was stopped for 30 s during a refresh counted its answer as lost, and a rotated token with it',
    tests: [
      'a response that arrived while the process was suspended is read, although its time is over',
      'a stream that opened while the process was suspended is open',
    ],
    breaks: ['count an answer as lost that came while the process did not run'],
  },
  {
    found: 'A rejected stream gave its readers 4 kB of a longer body, and a compressed one as broken text',
    tests: [
      'a rejected stream gives its readers a long %s body byte for byte',
      'replaces the token in a rejected stream’s compressed body, and reads which quota rejected it',
      'a rejected stream with a body that is %s does not look whole to its reader',
    ],
    breaks: ['hand readers the beginning of a long refusal of their stream'],
  },
  {
    found: 'A shared stream whose first answer broke within its head was opened a second time',
    tests: [
      'a shared stream with the response %s is 502 at once, and opened once',
      'a shared stream cut before its first byte is opened once more',
    ],
    breaks: ['open a shared stream again whose answer had begun'],
  },
  {
    found:
      'Readers got the length of one connection of a shared stream, and read later frames as other responses',
    tests: ['a stream of known length continues for its readers as a new one'],
    breaks: ['tell readers the length of one connection'],
  },
  {
    found:
      'A stream that is never authorized kept its reader waiting for 503, and was opened eight times in 20 s',
    tests: ['relays a second 401, %s, unchanged'],
    breaks: ['keep a reader waiting whose stream is not authorized'],
  },
  {
    found:
      'A stream that opens and ends without a frame was opened every two seconds for as long as it was read',
    tests: ['streams that open and end at once are opened every 5 s'],
    breaks: ['open streams at a higher pace that open and end at once'],
  },
  {
    found: '`watch --json --changes` never reported an unreachable sign-in host',
    tests: ['an unreachable sign-in host, dropped items and their end are reported; no field is missing'],
    breaks: ['never tell that the sign-in host is away'],
  },
  {
    found: 'Checks with a chosen interval continued while programs received headers',
    tests: ['an own interval is measured between own checks, and pauses while programs receive headers'],
    breaks: ['go on with a chosen interval while programs bring headers'],
  },
  {
    found: 'A package that a test imports was declared nowhere',
    tests: ['every imported package is declared'],
    breaks: ['import a package that is there only because another one needs it'],
  },
  {
    found: '`headroom watch --data` on a folder with stored keys showed the simulator without a word',
    tests: ['saved keys are never replaced by the simulator'],
    breaks: ['show the simulator in place of saved keys'],
  },
  {
    found: 'A line of 64 kB without a space took nine seconds to clean',
    tests: ['takes time proportional to its length'],
    breaks: ['search a word for a token from each of its characters'],
  },
  {
    found:
      'The code of a window, and the address of a sign-in, were in an argument list that every user can read',
    tests: [
      'while the browser opens, no argument list contains the code, and no other user can read a file with it',
      [
        'main/storage/address-file.test.ts',
        'a file readable only by its owner redirects to the address, whatever its characters',
      ],
      [
        'main/storage/address-file.test.ts',
        'it is deleted after the address was used, after a minute, and if no browser could be opened',
      ],
      [
        'main/hosts/desktop/open-externally.test.ts',
        'opens a file of the data folder if the address would be an argument of xdg-open',
      ],
      ['main/sign-in/sign-ins.test.ts', 'opens the same address that the window shows'],
    ],
    breaks: ['hand the browser the address with its code'],
  },
  {
    found: 'A connected window was neither reported nor listed, and could not be ended',
    tests: [
      'are announced one by one, and listed for each of them',
      'stay ended when another one ends them, with their push stream',
    ],
    breaks: ['let a window in without a word'],
  },
  {
    found: 'HTTP_PROXY was sent refresh token and secret in clear text, and the simulator was dead behind it',
    tests: [
      'loopback uses no proxy, whatever variables are set',
      'an unencrypted request to another computer is not sent, with or without a proxy',
      'https uses a proxy as a tunnel, which sees the host and no secret',
      'an unusable proxy (%s) is reported in one line, and nothing bypasses it',
    ],
    breaks: ['send plain http to another computer'],
  },
  {
    found: 'A string in the place of the refresh token of an error answer was sealed over the good one',
    tests: [
      '%s with a string instead of the refresh token costs nothing: the good one is sent again',
      'whatever a service responds, a key whose newest token arrived in a response recovers once it responds correctly',
      'the tokens in doubt are encrypted together, and a later process falls back',
      'a revocation with two tokens in doubt first finds out which is live, and shows "revoked" for no other',
      [
        'app/tokens/refresh-grant.test.ts',
        'malformed responses never throw, have their own class each, and only a possible renewal contains a refresh token',
      ],
      [
        'main/sign-in/code-exchange.test.ts',
        'a %d that is no complete grant signs nobody in with its string: %j',
      ],
    ],
    breaks: ['replace the good token by a string of an answer that is no renewal'],
  },
  {
    found: 'A token that the service repeats reached snapshots, events, the history and the report',
    tests: [
      'a service that echoes requests, %s, exposes no secret anywhere',
      ['main/api/refused-requests.test.ts', 'the message of a rejection is one short line without a secret'],
    ],
    breaks: ['show a header that repeats the token'],
  },
  {
    found: 'vault.db could be read by others for a moment when it was made',
    tests: [
      'while files are made again and again',
      [PRIVATE, '%s of an earlier version that others could read'],
    ],
    breaks: ['close the store to others after it was made'],
  },
  {
    found:
      'A data folder of another user, or one that others may write to, was used, and links in it followed',
    tests: [
      'a folder of another user is refused',
      'a folder that %s is refused with a line',
      'a link in the place of a file is not followed',
      'a link that led to the folder when it was opened',
    ],
    breaks: ['trust a folder of another user'],
  },
  {
    found: 'A control socket of another user was believed, and "revoked" was said',
    tests: ['a control socket of another user'],
    breaks: ['ask any process that listens in place of the app'],
  },
  {
    found: 'Any passphrase was enough',
    tests: ['is too weak for a new folder'],
    breaks: ['seal keys under any passphrase'],
  },
  {
    found:
      'NODE_TLS_REJECT_UNAUTHORIZED=0 exposed tokens to anyone; a company’s certificate was not accepted',
    tests: [
      'an untrusted certificate receives nothing, %s',
      "a company's certificate is taken from NODE_EXTRA_CA_CERTS",
      "a company's certificate is taken from the system's store",
    ],
    breaks: [
      'leave the check of certificates to NODE_TLS_REJECT_UNAUTHORIZED',
      'trust no certificate that a company installed',
    ],
  },
  {
    found: 'A stored key with a damaged row vanished, and the demonstration replaced it',
    tests: [
      'a key whose row in the clear is %s stays, damaged by its id, is reported, and no demonstration replaces it',
      'a connected key is connected at the next start, with its latest token',
    ],
    breaks: ['take a key whose row in the clear is damaged for one that is not stored'],
  },
  {
    found:
      'Answers in one-byte chunks, deeply nested ones and endless scopes took gigabytes, and windows their pushes',
    tests: [
      [
        'main/ports/answer-bounds.process.test.ts',
        'an endless response in %s is abandoned within 64 MB of heap',
      ],
      'one level too many',
      ['app/tokens/refresh-grant.test.ts', 'of endless scopes 64 are shown, of at most 128 characters each'],
      ['main/snapshot-size.test.ts', 'a service that fills every shown text makes no snapshot of 256 kB'],
    ],
    breaks: ['parse whatever nests however deep'],
  },
  {
    found: 'A wall clock 400 days ahead for a minute deleted the history, and stayed wrong until a restart',
    tests: [
      'a process whose wall clock is 400 days ahead for minutes keeps its history, and recovers the time without a restart',
      [
        CLOCK,
        'a wall clock 400 days %s for 70 s deletes no history, and later samples are rolled up as usual',
      ],
      [
        CLOCK,
        'a wall clock that jumps 400 days back and forth deletes no history, before or after a restart',
      ],
      [
        'main/ports/timeline.test.ts',
        'a clock wrong by at most a day is not followed back; a larger correction is, and is reported',
      ],
      [
        'simulation/clock-set.test.ts',
        'a wall clock 400 days ahead for 70 s leaves no damage: no sign-in, no flood, and correct times',
      ],
      [
        'simulation/clock-set.test.ts',
        'a clock that two programs set in turn, 400 days apart, costs no flood of refreshes',
      ],
    ],
    breaks: ['delete history by a clock that has just jumped ahead, in a process of its own'],
  },
  {
    found:
      'A key in memory only got the pinned streams of another one, and its account ids went to another broker',
    tests: [
      'of another broker',
      [
        'main/streams/pinned-streams.test.ts',
        'pins of a key in memory only end with it, and are written once the key is stored',
      ],
    ],
    breaks: ['open the pinned streams of one broker at another'],
  },
  {
    found: 'Malformed answers were asked for eleven times in five minutes',
    tests: ['malformed responses are retried less than once a minute'],
    breaks: ['ask after a malformed answer as soon as after an outage'],
  },
  {
    found: 'SIGUSR1 opened an inspector, and the first build got the secrets of the environment',
    tests: ['SIGUSR1 opens no inspector', 'a build gets none of Headroom’s secrets'],
    breaks: ['open an inspector on SIGUSR1', 'hand the secrets of the environment to the build'],
  },
  {
    found: 'A store restored from an older copy was not reported',
    tests: ['a store restored from a copy is reported as such once; nothing else changes'],
    breaks: ['take an older copy of the store for the newest one'],
  },
  {
    found: 'File locks that do not work were taken for another Headroom, or for a lock',
    tests: [
      'a second attempt in the same process does not release the lock of the first',
      'a file system that %s is reported as such',
    ],
    breaks: ['believe a lock that everyone is granted'],
  },
  {
    found: 'A formula after a semicolon in a cell of an export was one to a spreadsheet',
    tests: ['no part of %j becomes a formula if a spreadsheet separates by semicolons or tabs'],
    breaks: ['disarm a formula at the beginning of a cell only, not after a semicolon within it'],
  },
  {
    found: 'People were shown the codes of system errors',
    tests: ['stdout cannot be written: the system refused it'],
    breaks: ['show a person the code of a failed system call'],
  },
  {
    found: 'A browser kept the code of a window in its history',
    tests: ['removes the code from the address bar at once, and once'],
    breaks: ['leave the code of a window in the address bar and the history'],
  },
  {
    found: 'A commit, and a settings file, could be named before it was on the disk',
    tests: [
      'commits survive a power cut, and deleted data is overwritten',
      ['main/storage/write-whole.test.ts', 'the bytes are on disk before the rename'],
    ],
    breaks: ['acknowledge what is only in the caches of the system'],
  },
  {
    found: 'No test noticed that a save which failed read saved',
    tests: [
      'whatever the store rejects reads as unsaved: a token, an intent, a setting, a secret and a sign-in',
    ],
    breaks: ['read a save that failed as saved'],
  },
  {
    found: 'No test noticed that a stored token was vouched for without its host',
    tests: ['a mark covers each host, the client id and the profile, under its own data key'],
    breaks: ['vouch for a stored token without its sign-in host'],
  },
  {
    found: 'No test noticed that a late 401 was attributed to the current token',
    tests: ['a late 401 to a replaced token changes nothing for the current one'],
    breaks: ['take a late 401 for one to the token that is held'],
  },
  {
    found: 'No test noticed that others could read the log',
    tests: ['every file is private under a umask that hides nothing'],
    breaks: ['let others read the log'],
  },
  {
    found:
      'No test noticed that two bytes of a digest were compared, that a cache stored responses, or endless push streams',
    tests: [
      'a code whose digest nearly matches is rejected',
      'a bearer is looked up by its whole digest',
      'a bearer that opens one push stream after another has at most four',
      [BROWSER_HOST, 'send responses that no cache may store'],
    ],
    breaks: [
      'compare two bytes of the code',

      'keep every push stream that a bearer opens',
    ],
  },
  {
    found: 'Numbers of cases were typed next to the tests instead of counted',
    tests: ['a claim is limited to the actual assertions and property runs'],
    breaks: ['record as many cases as a test claims'],
  },
  {
    found: 'A rejection of the service after a proxy’s of the same status was not reported',
    tests: [
      'a %d from another sender is the problem of its row without an event; the service’s own is reported after it',
    ],
    breaks: ['treat a proxy’s rejection as one that the service reported'],
  },
  {
    found: 'A pipe in place of a settings file blocked every start, and a file of gigabytes was read',
    tests: [
      'a pipe in the place of a file is told',
      ['main/storage/preferences.test.ts', 'a file of gigabytes is renamed without being read'],
    ],
    breaks: ['wait for ever for what comes out of a pipe in the place of a file'],
  },
  {
    found: 'A 401 for a token of the last ten seconds became 503, without a refresh',
    tests: [
      'a 401 for a new token causes one refresh and one resend',
      'if a refresh does not help, programs get the unchanged 401, and the next one waits',
      'a 401 that is cut while withheld is cut for its caller too',
      [REMOVAL, 'an error of %s that is cut is cut for its caller too'],
      'a caller that disconnects during a refresh leaves nothing behind',
    ],
    breaks: ['leave a 401 to a token of the last ten seconds without a refresh'],
  },
  {
    found: 'A 401 of one path while the sign-in host was away took the token from every program',
    tests: [
      [
        GATEWAY_FAULTS,
        'a 401 of one path during an outage of the sign-in host discards no token that others accept',
      ],
      'a rejected token stays in use until the retry schedule gets another one',
      'a path that rejects every token triggers ever fewer refreshes, and another one does not wait for them',
      'a path that accepts a token again resets its schedule, and an unchanged token is not requested again',
      'a caller that got 401 waits ten seconds for a refresh, and no longer',
    ],
    breaks: ['make a caller with a 401 wait as long as the sign-in host does not respond'],
  },
  {
    found: 'A key with a secret signed in without PKCE, and an access token of type mac was taken',
    tests: [
      '%s signs in at an independent implementation, whose redirect also names its issuer',
      ['main/sign-in/sign-ins.test.ts', 'of a key %s sends the challenge and later its verifier'],
      ['main/sign-in/code-exchange.test.ts', 'status %i with %j reads as %s'],
      [
        'app/tokens/refresh-grant.test.ts',
        'an access token of type %j is %s, and its refresh token is saved',
      ],
    ],
    breaks: ['sign in without a challenge'],
  },
  {
    found: 'No test noticed a failed save that reads as saved, nor six other breaks of vault and tokens',
    tests: [
      'a failed write of any kind is reported as failed, and the next one is stored',
      'whether a pending revocation is retried automatically (%s) is stored',
      'no generation is reused, not even that of a record in quarantine',
      ['main/vault/vault-handle.test.ts', 'with two open data keys, a mark by either of them is accepted'],
      [UNPROVEN, 'each candidate is stored before it is sent, so that a crash continues with it'],
      [KEEPER, 'from the click on Revoke no access token is returned, even during a refresh'],
    ],
    breaks: ['take a failed save of the vault for a saved one'],
  },
  {
    found: 'Two programs could have names that no table tells apart, in two alphabets',
    tests: [
      'rejects a name that looks like an existing one in another alphabet',
      ['app/gateway/look-alike.test.ts', '%j and %j can be confused'],
    ],
    breaks: ['list two programs whose names look the same'],
  },
  {
    found: 'The programs of a newer version were called damaged by an older one',
    tests: ['keeps a newer Headroom’s file, and does not call it damaged'],
    breaks: ['call what a newer version wrote damaged'],
  },
  {
    found:
      'The time to retry after a 429 moved with each further one, and never came, with others in a storm',
    tests: [
      'the next 429 with Remaining 0 removes the time to retry, and no later one sets another',
      'a 429 of a request that was already in flight leaves the shown time to retry unchanged',
      ['app/status/quota-status.test.ts', 'shows no countdown while others use the whole refill'],
    ],
    breaks: ['count down to a retry that others make fail'],
  },
  {
    found: 'Where others used the whole refill, every try of every program met 429 as soon as its turn came',
    tests: [
      'while others use the whole refill, non-critical programs get at most four 429s a minute, then one',
      'critical programs continue while others use the whole refill, and their header with room frees the rest',
      ['app/quota/others-take-all.test.ts', 'tries are then 20 s, 40 s, and a minute apart'],
    ],
    breaks: ['try as ever while others use the whole refill'],
  },
  {
    found: 'After a burst of a critical program others got 429 with a Retry-After ten times too long',
    tests: [
      'after a critical burst others get the time until enough is left, not ten times it',
      ['app/gateway/scheduler.test.ts', 'a burst of a more urgent class does not count as a lasting rate'],
      [
        'app/gateway/served-rates.test.ts',
        'outside programs that stopped after a burst do not count as fast',
      ],
    ],
    breaks: ['take a burst that has stopped for a rate'],
  },
  {
    found:
      'After a suspension a request whose longest wait had ended was sent, if another one was read first',
    tests: [
      [
        'main/gateway/sleep.process.test.ts',
        'after a suspension, late requests are declined, new ones answered, and the queue is empty',
      ],
      'after sleep, requests whose wait has ended are not sent if %s first',
    ],
    breaks: ['send what is over after a sleep when a program asks first'],
  },
  {
    found:
      'The gateway let in another user by 127.0.0.2, by IPv6 to 127.0.0.1, and by a socket closed at once',
    tests: [
      [
        'main/gateway/door.test.ts',
        'by any address of this machine, a process of this user is admitted and one of another user is not',
      ],
      'the user of %s is found too',
      'a socket closed by its program has no user, although the table says root',
      'without a table everyone is admitted; with an unreadable one, or without a row, nobody is',
    ],
    breaks: ['let in a connection whose user is not found'],
  },
  {
    found:
      'Any connection made the gateway read the table of all sockets, 11 ms for a program to wait each time',
    tests: [
      'looks up whose a connection is once, and only for a valid key',
      'rejects another user’s program with a key, and for a token',
      'sends nothing for a program that left during the lookup',
      ['main/gateway/peer-user.test.ts', 'simultaneous connections share a read, and later ones the next'],
      ['main/gateway/peer-user.test.ts', 'a connection that arrives during a read waits for the next one'],
    ],
    breaks: ['look up the user of every connection, whatever key it shows'],
  },
  {
    found: 'Headers over 16 KiB got 400, and a body was requested before its request was rejected',
    tests: [
      'rejects headers over 16 KiB %s with 431, in the gateway’s words',
      'requests a body only if the request is not rejected',
    ],
    breaks: ['call headers that are too long a request that cannot be read'],
  },
  {
    found: 'Orders were forwarded whose path had parameters, dots or spaces at its end, or was encoded twice',
    tests: [
      'rejects an order in any spelling with 403, and sends none of it',
      'rejects the path %j, which servers read differently, with 400',
      'forwards no path that leads to orders, in any spelling',
      'forwards ordinary paths, whatever their symbols and names',
    ],
    breaks: ['decode the path of an order once only'],
  },
  {
    found: 'No test noticed a gateway that took the first of two Authorization fields',
    tests: ['rejects two Authorization fields, in any order and case'],
    breaks: ['take the first of two Authorization fields'],
  },
  {
    found: 'A program that sent a request every six seconds got a reset as its idle connection closed',
    tests: ['a program’s connection stays open for 75 s between two requests, whatever the response'],
    breaks: ['close the connection of a program that is silent for six seconds'],
  },
  {
    found: 'Idle connections of one program could hold every file descriptor for more than a minute',
    tests: ['above 64 connections an idle one stays open for 5 s, until there are fewer'],
    breaks: ['keep any number of idle connections for as long as a few'],
  },
  {
    found: 'A 401 took ten seconds whatever its Prefer while the sign-in host accepted and said nothing',
    tests: [
      'a 401 is passed on after the wait that its program chose',
      'a caller that joins a request waiting for a refresh',
    ],
    breaks: ['wait for a refresh longer than the program that got a 401'],
  },
  {
    found:
      'A token that ended while the sign-in host was away gave programs 401s for a minute after its return',
    tests: [
      'a token %s while the sign-in host %s is refreshed every five seconds',
      'after %s a token %s is refreshed no sooner',
    ],
    breaks: [
      'leave a rejected or expired token to the retries of a sign-in host that is back',
      'ask a throttling sign-in host again for each 401',
    ],
  },
  {
    found:
      'A token that expired while the sign-in host was away gave programs 503s for a minute after its return',
    tests: [
      'a token %s while the sign-in host %s is refreshed every five seconds',
      'without a token, the next attempt is the one that a request may cause',
      'a request without a token renews it five seconds after the last failure',
    ],
    breaks: [
      'let programs without a token wait for the retries of a sign-in host that is back',
      'leave the token of a program’s request to the retries of a sign-in host that is back',
    ],
  },
  {
    found:
      'After a path had rejected two tokens in a row, the end of the second gave all paths 401s for 30 s',
    tests: ['a path that accepted a token shows its end within 30 s, whatever another path rejects'],
    breaks: [
      'take the end of a token for a missing scope while another path rejects every token',
      'refresh for a path that accepted an earlier token',
    ],
  },
  {
    found: 'A stream that flooded kept requests of all programs waiting for up to 0.4 s',
    tests: ['a flood of frames leaves other connections a turn after each 64 kB'],
    breaks: ['read a flood of frames for as long as it lasts'],
  },
  {
    found: 'Once its socket file was deleted, no command reached a running Headroom',
    tests: ['a socket file that is deleted is there again after ten seconds, private, and answers'],
    breaks: ['leave the socket file deleted'],
  },
  {
    found: 'Of 500 connections that a program opened in one instant the gateway reset 372 without an answer',
    tests: [
      '%d simultaneous connections of a program all get a response',
      'unauthenticated connections never displace one that has shown a key, for a response or a token',
      '1,100 unauthenticated connections that %s block none of a program’s 200',
      [
        'main/network/connection-limit.test.ts',
        'a connection that does not authenticate in time is closed; an authenticated one is not',
      ],
      [
        'main/hosts/browser/slow-sockets.test.ts',
        'one that keeps sending requests without a key is closed in time',
      ],
    ],
    breaks: ['reset what a program connects at once beyond 128'],
  },
  {
    found: 'An unshared stream ended within a frame, and a frozen reader kept its socket for ever',
    tests: [
      'when turned off, an unshared stream gets GoAway after the current frame',
      'a frozen reader that cannot catch up gets GoAway, and is cut if it does not read that',
    ],
    breaks: [
      'end a stream that is not shared without a word',

      'keep the connection of a reader that never reads its GoAway',
    ],
  },
  {
    found:
      '64 programs with 128 quotas each made a snapshot of 1.8 MB, which closed the pushes of every window',
    tests: [
      'a window on a real host gets all keys’ snapshots, however many programs and quotas they name',
      '64 programs with 141 long-named quotas each fit the bound, and are counted',
      'programs with problems are listed first, then the busiest, each group in its order',
      'whatever names programs and the service use, the bound holds and everything dropped is counted',
      [
        'main/hosts/terminal/table.test.ts',
        'items dropped from a snapshot are counted in one line below their list',
      ],
      [
        'renderer/programs/program-rows.test.ts',
        'categories dropped from a snapshot are counted with those that the table does not name',
      ],
    ],
    breaks: ['let each connected key fill the room of all snapshots'],
  },
  {
    found: 'A request whose answer was cut within its head was sent again',
    tests: [
      'a request cut after %s is 502 at once, also on a reused connection',
      'a reused connection that closes counts as cut before a byte: the request is resent',
      [
        'main/gateway/faults.test.ts',
        'cut at any byte: resent only before the first one, and never a response that looks whole',
      ],
    ],
    breaks: ['resend a request whose answer was cut within its head'],
  },
  {
    found: 'The service could speak as Headroom in Proxy-Status, Cache-Status and Via',
    tests: [
      'the service cannot impersonate Headroom, to a request or a stream',
      ['main/gateway/named-members.test.ts', 'relays %s: %s as %s'],
      ['main/gateway/named-members.test.ts', 'relays %s: %s unchanged'],
    ],
    breaks: ['let the service speak as Headroom'],
  },
  {
    found: 'The access token of the key reached programs in the body of an error, or in the name of a field',
    tests: [
      'replaces the token in a %s body of a %s, with the right length',
      'relays a %s error without the token byte for byte',
      'removes the token everywhere from a %s error longer than one read',
      'any chunking of a body gives the same result',
      'replaces the token everywhere in a value, and drops a field with it in its name',
      'a rejected shared stream shows no reader the token',
    ],
    breaks: [
      'hand programs the access token in the body of an error',

      'hand programs the access token in the name of a field',
    ],
  },
  {
    found: 'No test noticed that a reader far behind the others of its answer filled the memory',
    tests: [
      'a coalesced reader 8 MiB behind is ended, and the other one gets the whole response',
      'a reader less far behind delays no other, and gets the whole response when it continues',
    ],
    breaks: ['keep all of an answer for a reader that reads none of it'],
  },
  {
    found: 'The error of a service that was cut short ended as if it were whole',
    tests: [
      'an error of %s that is cut is cut for its caller too',
      'relays an error without an end after 5 s, cleaned as it arrives',
    ],
    breaks: ['end an error that was cut as if it were whole'],
  },
  {
    found: 'An answer whose status no answer may have ended the whole process',
    tests: [
      '%s: %s %s with the response %s gets 502, and the next one is served',
      'an exception while handling a response fails that request with 502, and nothing else',
      'an exception before forwarding fails that request with 500, and nothing else',
      'own checks and streams learn no quota from a status %s',
      [
        'main/gateway/stream-hub.test.ts',
        'a reader whose response cannot be written gets 502, and the others their stream',
      ],
    ],
    breaks: ['pass on an answer of any status'],
  },
  {
    found: 'A service counted as reachable before it had ever answered',
    tests: [
      'is neither reachable nor unreachable',
      'is unreachable from its first failure',
      ['main/metrics/metrics.test.ts', 'a Prometheus parser reads every number'],
    ],
    breaks: ['call the service reachable before it was asked'],
  },
  {
    found: 'A sentence showed the middle of an estimate as what is left: 21 % of a range from 0 to 69',
    tests: ['the share left is the lower bound, or a range'],
    breaks: ['tell the best case as what is left'],
  },
  {
    found:
      'An outage used up the quota of the streams that it cut, and a 429 then sent every reader away from a service that was back',
    tests: [
      'during an outage (%s) of half a minute one stream tries, the others follow, and the quota stays',
      'a stream that the service cuts reopens within the reserve',
      'a 429 is not waited out: streams reopen as the level allows, and no reader is dropped',
      [STREAM_OUTAGE, 'of streams lost together one retries, at most every 5 s, each in turn'],
      [STREAM_OUTAGE, 'the others follow the first success within half a second'],
      [STREAM_OUTAGE, 'streams that open and end at once do not trigger each other'],
      [STREAM_OUTAGE, 'even without a gateway, reopening leaves the reserve to others'],
    ],
    breaks: [
      'let every stream try in an outage',

      'sleep the Reset of a 429 that met a stream',
    ],
  },
  {
    found:
      'The merged state of a shared stream grew without a bound, and a frame cost as much as its whole object',
    tests: [
      ['main/gateway/endless-state.test.ts', 'a stream with ever new symbols ends by GoAway'],
      'a state over 16 MiB ends its readers',
      'looks for each object of a smaller stream once, however many frames the larger one has',
      'stores a state of 16 MiB, and reports a larger one as too large',
      'the snapshot of a later connection is counted as it arrives, and is the state afterwards',
      'many small objects are counted with their overhead',
      'members added to one object are counted',
      'a frame costs what it changes',
      'of a frame only its object’s members are stored',
      'a reader always one frame behind keeps none of its past frames',
    ],
    breaks: [
      'let the state of a shared stream grow without a bound',

      'copy an object for each of its frames',
    ],
  },
  {
    found: 'A reader whose stream got 429 was declined although there was room long before Reset',
    tests: ['after a 429 a reader waits for room within its longest wait, however late Reset is'],
    breaks: ['hold a reader of a stream against Reset after a 429'],
  },
  {
    found: 'Requests that waited hung after the clock was set back by days, or the key was connected anew',
    tests: ['reconnecting a key declines its waiting requests at once, and serves the next'],
    breaks: ['leave requests with the former session of a key that is connected anew'],
  },
  {
    found: 'A wall clock set an hour ahead declined every waiting request',
    tests: [
      'a wall clock set an hour ahead declines no waiting request',
      ['main/gateway/forwarder.test.ts', 'a token that expired while a request waited'],
    ],
    breaks: ['count the hour that a clock was set ahead as time that a request waited'],
  },
  {
    found:
      'A sign-in host that accepts and never responds made programs wait for 38 s, whatever their `Prefer`',
    tests: [
      'waits for a token as long as the caller waits',
      'time spent on a token is no longer available for the turn',
    ],
    breaks: ['wait for a token longer than the caller waits'],
  },
  {
    found: 'Unreadable bytes after a request got their error in the middle of that request’s response',
    tests: ['writes %s after the response in progress, not within it'],
    breaks: ['write that a request cannot be read into the answer to another one'],
  },
  {
    found:
      'Bodies compressed in transfer (`Transfer-Encoding: gzip, chunked`) were passed on as if they were not',
    tests: [
      'a response in an unknown transfer coding is 502, and the next one is served',
      'rejects a body in an unsupported transfer coding, and sends none of it',
    ],
    breaks: [
      'pass an answer on as plain that is compressed in transfer',
      'take a body in a transfer coding for the body',
    ],
  },
  {
    found: 'Of a program of 40 processes, each with a local token of its own, eight got 401',
    tests: ['new local tokens replace a program’s oldest ones, never others’'],
    breaks: ['let the 33rd process of a program end the token of the first'],
  },
  {
    found: 'A shared stream that the service opened repeatedly without data was never reported as silent',
    tests: ['a service that opens a stream repeatedly, and sends %s on it, ends its readers too'],
    breaks: [
      'count a stream that opens again and says nothing as served',
      'take line ends alone for a stream that is served',
    ],
  },
  {
    found: 'A byte order mark before the answer to a refresh cost a rotating key its token',
    tests: [
      'a byte order mark before a token response costs no token',
      ['app/service/json.test.ts', 'one leading byte order mark is ignored'],
    ],
    breaks: ['lose a rotated token to a byte order mark'],
  },
  {
    found: 'Programs, thresholds and preferences that could not be read were replaced by the next change',
    tests: ['an unreadable file is renamed before a new one replaces it'],
    breaks: ['replace the programs of a file that could not be read'],
  },
  {
    found: 'Of 40 commands in one instant 24 were reset, and of 300 scrapes 123',
    tests: [
      '200 commands in one instant',
      ['main/metrics/metrics.test.ts', '300 scrapes at once all get a response'],
    ],
    breaks: ['reset commands beyond 16 in one instant'],
  },
  {
    found:
      'An error that repeats the token with escapes of JSON or HTML, in base64 or hexadecimal, or a redirect, exposed it',
    tests: ['replaces a token echoed %s', 'the token in the body of a redirect'],
    breaks: [
      'hand programs the token in base64',
      'hand programs the token in hexadecimal',
      'hand programs the token in the body of a redirect',
    ],
  },
  {
    found: 'A line of 1 MB took 31 s to clean of secrets that repeat themselves',
    tests: ['a text of one repeated period is cleaned in time with as many secrets of that period'],
    breaks: ['compare each place of a secret that repeats itself'],
  },
  {
    found: 'An error on an open stream that repeats the access token exposed it to each reader',
    tests: ['removes an access token echoed in a stream’s error, also for later readers'],
    breaks: ['hand programs the token in an error on their stream'],
  },
  {
    found:
      'Quotes and errors of a symbol that the service names differently reached no reader of their stream',
    tests: [
      'a reader of any symbol gets %s of a symbol that was not requested by this name',
      [HUB, 'readers get quotes of a symbol that the service names differently'],
    ],
    breaks: ['drop frames whose symbol the service names differently'],
  },
  {
    found:
      'Six tabs of one browser held all of its connections: each command hung, and a seventh did not load',
    tests: [
      'five tabs of a browser have a place, and a sixth gets the place of one that closes',
      'opens no connection while too many tabs are open, and connects once one is closed',
    ],
    breaks: ['connect every tab of a browser', 'connect a tab that has no place among those of its browser'],
  },
  {
    found: 'A symbol error that was over came last to each later reader, also after a reconnect',
    tests: [
      'a symbol’s error is over with its next data',
      'a new reader of %s gets no error of an earlier connection',
    ],
    breaks: [
      'send a symbol error to a new reader after the symbol’s next data',
      'send a symbol error of an earlier connection to a new reader',
    ],
  },
  {
    found: 'An order of a program that was cut passed, if another program was added meanwhile',
    tests: [
      'the id of a program that was cut is not reused in this run',
      [
        'main/orders/order-rules.test.ts',
        'an order of a program that was cut is never sent, even if another program was added meanwhile',
      ],
    ],
    breaks: ['give the id of a program that was cut to the next one'],
  },
  {
    found: 'A LIVE host with a dot at its end needed no confirmation by the key’s last characters',
    tests: ['the host of %s is LIVE'],
    breaks: ['allow orders of LIVE unconfirmed if its host ends with a dot'],
  },
  {
    found: 'A sign-in that waited while a person stopped orders allowed them again when it was done',
    tests: [
      'a stop ends a sign-in that waits to open the switch, which then opens nothing: %s',
      'a stop while a sign-in is starting ends it, and one of another key leaves it',
    ],
    breaks: ['open the switch by a sign-in that waited when a person stopped orders'],
  },
  {
    found: 'The orders of a disconnected key’s programs passed to another key that got its id',
    tests: ['a different key under the id of a disconnected one gets no orders of its programs'],
    breaks: ['leave the orders of a disconnected key’s programs to the next key'],
  },
  {
    found: 'Programs of a key that was forgotten or replaced while no Headroom ran could still send orders',
    tests: [
      'a key replaced while no Headroom ran leaves no orders',
      'a key forgotten while no Headroom ran leaves no orders',
    ],
    breaks: [
      'leave the orders of a key’s programs to the key that replaced it while no Headroom ran',
      'leave the orders of a key’s programs when it was forgotten while no Headroom ran',
    ],
  },
  {
    found: 'A restart, or a program added again, started the minute of --max-orders anew',
    tests: ['a restart, or the same name added again, starts no new minute'],
    breaks: ['start the minute of each program’s order limit anew at a restart'],
  },
  {
    found: 'Of a lost order with a compressed body nothing was recognised, nor that it had an OrderConfirmID',
    tests: ['a lost order in the coding %s is recognised, up to 64 KiB, and sent as it came'],
    breaks: ['read no order with a compressed body'],
  },
  {
    found:
      'A reader of a stream that waits for its turn waited in the class, and as long, as the first one did',
    tests: [
      'a stream that waits for its turn gets it in the class of its most urgent reader',
      'each reader of a stream that waits for its turn waits as long as it wants',
    ],
    breaks: [
      'let a reader of a stream wait for the turn of its first reader',
      'decline all readers of a stream when the wait of one ends',
    ],
  },
  {
    found: 'Callers that left before the turn of their stream filled the queue of their program for minutes',
    tests: [
      'readers that leave before the turn of their stream leave the queue',
      'a program’s readers of one stream wait as one request',
    ],
    breaks: [
      'leave readers that are gone in the queue for the turn of their stream',
      'queue each reader of a stream, until they fill the queue of their program',
    ],
  },
  {
    found: 'The gateway ended when it was turned on at another port that is taken',
    tests: ['a gateway that can’t move to a port that is taken continues on its own one'],
    breaks: ['end the gateway before its next port is known to be free'],
  },
  {
    found: 'A program that was cut got its stored key back, if its key came from the environment meanwhile',
    tests: ['revoking a program from the environment revokes the stored one of its name too'],
    breaks: ['let a stored key work again once the program of its name in the environment was cut'],
  },
  {
    found: 'A sign-in host that compresses unless it is asked not to cost a rotating key its token',
    tests: ['asks for responses that are not compressed, because it reads them as they are'],
    breaks: ['accept compressed token responses, which are not decoded'],
  },
  {
    found: 'A burst of more than 256 frames in one chunk was merged for readers that take all, or ended them',
    tests: ['a reader that takes everything gets each frame of a burst'],
    breaks: ['merge the frames of a burst for a reader that takes them all'],
  },
  {
    found: 'The last frame of a stream reached no reader if the service ended the stream without a line end',
    tests: ['the last frame of a stream that the service ends needs no line end'],
    breaks: ['keep the last frame of a stream from readers if it lacks its line end'],
  },
  {
    found: 'A member of a desk that was frozen or killed was counted twice, or without its last second',
    tests: [
      'a request that counted as lost is not counted again when the member responds after all',
      'a killed member is lost within six seconds, whenever it is killed and however late messages are',
      [MACHINES, 'count exactly after one of them stood still with a response under way'],
      [MACHINES, 'say within seconds that one was killed, and lose at most its last moment'],
    ],
    breaks: ['count a request again that counted as lost', 'show the total of a member’s last report'],
  },
  {
    found: 'What a machine of a desk did before the others heard of its start was counted as others’',
    tests: [
      'all requests of a run that is younger than this machine’s are charged',
      [MACHINES, 'see one again after it started, with a clock that is hours ahead'],
    ],
    breaks: ['leave out what a member did before its first totals'],
  },
  {
    found:
      'What a machine of a desk did after its start, while another one was frozen, was counted as others’',
    tests: [
      'a machine that %s for minutes while another one restarted',
      [MEMBER, 'a picture that was held up on its way still belongs to a run that is younger'],
      [MACHINES, 'with a clock that is hours ahead, while another one stood still'],
    ],
    breaks: ['take a run that is known late for one that is older'],
  },
  {
    found: 'A machine that left a desk and joined again was counted twice, if its Headroom was seconds old',
    tests: [
      'a machine that joins again is not counted twice',
      [METERED, 'own requests of the last minute are known by their times'],
    ],
    breaks: ['count what a member did before it joined again'],
  },
  {
    found: 'Three machines that had just joined took each other’s first requests for others’',
    tests: [
      'what machines did just before they joined is not taken for others’',
      [MEMBER, 'requests from before this machine knew of the run are charged'],
    ],
    breaks: ['take what a machine did just before it joined for others’'],
  },
  {
    found: 'Requests of a desk’s machine that was killed while another one was cut off stayed among others’',
    tests: [
      'a machine that was cut off while another one %s learns of its last requests',
      [MEMBER, 'another member tells what a silent run did while this machine was cut off'],
    ],
    breaks: ['leave out what only a third machine knows of a run that has ended'],
  },
  {
    found: 'After a machine of a desk stood still, the other machines took its requests for use by others',
    tests: ['a response that a machine received only after a freeze changes nothing on the others'],
    breaks: ['judge a header of a desk that is older than the requests that are remembered'],
  },
  {
    found: 'A machine of a desk that came back before the others lost a killed one missed its last requests',
    tests: ['a machine that %s another one and is back before a third one loses it'],
    breaks: ['keep to oneself what a lost member did'],
  },
  {
    found:
      'A request that a desk’s machine had under way when it froze stayed counted, although it never counted',
    tests: ['a request that counted as lost is taken back if it did not count'],
    breaks: ['keep a request that counted as lost and did not count'],
  },
  {
    found: 'A machine that joined a desk showed less than was left, because a header had been charged twice',
    tests: ['requests since an adopted header may be in it, so that only the lower bound falls'],
    breaks: ['take requests since an adopted header for missing in it'],
  },
  {
    found: 'A burst of one machine of a desk looked like use by others to all of its machines',
    tests: ['a burst of one machine looks like others’ use to none'],
    breaks: ['take requests sent after a header for included in it'],
  },
  {
    found: 'Requests of a desk that were known after a header was judged stayed among those of others',
    tests: ['a request of the desk that is known late is not left among those'],
    breaks: ['leave requests of the desk among others’ that are known late'],
  },
]
