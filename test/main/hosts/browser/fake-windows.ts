import type { AppContract } from '../../../../app/contract/contract.ts'
import type { Handlers, Pushes } from '../../../../app/contract/ipc.ts'
import type { Snapshot } from '../../../../app/contract/snapshot.ts'
import { DEFAULT_THRESHOLDS } from '../../../../app/contract/units.ts'
import { reportOf } from '../../../../app/history/report.ts'
import type { WindowSession, Windows } from '../../../../main/hosts/window-session.ts'
import { exampleSnapshot } from '../terminal/example-snapshot.ts'

const NOTHING = { requests: new Map(), slots: new Map(), events: [] }
const EMPTY_REPORT = reportOf({ profile: 'p1', fromMs: 0, toMs: 0, ...NOTHING })

export interface FakeSession {
  readonly pushes: Pushes<AppContract>
  isOpen: boolean
}

/** Sessions that record the calls of their handlers. */
export class FakeWindows implements Windows {
  readonly sessions: FakeSession[] = []
  /** Command and argument, in the order of arrival. */
  readonly calls: (readonly [string, unknown])[] = []

  open(pushes: Pushes<AppContract>): WindowSession {
    const session: FakeSession = { pushes, isOpen: true }
    this.sessions.push(session)
    return {
      handlers: this.#handlers(),
      close: () => {
        session.isOpen = false
      },
    }
  }

  #handlers(): Handlers<AppContract> {
    const called = <R>(name: string, answer: R) => {
      return (arg: unknown): R => {
        this.calls.push([name, arg])
        return answer
      }
    }
    return {
      hello: called('hello', { version: '0.0.0', host: 'browser' as const }),
      snapshots: called('snapshots', [snapshotOf('p1', 1)]),
      events: called('events', []),
      history: () => {
        throw new Error('the disk said: SECRET-IN-A-STACK')
      },
      programHistory: called('programHistory', {
        from: 0,
        resolutionMs: 60_000,
        programs: [],
        own: [],
        elsewhere: [],
      }),
      trends: called('trends', {}),
      recordedUses: called('recordedUses', { rows: {}, programs: [] }),
      openStream: called('openStream', { ok: true as const, stream: 's1' }),
      closeStream: called('closeStream', { ok: true as const }),
      keepStream: called('keepStream', { ok: true as const }),
      restartStream: called('restartStream', { ok: true as const, stream: 's1' }),
      pinStream: called('pinStream', { ok: true as const }),
      allowOrders: called('allowOrders', NOT_HERE),
      stopOrders: called('stopOrders', { ok: true as const }),
      dismissOrder: called('dismissOrder', { ok: true as const }),
      orderJournal: called('orderJournal', NOT_HERE),
      createDesk: called('createDesk', NOT_HERE),
      joinDesk: called('joinDesk', NOT_HERE),
      deskInvitation: called('deskInvitation', NOT_HERE),
      leaveDesk: called('leaveDesk', { ok: true as const }),
      rotateDesk: called('rotateDesk', NOT_HERE),
      revoke: called('revoke', { ok: true as const }),
      tryNow: called('tryNow', { ok: true as const }),
      checkNow: called('checkNow', { ok: true as const }),
      rowDetails: called('rowDetails', {
        ok: true as const,
        details: { refusals: [], headers: {}, oddities: [] },
      }),
      keySettings: called('keySettings', NOT_HERE),
      setKeySettings: called('setKeySettings', NOT_HERE),
      connect: called('connect', { ok: true as const, profile: 'p1' }),
      startSignIn: called('startSignIn', STARTED),
      signInAgain: called('signInAgain', STARTED),
      replaceToken: called('replaceToken', { ok: true as const, profile: 'p1' }),
      correctSecret: called('correctSecret', { ok: true as const, profile: 'p1' }),
      cancelSignIn: called('cancelSignIn', { ok: true as const }),
      allowUnprotected: called('allowUnprotected', { ok: true as const }),
      unlockKeys: called('unlockKeys', { ok: true }),
      showDataFolder: called('showDataFolder', { ok: true }),
      windows: called('windows', []),
      endWindow: called('endWindow', { ok: true as const }),
      gateway: called('gateway', { gateway: { state: 'off' as const }, programs: [], nextPort: 4791 }),
      setGateway: called('setGateway', { ok: true as const }),
      addProgram: called('addProgram', { ok: true as const, key: 'k' }),
      cutProgram: called('cutProgram', { ok: true as const }),
      pauseProgram: called('pauseProgram', { ok: true as const, until: 0 }),
      resumeProgram: called('resumeProgram', { ok: true as const }),
      updates: called('updates', { kind: 'no-feed' as const }),
      setCheckForUpdates: called('setCheckForUpdates', { kind: 'no-feed' as const }),
      disconnect: called('disconnect', { ok: true as const }),
      setVisible: called('setVisible', undefined),
      report: called('report', EMPTY_REPORT),
      exportFile: called('exportFile', { ok: false as const, code: 'none', message: 'none' }),
      pastEvents: called('pastEvents', []),
      slotHistory: called('slotHistory', []),
      storage: called('storage', { kind: 'memory' as const }),
      setRetention: called('setRetention', { ok: true as const }),
      alerts: called('alerts', []),
      dismissAlert: called('dismissAlert', { ok: true as const }),
      closedAlerts: called('closedAlerts', []),
      alertPreferences: called('alertPreferences', { urgentBypass: true }),
      setAlertPreferences: called('setAlertPreferences', { urgentBypass: true }),
      timeZone: called('timeZone', 'local' as const),
      setTimeZone: called('setTimeZone', { ok: true as const }),
      alertThresholds: called('alertThresholds', DEFAULT_THRESHOLDS),
      setAlertThreshold: called('setAlertThreshold', DEFAULT_THRESHOLDS),
    }
  }
}

const NOT_HERE = { ok: false, code: 'unknown-profile', message: 'not here' } as const
const STARTED = { ok: true, signIn: 's', url: 'https://auth.test/', opened: true, endsAt: 0 } as const

export const snapshotOf = (id: string, revision: number): Snapshot =>
  exampleSnapshot({
    revision,
    at: 0,
    profile: { id, name: id, environment: 'simulator' },
    requests: [],
    slots: [],
    streams: [],
    verdict: { kind: 'unknown' },
  })
