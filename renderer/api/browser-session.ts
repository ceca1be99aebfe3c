/**
 * The session of a page in a browser, opened by the link that the host printed.
 *
 * The link's fragment is a single-use code. It is removed from the address bar and exchanged for a bearer
 * token. The token is stored as long as the tab is open, so that the page can be reloaded.
 */
export interface SessionPlace {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>
  readonly history: Pick<History, 'replaceState'>
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
}

const BEARER_KEY = 'headroom.bearer'

export type BrowserSession = ReturnType<typeof browserSession>

export function browserSession({ location, history, storage }: SessionPlace) {
  return {
    bearer: () => storage.getItem(BEARER_KEY) ?? undefined,
    keep: (bearer: string) => storage.setItem(BEARER_KEY, bearer),
    forget: () => storage.removeItem(BEARER_KEY),
    /** Returns the fragment's code, at most once. */
    takeCode: () => {
      const code = new URLSearchParams(location.hash.replace(/^#/, '')).get('code')
      if (code === null || code === '') return undefined
      history.replaceState(null, '', location.pathname + location.search)
      return code
    },
  }
}
