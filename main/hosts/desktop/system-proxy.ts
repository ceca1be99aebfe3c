import https, { type RequestOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import { type HttpRoutes, httpRoutes, isLoopback } from '../../network/http-agents.ts'

/** What the system says of the way to an address, as a browser is told it: `PROXY proxy.test:8080; DIRECT`. */
export type ResolveProxy = (url: string) => Promise<string>

type Environment = Readonly<Record<string, string | undefined>>

/** A system that names only proxies which Headroom does not speak to, as SOCKS: nothing is sent around them. */
class UnsupportedProxyError extends Error {
  readonly code = 'ERR_PROXY_UNSUPPORTED'
}

/**
 * The way to a host as the system has it: its settings or the script that a company gives it.
 *
 * A proxy that the environment names goes first, as everywhere in Headroom. The rules of `httpRoutes` hold for each
 * way: loopback is asked directly, a proxy is a CONNECT tunnel only, certificates are always checked. The system is
 * asked for each connection and is told the host alone.
 */
export function systemRoutes(resolveProxy: ResolveProxy, environment: Environment): HttpRoutes {
  const own = httpRoutes({ ...environment })
  if (['https_proxy', 'HTTPS_PROXY'].some((name) => environment[name]?.trim())) return own
  let asked: https.Agent | undefined
  return (url) => {
    if (url.protocol === 'http:' || isLoopback(url.hostname)) return own(url)
    const agent = asked ?? new SystemProxyAgent(resolveProxy)
    asked = agent
    return { kind: 'agent', agent }
  }
}

type Connected = (error: Error | null, socket?: Duplex) => void
interface Connecting {
  readonly options: object
  createConnection(options: object, connected: Connected): Duplex | undefined
}

/** Asks the system for each connection, then connects as the agent of that way does. */
class SystemProxyAgent extends https.Agent {
  readonly #resolveProxy: ResolveProxy
  /** By the proxy's URL; the empty one is the direct way. */
  readonly #ways = new Map<string, Connecting>()

  constructor(resolveProxy: ResolveProxy) {
    super({ keepAlive: false })
    this.#resolveProxy = resolveProxy
  }

  /** Called by Node's own `Agent` with a callback; it takes a socket later as well as at once. */
  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    // Node's types promise a socket also beside an error, where there is none.
    const connected = callback as Connected
    const { host, port } = options
    const name = host?.includes(':') && !host.startsWith('[') ? `[${host}]` : host
    this.#resolveProxy(`https://${name}:${port ?? 443}/`)
      .then((answer) => this.#connect(waysOf(answer), options, connected))
      .catch((cause: unknown) => connected(cause instanceof Error ? cause : new Error('no way')))
  }

  /** The next way is tried where one leads nowhere: nothing of the request was sent yet. */
  #connect([url, ...others]: readonly string[], options: RequestOptions, connected: Connected): void {
    if (url === undefined) {
      connected(new UnsupportedProxyError('no way that can be used'))
      return
    }
    const way = this.#way(url)
    const socket = way.createConnection({ ...way.options, ...options }, (error, tunnel) => {
      if (error !== null && error !== undefined && others.length > 0)
        this.#connect(others, options, connected)
      else connected(error, tunnel)
    })
    if (url === '' && socket !== undefined) connected(null, socket)
  }

  #way(url: string): Connecting {
    const known = this.#ways.get(url)
    if (known !== undefined) return known
    const route = httpRoutes(url === '' ? {} : { https_proxy: url })(new URL('https://service.invalid'))
    if (route.kind === 'closed') throw new UnsupportedProxyError(route.why)
    const way = route.agent as unknown as Connecting
    this.#ways.set(url, way)
    return way
  }
}

/** The URLs of the proxies that can be used, in the system's order; the empty one is the direct way. */
export function waysOf(answer: string): readonly string[] {
  return answer.split(';').flatMap((entry) => {
    const [kind = '', address = ''] = entry.trim().split(/\s+/)
    switch (kind.toUpperCase()) {
      case 'DIRECT':
        return ['']
      case 'PROXY':
      case 'HTTP':
        return URL.canParse(`http://${address}`) ? [`http://${address}`] : []
      case 'HTTPS':
        return URL.canParse(`https://${address}`) ? [`https://${address}`] : []
      default:
        return []
    }
  })
}
