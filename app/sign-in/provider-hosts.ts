/** The provider's public hosts: defaults that a custom profile replaces, never constants elsewhere. */
export const PROVIDER_HOSTS = {
  live: { authUrl: 'https://signin.tradestation.com', baseUrl: 'https://api.tradestation.com' },
  sim: { authUrl: 'https://signin.tradestation.com', baseUrl: 'https://sim-api.tradestation.com' },
} as const

/** Whether requests of a key reach real accounts. `host`: that of its service, as a URL has it. */
export const isLive = (environment: string, host: string): boolean =>
  environment === 'live' || PROVIDER_HOSTS.live.baseUrl === `https://${nameOf(host)}`

/** A host's name without its port and the dots of the DNS root, neither of which names another host. */
const nameOf = (host: string): string => host.replace(/:\d+$/, '').replace(/\.+$/, '')
