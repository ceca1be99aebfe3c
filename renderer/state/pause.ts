import { createStore } from 'zustand/vanilla'
import type { MirrorStore } from './mirror.ts'
import type { Ticker } from './ticker.ts'

/** When the window was paused, on main's clock. `undefined` while it is not. */
export type PauseState = { readonly sinceMs: number | undefined }

/**
 * Pauses the window for reading while the mirror continues.
 *
 * The numbers and their clock stop together. If only the numbers stopped, modelled numbers would still change
 * with time, without new headers. They would look live and become more and more wrong.
 */
export function createPausable(live: MirrorStore, liveTicker: Ticker) {
  /** The state to draw: the mirror, or its copy from the time of the pause. */
  const mirror = createStore(() => live.getState())
  const pause = createStore<PauseState>(() => ({ sinceMs: undefined }))
  const isPaused = () => pause.getState().sinceMs !== undefined
  const listeners = new Set<() => void>()
  live.subscribe((state) => {
    const { link, alerts } = state
    if (!isPaused()) mirror.setState(state, true)
    // Alerts and sign-ins are shown immediately, even in a paused window.
    else if (link !== mirror.getState().link || alerts !== mirror.getState().alerts) {
      mirror.setState({ link, alerts })
    }
  })
  return {
    mirror,
    pause,
    ticker: {
      nowMs: () => pause.getState().sinceMs ?? liveTicker.nowMs(),
      subscribe: (listener: () => void) => {
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
