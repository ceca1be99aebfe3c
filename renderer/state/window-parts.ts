import { createContext, use, useCallback, useMemo, useSyncExternalStore } from 'react'
import { type StoreApi, useStore } from 'zustand'
import type { AlertSeverity } from '../../app/contract/alerts.ts'
import type { RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import type { LinkSource, WindowApi } from '../api/window-api.ts'
import type { WindowClock } from '../api/window-clock.ts'
import type { Look, LookStore } from './look.ts'
import type { MirrorStore } from './mirror.ts'
import type { MirrorState } from './mirror-state.ts'
import type { PauseState } from './pause.ts'
import type { Ticker } from './ticker.ts'
import type { ViewState, ViewStore } from './view-state.ts'

/** The objects that main.tsx creates, for all components. */
export interface WindowParts {
  readonly api: WindowApi
  readonly link: LinkSource
  readonly clock: WindowClock
  readonly mirror: MirrorStore
  readonly ticker: Ticker
  /** The present snapshots, even in a paused window. */
  readonly live: { readonly mirror: MirrorStore; readonly ticker: Ticker }
  readonly pause: StoreApi<PauseState>
  readonly togglePause: () => void
  readonly view: ViewStore
  readonly look: LookStore
  readonly playSound: (severity: AlertSeverity) => Promise<void>
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

export function usePausedSince(): number | undefined {
  return useStore(useParts().pause, ({ sinceMs }) => sinceMs)
}

export function useLook<T>(select: (look: Look) => T): T {
  return useStore(useParts().look, select)
}

export function useView<T>(select: (state: ViewState) => T): T {
  return useStore(useParts().view, select)
}

/** The displayed profile: the chosen one while it exists, or else the first. */
export function shownSnapshot(mirror: MirrorState, view: ViewState): Snapshot | undefined {
  return mirror.snapshots.find(({ profile }) => profile.id === view.profile) ?? mirror.snapshots[0]
}

/** Values that useSyncExternalStore can compare. A new object each time would cause endless renders. */
type Primitive = string | number | boolean | undefined

/** The state of the window at one time of main's clock. */
export interface Moment {
  readonly mirror: MirrorState
  readonly snapshot: Snapshot | undefined
  readonly nowMs: number
}

/** Selects a value of the present moment. The component renders only when the value changes. */
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
    // The present time is the later of the last tick and the last push.
    return read({ mirror: state, snapshot, nowMs: Math.max(ticker.nowMs(), snapshot?.at ?? 0) })
  }
  return useSyncExternalStore(subscribe, value, value)
}

/** Like `useMoment`, for the displayed snapshot. `undefined` without a snapshot. */
export function useShown<T extends Primitive>(read: (snapshot: Snapshot, nowMs: number) => T): T | undefined {
  return useMoment(({ snapshot, nowMs }) => snapshot && read(snapshot, nowMs))
}

/** Like `useMoment`, for a JSON value that is compared by its content. */
export function useMomentValue<T>(read: (moment: Moment) => T): T {
  const text = useMoment((moment): string | undefined => JSON.stringify(read(moment)))
  return useMemo(() => (text === undefined ? undefined : JSON.parse(text)) as T, [text])
}

/** Like `useMomentValue`, for the displayed snapshot. `undefined` without a snapshot. */
export function useShownValue<T>(read: (snapshot: Snapshot, nowMs: number) => T): T | undefined {
  return useMomentValue(({ snapshot, nowMs }) => snapshot && read(snapshot, nowMs))
}

/** Like `useShown`, for the quota of one category. */
export function useQuota<T extends Primitive>(
  category: string,
  read: (quota: RequestQuota, nowMs: number, snapshot: Snapshot) => T,
): T | undefined {
  return useShown((snapshot, nowMs) => {
    const quota = snapshot.requests.find((one) => one.category === category)
    return quota && read(quota, nowMs, snapshot)
  })
}

/** Selects a part of the displayed snapshot. The part stays the same object until its content changes. */
export function useSnapshot<T>(select: (snapshot: Snapshot) => T): T | undefined {
  const profile = useView((view) => view.profile)
  return useMirror((mirror) => {
    const snapshot = mirror.snapshots.find((one) => one.profile.id === profile) ?? mirror.snapshots[0]
    return snapshot && select(snapshot)
  })
}
