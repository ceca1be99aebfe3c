/**
 * How a page in a browser proves that it was opened from the link the host printed.
 *
 * The link's fragment carries a code that works once. It is taken out of the address bar before anything else
 * happens, exchanged for a bearer, and the bearer is kept for the life of the tab, so that a reload works.
 */
export interface SessionPlace {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>
  readonly history: Pick<History, 'replaceState'>
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
}

const BEARER_KEY = 'headroom.bearer'

export interface BrowserSession {
  bearer(): string | undefined
  keep(bearer: string): void
  forget(): void
  /** The fragment's code, at most once. */
  takeCode(): string | undefined
}

export function browserSession({ location, history, storage }: SessionPlace): BrowserSession {
  return {
    bearer: () => storage.getItem(BEARER_KEY) ?? undefined,
    keep: (bearer) => storage.setItem(BEARER_KEY, bearer),
    forget: () => storage.removeItem(BEARER_KEY),
    takeCode: () => {
      const code = new URLSearchParams(location.hash.replace(/^#/, '')).get('code')
      if (code === null || code === '') return undefined
      history.replaceState(null, '', location.pathname + location.search)
      return code
    },
  }
}
