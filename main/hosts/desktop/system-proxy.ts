import https, { type RequestOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import { isLoopback } from '../../../app/service/service-origin.ts'
import { type HttpRoutes, httpRoutes } from '../../network/http-agents.ts'

/**
 * Returns the system's proxies for an address, as a PAC script does: `PROXY proxy.test:8080; DIRECT`.
 */
export type ResolveProxy = (url: string) => Promise<string>

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The error if the system names only proxies of unsupported kinds, such as SOCKS. The request fails, because
 * it must not bypass the proxies.
 */
class UnsupportedProxyError extends Error {
  readonly code = 'ERR_PROXY_UNSUPPORTED'
}

/**
 * Routes requests by the system's proxy settings or PAC script.
 *
 * As everywhere in Headroom, a proxy in the environment takes precedence. The rules of `httpRoutes` apply:
 * connections to loopback are direct, proxies get a CONNECT tunnel, and certificates are always verified. The
 * system resolves the proxy for each connection. It learns only the host, not the rest of the address.
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

/** An agent that resolves the system's route for each connection, and connects with that route's agent. */
class SystemProxyAgent extends https.Agent {
  readonly #resolveProxy: ResolveProxy
  /** The agents by proxy URL. The empty string stands for the direct route. */
  readonly #ways = new Map<string, Connecting>()

  constructor(resolveProxy: ResolveProxy) {
    super({ keepAlive: false })
    this.#resolveProxy = resolveProxy
  }

  /** Called by Node's `Agent`. The socket may be returned, or passed to the callback later. */
  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    // After an error, there is no socket, but Node's types require one.
    const connected = callback as Connected
    const { host, port } = options
    const name = host?.includes(':') && !host.startsWith('[') ? `[${host}]` : host
    this.#resolveProxy(`https://${name}:${port ?? 443}/`)
      .then((answer) => this.#connect(waysOf(answer), options, connected))
      .catch((cause: unknown) => connected(cause instanceof Error ? cause : new Error('no proxy')))
  }

  /** Connects by the first route. If that fails, tries the next one, because nothing has been sent yet. */
  #connect([url, ...others]: readonly string[], options: RequestOptions, connected: Connected): void {
    if (url === undefined) {
      connected(new UnsupportedProxyError('no usable proxy'))
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

/** The URLs of supported proxies, in the system's order. The empty string is the direct route. */
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
