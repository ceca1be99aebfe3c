import { createContext, use, useCallback, useSyncExternalStore } from 'react'
import { useStore } from 'zustand'
import type { RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import type { LinkSource } from '../api/link.ts'
import type { WindowApi } from '../api/window-api.ts'
import type { MirrorStore } from '../mirror/mirror.ts'
import type { MirrorState } from '../mirror/mirror-state.ts'
import type { Ticker } from '../mirror/ticker.ts'
import type { WindowClock } from '../window-clock.ts'
import type { ViewState, ViewStore } from './view-state.ts'

/** What main.tsx made, for every component. */
export interface WindowParts {
  readonly api: WindowApi
  readonly link: LinkSource
  readonly clock: WindowClock
  readonly mirror: MirrorStore
  readonly ticker: Ticker
  readonly view: ViewStore
}

export const WindowContext = createContext<WindowParts | undefined>(undefined)

export function useParts(): WindowParts {
  const parts = use(WindowContext)
  if (parts === undefined) throw new Error('outside of WindowContext')
  return parts
}

export function useMirror<T>(select: (state: MirrorState) => T): T {
  return useStore(useParts().mirror, select)
}

export function useView<T>(select: (state: ViewState) => T): T {
  return useStore(useParts().view, select)
}

/** The profile that is looked at: the chosen one while it lives, else the first. */
export function shownSnapshot(mirror: MirrorState, view: ViewState): Snapshot | undefined {
  return mirror.snapshots.find(({ profile }) => profile.id === view.profile) ?? mirror.snapshots[0]
}

/** What useSyncExternalStore can compare: an object made anew would render for ever. */
type Primitive = string | number | boolean | undefined

/**
 * A value of the shown snapshot at this moment. The component renders only when the value itself changes,
 * however often snapshots come and the ticker ticks.
 */
export function useShown<T extends Primitive>(read: (snapshot: Snapshot, nowMs: number) => T): T | undefined {
  const { mirror, view, ticker } = useParts()
  const subscribe = useCallback(
    (listener: () => void) => {
      const stops = [mirror.subscribe(listener), view.subscribe(listener), ticker.subscribe(listener)]
      return () => {
        for (const stop of stops) stop()
      }
    },
    [mirror, view, ticker],
  )
  const value = () => {
    const snapshot = shownSnapshot(mirror.getState(), view.getState())
    // A push may be newer than the last tick.
    return snapshot && read(snapshot, Math.max(ticker.nowMs(), snapshot.at))
  }
  return useSyncExternalStore(subscribe, value, value)
}

/** As `useShown`, of one category's quota. */
export function useQuota<T extends Primitive>(
  category: string,
  read: (quota: RequestQuota, nowMs: number) => T,
): T | undefined {
  return useShown((snapshot, nowMs) => {
    const quota = snapshot.requests.find((one) => one.category === category)
    return quota && read(quota, nowMs)
  })
}

/** The shown snapshot's part that `select` names, as the snapshot has it. */
export function useSnapshot<T>(select: (snapshot: Snapshot) => T): T | undefined {
  const profile = useView((view) => view.profile)
  return useMirror((mirror) => {
    const snapshot = mirror.snapshots.find((one) => one.profile.id === profile) ?? mirror.snapshots[0]
    return snapshot && select(snapshot)
  })
}
