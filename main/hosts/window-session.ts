import type { AppContract } from '../../app/contract/contract.ts'
import type { Handlers, Pushes } from '../../app/contract/ipc.ts'
import type { Outcome } from '../../app/contract/outcome.ts'
import type { SignInStatus } from '../../app/contract/sign-in.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Hello } from '../../app/contract/windows.ts'
import { historyHandlers, withoutHistory } from '../history/history-handlers.ts'
import type { HistoryService } from '../history/history-service.ts'
import type { MonitorSurface } from '../monitor/monitor-surface.ts'
import type { Clock } from '../ports/ports.ts'
import type { AdmittedWindows } from './admitted-windows.ts'
import type { Attention } from './attention.ts'
import { Publisher } from './snapshot-publisher.ts'

/** One open window: the handlers of its commands, and its end. */
export interface WindowSession {
  readonly handlers: Handlers<AppContract>
  close(): void
}

/** What a host is given: it opens a session for each window, and tells it where the pushes go. */
export interface Windows {
  /** `id`: what the window is listed under, where it is. */
  open(pushes: Pushes<AppContract>, id?: string): WindowSession
}

export type ConnectRequest = Parameters<Handlers<AppContract>['connect']>[0]

/** How keys come in: what a person types, pastes or agrees to in a browser. */
export interface KeyEntrance
  extends Pick<
    Handlers<AppContract>,
    'connect' | 'startSignIn' | 'signInAgain' | 'replaceToken' | 'correctSecret' | 'cancelSignIn'
  > {
  subscribe(listener: (status: SignInStatus) => void): () => void
}

export interface WindowsDeps {
  readonly monitor: MonitorSurface
  /** Absent in a host that keeps nothing. */
  readonly history?: HistoryService
  readonly clock: Clock
  /** Told which windows are looked at; absent where nobody asks. */
  readonly attention?: Attention
  readonly hello: () => Hello
  readonly keys: KeyEntrance
  /** Absent in a host whose windows need no code. */
  readonly admitted?: AdmittedWindows
  /** Absent in a host that never asks for it. */
  readonly allowUnprotected?: Handlers<AppContract>['allowUnprotected']
}

/** Serves the contract to any number of windows from one monitor. */
export function openWindows(deps: WindowsDeps): Windows {
  const {
    monitor,
    history,
    attention,
    clock,
    hello,
    keys,
    admitted,
    allowUnprotected = nothingToAllow,
  } = deps
  const snapshots = () =>
    monitor
      .profiles()
      .map((profile) => monitor.snapshot(profile))
      .filter((snapshot): snapshot is Snapshot => snapshot !== undefined)

  return {
    open: (pushes, id) => {
      const publisher = new Publisher(clock, (profile) => monitor.snapshot(profile), pushes.snapshotChanged)
      publisher.keepFresh(monitor.profiles())
      const unsubscribe = monitor.subscribe({
        changed: (profile) => publisher.changed(profile),
        event: pushes.eventHappened,
        removed: (profile) => {
          publisher.removed(profile)
          pushes.profileRemoved({ profile })
        },
      })
      const seat = attention?.take()
      const forgetAlerts = history?.onAlerts(pushes.alertsChanged)
      const leaveKeys = keys.subscribe(pushes.signInChanged)
      return {
        handlers: {
          hello,
          snapshots,
          events: ({ after }) => monitor.events(after),
          openStream: ({ profile, kind, target, options, whenFull }) =>
            monitor.openStream(profile, { kind, target, options: options ?? {} }, whenFull),
          closeStream: ({ profile, stream }) => monitor.closeStream(profile, stream),
          restartStream: ({ profile, stream }) => monitor.restartStream(profile, stream),
          pinStream: ({ profile, stream, pinned }) => monitor.pinStream(profile, stream, pinned),
          revoke: ({ profile }) => monitor.revoke(profile),
          tryNow: ({ profile }) => monitor.tryNow(profile),
          checkNow: ({ profile, category }) => monitor.checkNow(profile, category),
          rowDetails: ({ profile, category }) => monitor.rowDetails(profile, category),
          keySettings: ({ profile }) => monitor.keySettings(profile),
          setKeySettings: ({ profile, ...change }) => monitor.setKeySettings(profile, change),
          connect: (request) => keys.connect(request),
          startSignIn: (request) => keys.startSignIn(request),
          signInAgain: (request) => keys.signInAgain(request),
          replaceToken: (request) => keys.replaceToken(request),
          correctSecret: (request) => keys.correctSecret(request),
          cancelSignIn: (request) => keys.cancelSignIn(request),
          allowUnprotected,
          windows: () => admitted?.list(id) ?? [],
          endWindow: ({ window }) => admitted?.end(window, id) ?? NO_SUCH_WINDOW,
          // A desktop app that has a feed of newer versions answers these itself.
          updates: () => ({ kind: 'no-feed' }),
          setCheckForUpdates: () => ({ kind: 'no-feed' }),
          disconnect: ({ profile }) => monitor.disconnect(profile),
          setVisible: ({ visible }) => {
            seat?.setVisible(visible)
            publisher.setVisible(visible)
          },
          ...(history ? historyHandlers(history) : withoutHistory(monitor)),
        },
        close: () => {
          seat?.leave()
          unsubscribe()
          leaveKeys()
          forgetAlerts?.()
          publisher.stop()
        },
      }
    },
  }
}

const NO_SUCH_WINDOW: Outcome = {
  ok: false,
  code: 'unknown-window',
  message: 'There is no such window.',
}

const nothingToAllow = (): Outcome => ({
  ok: false,
  code: 'not-needed',
  message: 'This start does not store keys unprotected: there is nothing to agree to.',
})
