import { createStore, type StoreApi } from 'zustand/vanilla'
import type { MirrorStore } from './mirror.ts'
import type { Ticker } from './ticker.ts'

/** Since when the window stands still, on main's clock; `undefined` while it runs. */
export type PauseState = { readonly sinceMs: number | undefined }

export interface Pausable {
  /** What the window draws: the mirror, or the moment at which it was stopped. */
  readonly mirror: MirrorStore
  readonly ticker: Ticker
  readonly pause: StoreApi<PauseState>
  toggle(): void
}

/**
 * A window that a person can stop to read, while the mirror behind it goes on.
 *
 * Both the numbers and their clock stop: a modelled number that ran on without its headers would drift from the
 * service with every second, and look live.
 */
export function createPausable(live: MirrorStore, liveTicker: Ticker): Pausable {
  const mirror = createStore(() => live.getState())
  const pause = createStore<PauseState>(() => ({ sinceMs: undefined }))
  const isPaused = () => pause.getState().sinceMs !== undefined
  const listeners = new Set<() => void>()
  live.subscribe((state) => {
    const { link, alerts } = state
    if (!isPaused()) mirror.setState(state, true)
    // What asks for a person is said at once, paused or not.
    else if (link !== mirror.getState().link || alerts !== mirror.getState().alerts) {
      mirror.setState({ link, alerts })
    }
  })
  return {
    mirror,
    pause,
    ticker: {
      nowMs: () => pause.getState().sinceMs ?? liveTicker.nowMs(),
      subscribe: (listener) => {
        const heard = () => {
          if (!isPaused()) listener()
        }
        listeners.add(listener)
        const stop = liveTicker.subscribe(heard)
        return () => {
          listeners.delete(listener)
          stop()
        }
      },
    },
    toggle: () => {
      if (isPaused()) {
        pause.setState({ sinceMs: undefined })
        mirror.setState(live.getState(), true)
      } else pause.setState({ sinceMs: Math.round(liveTicker.nowMs()) })
      for (const listener of listeners) listener()
    },
  }
}
