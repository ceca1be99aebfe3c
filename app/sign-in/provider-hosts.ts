/** The provider's public hosts, which a custom profile replaces. All other files import them from here. */
export const PROVIDER_HOSTS = {
  live: { authUrl: 'https://signin.tradestation.com', baseUrl: 'https://api.tradestation.com' },
  sim: { authUrl: 'https://signin.tradestation.com', baseUrl: 'https://sim-api.tradestation.com' },
} as const

/** Whether requests of a key reach real accounts. `host` is the host of the key's service, as in a URL. */
export const isLive = (environment: string, host: string): boolean =>
  environment === 'live' || PROVIDER_HOSTS.live.baseUrl === `https://${nameOf(host)}`

/** A host's name without its port and trailing dots, which do not change the host. */
const nameOf = (host: string): string => host.replace(/:\d+$/, '').replace(/\.+$/, '')
