import http from 'node:http'
import https from 'node:https'
import tls from 'node:tls'
import { isLoopback } from '../../app/service/service-origin.ts'

export type HttpRoute =
  | { readonly kind: 'agent'; readonly agent: http.Agent }
  | { readonly kind: 'closed'; readonly why: string }

export type HttpRoutes = (url: URL) => HttpRoute

/**
 * Selects an agent for each request.
 *
 * - Connections to loopback are direct. Any other host must use TLS: plain http would expose tokens to every
 *   computer on the path.
 * - A proxy (HTTPS_PROXY, NO_PROXY, in upper or lower case) gets a CONNECT tunnel, so that it sees only the
 *   host's name. HTTP_PROXY is ignored.
 * - Certificates are always verified, whatever NODE_TLS_REJECT_UNAUTHORIZED says.
 * - `keepAlive` reuses connections.
 */
export function httpRoutes(environment: NodeJS.ProcessEnv, { keepAlive = false } = {}): HttpRoutes {
  const plain = new http.Agent({ keepAlive })
  const proxy = proxyOf(environment)
  let secure: { readonly direct: https.Agent; readonly proxied: https.Agent } | undefined
  const secureAgents = () => {
    secure ??= secureAgentsFor(proxy, keepAlive)
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

function secureAgentsFor(proxy: ProxyChoice, keepAlive: boolean) {
  const options = { keepAlive, rejectUnauthorized: true, secureContext: trustedContext() }
  const direct = new https.Agent(options)
  if (proxy.kind !== 'http') return { direct, proxied: direct }
  return { direct, proxied: new https.Agent({ ...options, proxyEnv: proxy.environment }) }
}

const PLAIN_HTTP = 'use https; http is allowed only on this computer'

type ProxyChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'http'; readonly environment: NodeJS.ProcessEnv }
  | { readonly kind: 'unusable'; readonly why: string }

/** The proxy for https. An invalid setting is an error, because a direct connection may be forbidden. */
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

/**
 * Whether Node accepts the address of a proxy. Node silently ignores some invalid addresses, and throws when
 * others are first used.
 */
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
 * The trusted root certificates: Node's own, those of NODE_EXTRA_CA_CERTS, and those of the system's store,
 * where companies install their own certificates. On some systems, reading takes tenths of a second. So the
 * roots are read only once, when they are first needed.
 */
function trustedContext(): tls.SecureContext {
  const roots = new Set([...tls.getCACertificates('default'), ...systemRoots()])
  return tls.createSecureContext({ ca: [...roots] })
}

/** The system's roots. If the store can't be read, the list is empty and Node's own roots still apply. */
function systemRoots(): readonly string[] {
  try {
    return tls.getCACertificates('system')
  } catch {
    return []
  }
}
