import type { Alert } from '../../app/contract/alerts.ts'
import type { LoggedEvent } from '../../app/contract/events.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Hello } from '../../app/contract/windows.ts'
import type { Link } from '../api/window-api.ts'
import { shared } from './shared.ts'
import { afterAnswer, afterPush, NO_SKEW, type Skew } from './skew.ts'

/** The window's copy of main's state. Only the functions below change it. */
export interface MirrorState {
  readonly link: Link
  readonly hello: Hello | undefined
  /** The latest snapshot of each profile, in the order of their first push. */
  readonly snapshots: readonly Snapshot[]
  /** Newest first. */
  readonly events: readonly LoggedEvent[]
  /** Open alerts, worst first, then latest first. */
  readonly alerts: readonly Alert[]
  readonly skew: Skew
}

export const EMPTY_MIRROR: MirrorState = {
  link: { kind: 'connecting' },
  hello: undefined,
  snapshots: [],
  events: [],
  alerts: [],
  skew: NO_SKEW,
}

/** Maximum number of events in the window. Main stores older ones. */
export const MAX_EVENTS = 500

export function withPushedSnapshot(state: MirrorState, snapshot: Snapshot, receivedMs: number): MirrorState {
  const snapshots = placed(state.snapshots, snapshot)
  const skew = afterPush(state.skew, snapshot.at, receivedMs)
  return snapshots === state.snapshots && skew === state.skew ? state : { ...state, snapshots, skew }
}

/**
 * Applies the response to a request for all profiles.
 *
 * A profile missing from the response is removed. A snapshot that was pushed during the request (`heardOf`)
 * is newer, so its profile stays.
 */
export function withAllSnapshots(
  state: MirrorState,
  answered: readonly Snapshot[],
  times: { readonly askedMs: number; readonly receivedMs: number },
  meanwhile: { readonly heardOf: ReadonlySet<string>; readonly removed: ReadonlySet<string> },
): MirrorState {
  const named = new Set(answered.map((snapshot) => snapshot.profile.id))
  let snapshots: readonly Snapshot[] = state.snapshots.filter(
    ({ profile }) => named.has(profile.id) || meanwhile.heardOf.has(profile.id),
  )
  let { skew } = state
  for (const snapshot of answered) {
    if (meanwhile.removed.has(snapshot.profile.id)) continue
    snapshots = placed(snapshots, snapshot)
    skew = afterAnswer(skew, snapshot.at, times.askedMs, times.receivedMs)
  }
  return { ...state, snapshots, skew }
}

export function withoutProfile(state: MirrorState, profile: string): MirrorState {
  return { ...state, snapshots: state.snapshots.filter((snapshot) => snapshot.profile.id !== profile) }
}

/** Adds events from a push or a response, without duplicates. */
export function withEvents(state: MirrorState, events: readonly LoggedEvent[]): MirrorState {
  const known = new Set(state.events.map((event) => event.seq))
  const added = events.filter((event) => !known.has(event.seq))
  if (added.length === 0) return state
  const all = [...added, ...state.events].sort((a, b) => b.seq - a.seq)
  return { ...state, events: all.slice(0, MAX_EVENTS) }
}

/** The number of the newest event. 0 if there is no event. */
export function lastSeq(state: MirrorState): number {
  return state.events[0]?.seq ?? 0
}

/** Inserts a snapshot. An older revision is dropped, because pushes and responses may arrive out of order. */
function placed(snapshots: readonly Snapshot[], snapshot: Snapshot): readonly Snapshot[] {
  const index = snapshots.findIndex(({ profile }) => profile.id === snapshot.profile.id)
  const shown = snapshots[index]
  if (shown === undefined) return [...snapshots, snapshot]
  return snapshot.revision < shown.revision ||
    (snapshot.revision === shown.revision && snapshot.at < shown.at)
    ? snapshots
    : snapshots.with(index, shared(shown, snapshot))
}
