import http from 'node:http'
import https from 'node:https'
import tls from 'node:tls'

/** The way to a host, or why there is none. */
export type HttpRoute =
  | { readonly kind: 'agent'; readonly agent: http.Agent }
  | { readonly kind: 'closed'; readonly why: string }

/** Finds the way to the host of a URL. */
export type HttpRoutes = (url: URL) => HttpRoute

/**
 * Decides how a request leaves this computer.
 *
 * Loopback is always asked directly. Any other host is asked over TLS only: through a proxy (HTTPS_PROXY, NO_PROXY,
 * in either case) that is a CONNECT tunnel, so the proxy reads the host's name and nothing else. Plain http would
 * hand tokens to every computer on the way, and to the proxy of HTTP_PROXY. Certificates are always checked,
 * whatever NODE_TLS_REJECT_UNAUTHORIZED says.
 */
export function httpRoutes(environment: NodeJS.ProcessEnv): HttpRoutes {
  const plain = new http.Agent({ keepAlive: false })
  const proxy = proxyOf(environment)
  let secure: { readonly direct: https.Agent; readonly proxied: https.Agent } | undefined
  const secureAgents = () => {
    secure ??= secureAgentsFor(proxy)
    return secure
  }
  return ({ protocol, hostname }) => {
    if (protocol === 'http:') {
      return isLoopback(hostname) ? { kind: 'agent', agent: plain } : { kind: 'closed', why: PLAIN_HTTP }
    }
    if (isLoopback(hostname)) return { kind: 'agent', agent: secureAgents().direct }
    if (proxy.kind === 'unusable') return { kind: 'closed', why: proxy.why }
    return { kind: 'agent', agent: secureAgents().proxied }
  }
}

function secureAgentsFor(proxy: ProxyChoice) {
  const options = { keepAlive: false, rejectUnauthorized: true, secureContext: trustedContext() }
  const direct = new https.Agent(options)
  if (proxy.kind !== 'http') return { direct, proxied: direct }
  return { direct, proxied: new https.Agent({ ...options, proxyEnv: proxy.environment }) }
}

const PLAIN_HTTP = 'plain http is for this computer only; use https'

/** Whether a URL's host name means this computer. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)

type ProxyChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'http'; readonly environment: NodeJS.ProcessEnv }
  | { readonly kind: 'unusable'; readonly why: string }

/** A proxy that is set and cannot be used is no reason to go around it: its owner may want nothing sent directly. */
function proxyOf(environment: NodeJS.ProcessEnv): ProxyChoice {
  const name = ['https_proxy', 'HTTPS_PROXY'].find((one) => environment[one]?.trim())
  const text = environment[name ?? '']?.trim()
  if (name === undefined || text === undefined) return { kind: 'none' }
  const address = text.includes('://') ? text : `http://${text}`
  const exceptions = environment['no_proxy'] || environment['NO_PROXY']
  const asRead = { https_proxy: address, ...(exceptions !== undefined && { no_proxy: exceptions }) }
  return isProxyAddress(address)
    ? { kind: 'http', environment: asRead }
    : { kind: 'unusable', why: `the proxy in ${name} is not an http address` }
}

/** Node throws on the first use of some addresses and silently ignores others. */
function isProxyAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, username, password } = new URL(address)
  try {
    decodeURIComponent(username + password)
  } catch {
    return false
  }
  return protocol === 'http:' || protocol === 'https:'
}

/**
 * The roots that Node carries and NODE_EXTRA_CA_CERTS names, and those of the system's own store, where a company
 * puts its own. Read once, at the first request that needs them: some systems take tenths of a second.
 */
function trustedContext(): tls.SecureContext {
  const roots = new Set([...tls.getCACertificates('default'), ...systemRoots()])
  return tls.createSecureContext({ ca: [...roots] })
}

/** A store that cannot be read adds nothing: Node's own roots still verify. */
function systemRoots(): readonly string[] {
  try {
    return tls.getCACertificates('system')
  } catch {
    return []
  }
}
