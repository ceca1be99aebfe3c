import { DEFAULT_GATEWAY_PORT } from '../../../app/contract/programs.ts'
import { readStreamText } from '../../../app/service/stream-text.ts'
import { probeFlag, reserveFlag, trafficFlag } from './category-flags.ts'
import {
  addressFlag,
  agoFlag,
  DATA,
  type FlagsOf,
  faultFlag,
  flag,
  flagList,
  numberFlag,
  offFlag,
  onFlag,
  portFlag,
  profileFlag,
  secondsFlag,
  secondsOrZeroFlag,
  symbolFlag,
  textFlag,
  timeFlag,
  wordFlag,
} from './flag-values.ts'
import { EXIT_DOES_NOT_FIT } from './terminal.ts'

/* The flags of each command, in the order of its help, and the types of the parsed flags. */

const metricsPort = flag(
  '--metrics-port <port>',
  'serve Prometheus metrics on this port; 0 = any free port',
  portFlag,
)

export const START = {
  host: flag(
    '--host <host>',
    'where to open: auto, desktop or browser',
    wordFlag(['auto', 'desktop', 'browser']),
  ).or('auto'),
  port: flag('--port <port>', 'port of the browser host; 0 = any free port', portFlag).or(4780),
  open: offFlag('--no-open', 'do not open a browser'),
  link: offFlag('--no-link', 'print no single-use code, for example when a journal records stdout'),
  data: DATA,
  simulate: onFlag('--simulate', 'use the built-in simulator instead of saved keys'),
  metricsPort,
  gatewayPort: flag(
    '--gateway-port <port>',
    'serve programs on this port, in this run only; 0 = any free port',
    portFlag,
  ),
}
export interface StartFlags extends FlagsOf<typeof START> {}

const SERVICE = {
  authUrl: flag('--auth-url <url>', 'sign-in host', addressFlag),
  baseUrl: flag('--base-url <url>', 'API host', addressFlag),
  clientId: flag('--client-id <id>', 'the API key', textFlag),
}
export interface ServiceFlags extends FlagsOf<typeof SERVICE> {}

export const WATCH = {
  ...SERVICE,
  probe: flag(
    '--probe <list>',
    "seconds between checks, such as 'Accounts=30,Positions=60', or none",
    probeFlag,
  ),
  probeSymbol: flag(
    '--probe-symbol <symbol>',
    'symbol for checks of market data (default: MSFT)',
    symbolFlag,
  ),
  trialAfterStep: onFlag(
    '--trial-after-step',
    'after a 429 on a rolling quota, keep checking the quota at half the rate; other requests still wait',
  ),
  stream: flagList(
    '--stream <stream>',
    "open a stream, such as 'positions:SIM1001' or 'barcharts:MSFT?interval=5&unit=Minute'; repeatable",
    readStreamText,
  ),
  data: flag('--data <folder>', 'save the key in this folder, encrypted with HEADROOM_PASSPHRASE', textFlag),
  for: flag('--for <seconds>', 'stop after this time', secondsFlag),
  json: onFlag('--json', 'write one JSON object per line on stdout, and nothing else'),
  every: flag('--every <seconds>', 'with --json: seconds between snapshots', secondsFlag),
  events: onFlag('--events', 'with --json: events only'),
  changes: onFlag('--changes', 'with --json: changes only, and a whole snapshot once a minute'),
  metricsPort,
}
export interface WatchFlags extends FlagsOf<typeof WATCH> {}

export const GATEWAY = {
  ...WATCH,
  port: flag(
    '--port <port>',
    `gateway port; 0 = any free port (default: ${DEFAULT_GATEWAY_PORT}; for 'gateway on': the port last used)`,
    portFlag,
  ),
  reserve: flag(
    '--reserve <list>',
    "requests reserved for more urgent classes, such as 'Positions=20' (default: 6 % of each quota)",
    reserveFlag,
  ),
}
export interface GatewayFlags extends FlagsOf<typeof GATEWAY> {}

export const STATUS = { json: onFlag('--json', 'one line of JSON per key'), data: DATA }
export interface StatusFlags extends FlagsOf<typeof STATUS> {}

/** Times are epoch milliseconds. */
export const EXPORT = {
  series: onFlag('--series', 'request quotas by the minute: a row per key, category and minute'),
  orders: onFlag(
    '--orders',
    'the journal of orders: a row per order, without symbols, prices and quantities',
  ),
  from: flag('--from <time>', 'start time, such as 2026-01-05T15:30Z (default: a day before --to)', timeFlag),
  to: flag('--to <time>', 'end time (default: now)', timeFlag),
  profile: profileFlag('only this key'),
  format: flag('--format <format>', 'csv, json or parquet', wordFlag(['csv', 'json', 'parquet'])).or('csv'),
  output: flag('--output <path>', 'a new file, or a folder for it', textFlag),
  data: DATA,
}
export interface ExportFlags extends FlagsOf<typeof EXPORT> {}

export const PLAN = {
  json: onFlag('--json', 'print the verdict as one JSON object'),
  exitCode: onFlag('--exit-code', `end with ${EXIT_DOES_NOT_FIT} if the plan does not fit`),
  replay: onFlag(
    '--replay',
    "run a trading day (6.5 h) of the plan through the gateway's scheduler, in virtual time",
  ),
  /** Milliseconds. */
  fromHistory: flag('--from-history <time>', 'add the recorded use of the last 24h, 90m or 7d', agoFlag),
  profile: profileFlag('which key of the history'),
  data: DATA,
}
export interface PlanFlags extends FlagsOf<typeof PLAN> {}

export const REVOKE = {
  ...SERVICE,
  yes: onFlag('--yes', 'do not ask'),
  profile: profileFlag('which of several keys'),
  data: DATA,
}
export interface RevokeFlags extends FlagsOf<typeof REVOKE> {}

const heartbeat = numberFlag({ atLeast: 0.05, atMost: 3600, unit: 'seconds' })
const streamRate = numberFlag({ atLeast: 0, atMost: 1000, unit: 'messages per second' })

export const SIMULATE = {
  port: flag('--port <port>', 'port of the simulator; 0 = any free port', portFlag).or(4790),
  clientId: flag('--client-id <id>', 'the API key that the simulator accepts', textFlag).or('sim-key'),
  clientSecret: flag('--client-secret <secret>', 'secret of the key (default: none)', textFlag),
  refreshToken: flag('--refresh-token <token>', 'the first refresh token', textFlag).or('sim-refresh'),
  trade: onFlag('--trade', 'give the first refresh token the Trade scope, for orders'),
  keys: flag(
    '--keys <kind>',
    'kind of refresh tokens: default or rotating',
    wordFlag(['default', 'rotating']),
  ).or('default'),
  refreshExpiry: flag(
    '--refresh-expiry <seconds>',
    'rotating keys: lifetime of a refresh token',
    secondsFlag,
  ).or(1800),
  rotationOverlap: flag(
    '--rotation-overlap <seconds>',
    'how long a replaced token still works',
    secondsOrZeroFlag,
  ).or(0),
  absoluteLifetime: flag(
    '--absolute-lifetime <seconds>',
    'rotating keys: lifetime of a sign-in',
    secondsFlag,
  ).or(86_400),
  accessLifetime: flag('--access-lifetime <seconds>', 'lifetime of an access token', secondsFlag).or(1200),
  table: flag(
    '--table <table>',
    'which quotas to simulate: the current or the earlier table',
    wordFlag(['current', 'earlier']),
  ).or('current'),
  window: flag('--window <kind>', 'how quotas refill: rolling or fixed', wordFlag(['rolling', 'fixed'])).or(
    'rolling',
  ),
  errors: flag(
    '--errors <kind>',
    'form of 429 responses: current or legacy',
    wordFlag(['current', 'legacy']),
  ).or('current'),
  revokeField: flag(
    '--revoke-field <field>',
    'name of the token field in a revocation: token, refresh_token or either',
    wordFlag(['token', 'refresh_token', 'either']),
  ).or('either'),
  heartbeat: flag('--heartbeat <seconds>', 'time between heartbeats of a quiet stream', heartbeat).or(5),
  traffic: flag(
    '--traffic <list>',
    "requests per second of others: 'Positions=1.0,Accounts=2@120/300' (in 120 of every 300 s)",
    trafficFlag,
  ),
  streamRate: flag('--stream-rate <number>', 'messages per second per stream', streamRate).or(2),
  fault: flagList('--fault <name>', 'inject a fault; repeatable', faultFlag),
}
export interface SimulateFlags extends FlagsOf<typeof SIMULATE> {}
