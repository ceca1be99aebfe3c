import { startSimulatorServer as start } from './server.ts'

/**
 * Options of the simulator for other programs' tests: `import { startSimulator } from 'headroom/simulator'`.
 *
 * The types in this file refer to no other file, so that one declaration file describes them all.
 */
export interface SimulatorOptions {
  /** Without a port or with 0, any free port of 127.0.0.1. */
  readonly port?: number
  /** Default: `sim-key`. */
  readonly clientId?: string
  /** If absent, requests need no client secret. */
  readonly clientSecret?: string
  /** A refresh token that is valid from the start. Default: `sim-refresh`. */
  readonly refreshToken?: string
  /** Whether `refreshToken` has the Trade scope. Default: false. */
  readonly trade?: boolean
  /** Whether refresh tokens stay the same (`default`) or each refresh replaces them (`rotating`). */
  readonly keys?: 'default' | 'rotating'
  readonly accessLifetimeSeconds?: number
  readonly window?: 'rolling' | 'fixed'
  /** Requests per second of other programs on the key, by category. */
  readonly traffic?: Readonly<Record<string, number>>
  /** Requests already made when the simulator starts, by category. */
  readonly alreadySpent?: Readonly<Record<string, number>>
  /** Request quotas, by category, that differ from the table. */
  readonly limits?: Readonly<Record<string, { readonly limit: number; readonly periodSeconds: number }>>
  /** Stream slots, by category, that differ from the table. */
  readonly slotLimits?: Readonly<Record<string, number>>
  /** Messages per second of each stream. With 0, only the snapshot and heartbeats are sent. */
  readonly streamRate?: number
  readonly heartbeatSeconds?: number
  /** Names from `headroom simulate --help`, each optionally with `:TIMES` or `:always`. */
  readonly faults?: readonly string[]
  /** Whether the sign-in page asks the person or answers immediately. Default: `ask`. */
  readonly consent?: 'ask' | 'approve' | 'decline'
  /** The same seed gives the same prices. */
  readonly seed?: number
}

/** A request for orders that reached the simulator. */
export interface SimulatedOrderRequest {
  readonly atMs: number
  readonly method: string
  readonly path: string
  readonly confirmIds: readonly string[]
  /** SHA-256 of the body, hexadecimal. */
  readonly bodyHash: string
  /** Number of the connection. Connections are numbered in order of acceptance. */
  readonly connection?: number
  /** The orders that the request placed, replaced or cancelled, whatever its answer. */
  readonly changed: readonly string[]
  /** 0 if no status was sent. */
  readonly status: number
}

/** A running simulator. */
export interface Simulator {
  /** `http://127.0.0.1:PORT`, both the sign-in host and the resource host. */
  readonly origin: string
  readonly port: number
  /** Whole requests that a category can still make (service 2.2). `undefined` if it has no request quota. */
  remaining(category: string): number | undefined
  openStreams(): readonly { readonly id: string; readonly category: string }[]
  /** The last 20,000 requests under `/v3/orderexecution/` that arrived completely, oldest first. */
  orderRequests(): readonly SimulatedOrderRequest[]
  /** Replaces other programs' traffic. Traffic stops in every category that `traffic` omits. */
  setTraffic(traffic: Readonly<Record<string, number>>): void
  /**
   * Ends the open streams of a category, or all open streams, as if the service had ended them. Returns their
   * number.
   */
  endStreams(category?: string): number
  /** Destroys every connection. */
  close(): Promise<void>
}

/**
 * Starts the simulated service on loopback, with signed `id_token`s and a discovery document.
 *
 * Throws a RangeError that names an option out of range, or an error with code EADDRINUSE if the port is in
 * use.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { origin, port, service, close } = await start({ ...options, signedIdTokens: true })
  return {
    origin,
    port,
    remaining: (category) => service.quotas.reading(category, service.nowMs())?.remaining,
    openStreams: () => service.streams().map(({ id, category }) => ({ id, category })),
    orderRequests: () => service.orders.ledger.arrivals(),
    setTraffic: (traffic) => service.setTraffic(traffic),
    endStreams: (category) => service.cutStreams('end', category),
    close,
  }
}
