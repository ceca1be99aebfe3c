import { createContext, use, useCallback, useSyncExternalStore } from 'react'
import { type StoreApi, useStore } from 'zustand'
import type { RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import type { LinkSource } from '../api/link.ts'
import type { WindowApi } from '../api/window-api.ts'
import type { Look, LookStore } from './look.ts'
import type { MirrorStore } from './mirror.ts'
import type { MirrorState } from './mirror-state.ts'
import type { PauseState } from './pause.ts'
import type { Ticker } from './ticker.ts'
import type { ViewState, ViewStore } from './view-state.ts'
import type { WindowClock } from './window-clock.ts'

/** What main.tsx made, for every component. */
export interface WindowParts {
  readonly api: WindowApi
  readonly link: LinkSource
  readonly clock: WindowClock
  readonly mirror: MirrorStore
  readonly ticker: Ticker
  /** As they are while the window is paused, too. */
  readonly live: { readonly mirror: MirrorStore; readonly ticker: Ticker }
  readonly pause: StoreApi<PauseState>
  readonly togglePause: () => void
  readonly view: ViewStore
  readonly look: LookStore
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

/** Since when the window stands still, on main's clock. */
export function usePausedSince(): number | undefined {
  return useStore(useParts().pause, ({ sinceMs }) => sinceMs)
}

export function useLook<T>(select: (look: Look) => T): T {
  return useStore(useParts().look, select)
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

/** All that the window shows, at one moment of main's clock. */
export interface Moment {
  readonly mirror: MirrorState
  readonly snapshot: Snapshot | undefined
  readonly nowMs: number
}

/**
 * A value of this moment. The component renders only when the value itself changes, however often snapshots come and
 * the ticker ticks.
 */
export function useMoment<T extends Primitive>(read: (moment: Moment) => T): T {
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
    const state = mirror.getState()
    const snapshot = shownSnapshot(state, view.getState())
    // A push may be newer than the last tick.
    return read({ mirror: state, snapshot, nowMs: Math.max(ticker.nowMs(), snapshot?.at ?? 0) })
  }
  return useSyncExternalStore(subscribe, value, value)
}

/** As `useMoment`, of the shown snapshot; `undefined` while there is none. */
export function useShown<T extends Primitive>(read: (snapshot: Snapshot, nowMs: number) => T): T | undefined {
  return useMoment(({ snapshot, nowMs }) => snapshot && read(snapshot, nowMs))
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
