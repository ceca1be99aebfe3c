/** A program that polls at a constant rate. */
export interface Poller {
  readonly program: string
  /** Polled in turn. */
  readonly paths: readonly string[]
  readonly everyMs: number
}

/** The programs of one machine. */
export interface Machine {
  readonly name: string
  readonly pollers: readonly Poller[]
  /** One request for each path, all at the same instant, each on a separate connection. */
  readonly scanner: { readonly program: string; readonly paths: readonly string[] }
  /** Number of slots between two scans. A scan uses no more than the refill in between. */
  readonly scanEvery: number
  readonly streams: readonly string[]
}

const SCANNED = 200
const ofAccount = (account: string, rest: string) => `/v3/brokerage/accounts/${account}/${rest}`
const stream = (rest: string) => `/v3/marketdata/stream/${rest}`
const positionStream = '/v3/brokerage/stream/accounts/SIM1001/positions'

/**
 * Two machines on one key. Their pollers use two thirds of the refill of their quotas, so that no request
 * waits longer than a scan takes. Each machine reads six streams, three of which the other machine reads too.
 * Streams of bars are not shared.
 */
export const MACHINES: readonly Machine[] = [
  {
    name: 'a',
    pollers: [
      { program: 'bot', paths: [ofAccount('SIM1001', 'positions')], everyMs: 2_500 },
      { program: 'desk', paths: [ofAccount('SIM1001', 'balances')], everyMs: 2_500 },
      { program: 'notes', paths: [ofAccount('SIM1001', 'orders')], everyMs: 3_500 },
    ],
    // Each request is for a different quote, so no two share an answer.
    scanner: {
      program: 'scanner',
      paths: Array.from({ length: SCANNED }, (_, at) => `/v3/marketdata/quotes/S${at}`),
    },
    scanEvery: 3,
    streams: [
      positionStream,
      stream('marketdepth/quotes/MSFT'),
      stream('marketdepth/aggregates/MSFT'),
      stream('marketdepth/quotes/AAPL'),
      stream('quotes/MSFT,AAPL'),
      stream('barcharts/MSFT?interval=1&unit=Minute&barsback=3'),
    ],
  },
  {
    name: 'b',
    pollers: [
      { program: 'bot', paths: [ofAccount('SIM1002', 'positions')], everyMs: 4_000 },
      { program: 'desk', paths: [ofAccount('SIM1002', 'balances')], everyMs: 4_000 },
      { program: 'notes', paths: [ofAccount('SIM1002', 'orders')], everyMs: 5_000 },
    ],
    // Four different requests, fifty times each. Equal requests that are in flight share a response.
    scanner: {
      program: 'scanner',
      paths: Array.from({ length: SCANNED }, (_, at) => `/v3/brokerage/accounts?page=${at % 4}`),
    },
    scanEvery: 1,
    streams: [
      positionStream,
      stream('marketdepth/quotes/MSFT'),
      stream('marketdepth/aggregates/MSFT'),
      stream('marketdepth/quotes/NVDA'),
      '/v3/brokerage/stream/accounts/SIM1001/orders',
      stream('options/chains/MSFT'),
    ],
  },
]

/** The categories of the pollers' quotas. Their rows must be right. */
export const POLLED = ['Positions', 'Balances', 'Order Details'] as const

const CLASSES: Readonly<Record<string, string>> = {
  bot: 'critical',
  desk: 'normal',
  reads: 'normal',
  notes: 'background',
  scanner: 'background',
}

export const keyOf = (machine: string, program: string): string => `k3y-of-${machine}-${program}-0123456789`

/** `HEADROOM_GATEWAY_KEYS` of all programs. */
export const gatewayKeys = (): string =>
  MACHINES.flatMap(({ name }) =>
    Object.entries(CLASSES).map(([program, own]) => `${name}-${program}:${own}=${keyOf(name, program)}`),
  ).join(',')
