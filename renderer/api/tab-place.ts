/**
 * Maximum number of connected tabs of one browser. A browser opens at most six connections to a host, and
 * each tab uses one for pushes. One connection must stay free for commands and pages.
 */
export const MAX_TABS = 5

/** This tab's place among the connected tabs. The browser frees it when the tab closes. */
export type TabPlace = ReturnType<typeof tabPlace>

type Leave = () => void
type Locks = Pick<LockManager, 'request'>

/**
 * Uses locks as places. Like connections, locks are shared by the tabs of one host and port.
 *
 * If a browser has no locks or forbids them (for example because site data is blocked), the number of tabs is
 * not limited.
 */
export function tabPlace(locks: Locks | undefined) {
  let place: Promise<Leave | undefined> | undefined
  return {
    /** Resolves to `true` when this tab has a place, and to `false` if all places are taken. */
    take: async (): Promise<boolean> => {
      if (locks === undefined) return true
      place ??= takeAny(locks)
      const mine = place
      const isTaken = (await mine) !== undefined
      if (!isTaken && place === mine) place = undefined
      return isTaken
    },
    leave: () => {
      void place?.then((leave) => leave?.())
      place = undefined
    },
  }
}

async function takeAny(locks: Locks): Promise<Leave | undefined> {
  for (let place = 1; place <= MAX_TABS; place += 1) {
    const leave = await takeLock(locks, `headroom-tab-${place}`)
    if (leave !== undefined) return leave
  }
  return undefined
}

const takeLock = (locks: Locks, name: string): Promise<Leave | undefined> =>
  new Promise((resolve) => {
    locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (lock !== null) return new Promise<void>((leave) => resolve(leave))
        resolve(undefined)
        return undefined
      })
      .catch(() => resolve(() => {}))
  })
