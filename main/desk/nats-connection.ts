import { readFile } from 'node:fs/promises'
import { createConnection, isIP, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import {
  type Authenticator,
  credsAuthenticator,
  errors,
  Kind,
  type NatsConnection,
  NatsConnectionImpl,
  type NodeConnectionOptions,
  nkeyAuthenticator,
  Parser,
  parseSemVer,
  type ServerInfo,
  setTransportFactory,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node'
import { NodeTransport } from '@nats-io/transport-node/lib/node_transport.js'
import { isLoopback } from '../../app/service/service-origin.ts'
import type { Clock } from '../ports/ports.ts'
import { type EngineOptions, type EngineRefusal, noResponseText, type RefusalCode } from './engine.ts'
import { MAX_ENVELOPE_BYTES } from './envelope.ts'

/** Timeout for connecting to one server, in milliseconds. */
const ATTEMPT_MS = 4_000
const DEFAULT_PORT = 4222

/** One server of a desk. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
  /** `host:port`, as it is shown. */
  readonly shown: string
  readonly needsTls: boolean
}

/**
 * Parses an address such as `nats://HOST:4222`. `undefined` if the text is not such an address, or contains
 * credentials.
 */
export function serverAddress(text: string): ServerAddress | undefined {
  const match = /^(nats|tls):\/\/([^/?#@]+)\/?$/i.exec(text.trim())
  // The address is parsed as http, because a URL of another scheme can have any text as its host.
  const url = match && URL.canParse(`http://${match[2]}`) ? new URL(`http://${match[2]}`) : undefined
  if (match === null || url === undefined) return undefined
  // Reads the port from the text, because `url` omits port 80, the default of http.
  const port = Number(/:(\d+)$/.exec(match[2] ?? '')?.[1] ?? DEFAULT_PORT)
  if (port === 0) return undefined
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    shown: `${url.hostname}:${port}`,
    needsTls: match[1]?.toLowerCase() === 'tls' || !isLoopback(url.hostname),
  }
}

/** A line for a person about a server that can't be used. */
export const refusal = (code: RefusalCode, shown: string): EngineRefusal => ({
  code,
  message: WORDS[code](shown),
})

const WORDS: Record<RefusalCode, (shown: string) => string> = {
  address: () => 'Enter a server such as nats://HOST:4222.',
  'tls-needed': (shown) => `${shown} offers no TLS. Servers on other computers must offer it.`,
  'tls-ca': () => 'The CA file cannot be read. Choose a PEM file.',
  'tls-untrusted': (shown) => `The certificate of ${shown} is not trusted. Check its name and CA.`,
  credentials: (shown) => `${shown} rejected the credentials.`,
  permissions: (shown) => `${shown} does not permit the desk’s subjects. Check its permissions.`,
  'no-jetstream': (shown) => `${shown} has no JetStream. Enable it on the server.`,
  'no-storage': (shown) => `JetStream of ${shown} cannot store anything. Check its state.`,
  'small-messages': (shown) => `${shown} takes small messages only. Raise its max_payload to 256 KiB.`,
  unreachable: noResponseText,
}

/** The line about a port that accepts connections but does not respond as a NATS server. */
const noNats = (shown: string) => `${shown} does not respond as a NATS server. Check the port.`

/** More precise messages for some error codes of the system. */
const UNREACHABLE: Readonly<Record<string, (shown: string) => string>> = {
  ECONNREFUSED: (shown) => `${shown} refused the connection.`,
  ENOTFOUND: (shown) => `${shown} is not a known host.`,
  EAI_AGAIN: (shown) => `${shown} cannot be looked up.`,
}

/** A failure for which the library has no error of its own. */
class RefusedError extends Error {
  readonly code: RefusalCode

  constructor(code: RefusalCode) {
    super(code)
    this.code = code
  }
}

/** Options of one attempt to connect. */
interface Way {
  readonly tls: { readonly ca?: string; readonly host: string; readonly servername: string }
  readonly needsTls: boolean
  readonly ended: AbortSignal
  /** Called when the port has accepted the connection. */
  readonly accepted: () => void
  /** Whether the library is connected. From then on, `endOnDamage` guards its parser. */
  isConnected: boolean
}

/**
 * The library's transport with two changes.
 *
 * - An attempt can be ended. The library itself abandons the socket of an attempt that takes too long, so a
 *   frozen server would accumulate sockets.
 * - Data that can't be parsed ends the connection. The library itself would print the data, so a server could
 *   write into the output of `--json`.
 */
class EndableTransport extends NodeTransport {
  #way: Way | undefined

  override connect(server: Parameters<NodeTransport['connect']>[0], options: NodeConnectionOptions) {
    this.#way = (options as { way?: Way }).way
    return super.connect(server, options)
  }

  override dial({ hostname, port }: { hostname: string; port: number }): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ host: hostname, port, noDelay: true })
      const end = () => socket.destroy()
      this.#way?.ended.addEventListener('abort', end, { once: true })
      socket.once('close', () => {
        this.#way?.ended.removeEventListener('abort', end)
        reject(new RefusedError('unreachable'))
      })
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.removeListener('error', reject)
        this.#way?.accepted()
        resolve(socket)
      })
    })
  }

  override async peekInfo(): Promise<ServerInfo> {
    const info = await super.peekInfo()
    const offersTls = info.tls_required === true || info.tls_available === true
    if (this.#way?.needsTls && !offersTls) throw new RefusedError('tls-needed')
    return info
  }

  override async *iterate(): AsyncIterableIterator<Uint8Array> {
    const trial = new Parser({ push: checkInfo })
    for await (const chunk of super.iterate()) {
      try {
        if (this.#way?.isConnected !== true) trial.parse(chunk)
      } catch {
        await this.close()
        return
      }
      yield chunk
    }
  }

  override async startTLS(): Promise<TLSSocket> {
    this.options = { ...this.options, tls: this.#way?.tls ?? {} }
    try {
      return await super.startTLS()
    } catch (error) {
      // TLS error codes contain an underscore. System error codes such as ECONNRESET do not.
      throw codeOf(error).includes('_') ? new RefusedError('tls-untrusted') : error
    }
  }
}

/**
 * Calls `end` if the library can't parse what the server sends. The parser is accessible only after the
 * library has connected. Until then, the transport first parses each chunk by itself.
 */
function endOnDamage(connection: NatsConnectionImpl, end: () => void): void {
  const { parser } = connection.protocol
  const parse = parser.parse.bind(parser)
  parser.parse = (chunk) => {
    try {
      parse(chunk)
    } catch {
      end()
    }
  }
}

/** Throws if the library would fail to parse a server's INFO message. */
function checkInfo(event: object): void {
  if (!('kind' in event) || event.kind !== Kind.INFO || !('data' in event)) return
  const info: unknown = JSON.parse(Buffer.from(event.data as Uint8Array).toString('utf8'))
  parseSemVer((info as ServerInfo).version)
}

export type ConnectionOutcome =
  | { readonly ok: true; readonly connection: NatsConnection }
  | { readonly ok: false; readonly refusal: EngineRefusal }

/**
 * One attempt to connect to a server. `end` closes the socket immediately, even after the attempt has
 * succeeded.
 */
export interface Attempt {
  readonly outcome: Promise<ConnectionOutcome>
  readonly end: () => void
}

/**
 * Connects to one server, or returns the reason within seconds. `isNats`: whether a NATS server has responded
 * at this address before.
 */
export function connectTo(
  address: ServerAddress,
  options: EngineOptions,
  { clock, isNats }: { readonly clock: Pick<Clock, 'after'>; readonly isNats: boolean },
): Attempt {
  const ending = new AbortController()
  const end = () => ending.abort()
  let isAccepted = false
  const accepted = () => {
    isAccepted = true
  }
  const outcome = async (): Promise<ConnectionOutcome> => {
    const cancel = clock.after(ATTEMPT_MS, end)
    try {
      const connecting = connected(address, options, { ended: ending.signal, accepted, end })
      const connection = await Promise.race([connecting, rejectedBy(ending.signal)])
      const { max_payload: maxBytes = 0 } = connection.info ?? {}
      if (maxBytes < MAX_ENVELOPE_BYTES) throw new RefusedError('small-messages')
      return { ok: true, connection }
    } catch (error) {
      end()
      return { ok: false, refusal: refusalOf(error, address.shown, isAccepted && !isNats) }
    } finally {
      cancel()
    }
  }
  return { outcome: outcome(), end }
}

async function connected(
  address: ServerAddress,
  { tlsCa, credentials, names }: EngineOptions,
  { end, ...attempt }: Pick<Way, 'ended' | 'accepted'> & Pick<Attempt, 'end'>,
): Promise<NatsConnection> {
  const { host, needsTls } = address
  const tls = {
    ...(tlsCa !== undefined && { ca: await readCa(tlsCa) }),
    // An IP address can't be sent as a server name (RFC 6066). Instead, TLS compares `host` with the
    // certificate.
    host,
    servername: isIP(host) === 0 ? host : '',
  }
  const way: Way = { tls, needsTls, ...attempt, isConnected: false }
  const authenticator = authenticatorOf(credentials)
  setTransportFactory({ factory: () => new EndableTransport() })
  const options: NodeConnectionOptions & { way: Way } = {
    servers: `${isIP(host) === 6 ? `[${host}]` : host}:${address.port}`,
    // The system resolves the name and tries all of its addresses.
    resolve: false,
    // The engine reconnects itself. If the library reconnected, it would send outdated messages that were
    // published during the outage.
    reconnect: false,
    ignoreClusterUpdates: true,
    noEcho: true,
    timeout: ATTEMPT_MS,
    inboxPrefix: names.inbox,
    tls: needsTls ? tls : null,
    ...(authenticator !== undefined && { authenticator }),
    way,
  }
  const connection = await NatsConnectionImpl.connect(options)
  endOnDamage(connection as NatsConnectionImpl, end)
  way.isConnected = true
  if (attempt.ended.aborted) void connection.close()
  return connection
}

async function readCa(path: string): Promise<string> {
  const pem = await readFile(path, 'utf8').catch(() => '')
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new RefusedError('tls-ca')
  return pem
}

const NKEY_SEED = /^SU[A-Z2-7]{56}$/

/** Throws if the text looks like one kind of credentials but is malformed. */
function authenticatorOf(text: string | undefined): Authenticator | undefined {
  const credentials = text?.trim().replaceAll('\r\n', '\n')
  if (credentials === undefined || credentials === '') return undefined
  const bytes = Buffer.from(`${credentials}\n`)
  const isSeed = NKEY_SEED.test(credentials)
  if (isSeed || credentials.startsWith('-----BEGIN')) {
    const authenticator = isSeed ? nkeyAuthenticator(Buffer.from(credentials)) : credsAuthenticator(bytes)
    try {
      authenticator('a trial')
    } catch {
      throw new RefusedError('credentials')
    }
    return authenticator
  }
  const colon = credentials.indexOf(':')
  return colon === -1
    ? tokenAuthenticator(credentials)
    : usernamePasswordAuthenticator(credentials.slice(0, colon), credentials.slice(colon + 1))
}

const rejectedBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const ended = () => reject(new RefusedError('unreachable'))
    if (signal.aborted) ended()
    signal.addEventListener('abort', ended, { once: true })
  })

/** `isOther`: whether the connection was accepted by something that is probably not a NATS server. */
function refusalOf(error: unknown, shown: string, isOther: boolean): EngineRefusal {
  if (error instanceof RefusedError && error.code !== 'unreachable') return refusal(error.code, shown)
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError)
    return refusal('credentials', shown)
  const words = UNREACHABLE[codeOf(error)] ?? UNREACHABLE[codeOf((error as Error | undefined)?.cause)]
  return { code: 'unreachable', message: (words ?? (isOther ? noNats : WORDS.unreachable))(shown) }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
