import { expect, test } from 'vitest'
import type { MonitorEvent } from '../../../../app/contract/events.ts'
import type { Snapshot } from '../../../../app/contract/snapshot.ts'
import { followRotatingKeys } from '../../../../main/hosts/desktop/rotating-keys.ts'
import type { MonitorListener } from '../../../../main/monitor/monitor-surface.ts'
import { exampleSnapshot } from '../terminal/example-snapshot.ts'

const REFRESHED: MonitorEvent = { kind: 'token-refreshed', rotated: true, expiresAt: 2_000 }

function machine() {
  let refresh: Partial<Snapshot['refresh']> = {}
  let environment: Snapshot['profile']['environment'] = 'live'
  let listener: MonitorListener | undefined
  let suspend = () => {}
  const asked: boolean[] = []
  const notices: string[] = []
  const base = exampleSnapshot()
  const keys = followRotatingKeys({
    monitor: {
      profiles: () => ['p'],
      snapshot: () => ({
        ...base,
        profile: { ...base.profile, environment },
        refresh: { state: 'valid', rotating: false, stored: 'sealed', refreshesToday: 0, ...refresh },
      }),
      subscribe: (heard) => {
        listener = heard
        return () => {
          listener = undefined
        }
      },
    },
    power: {
      keepAwake: (wanted) => void asked.push(wanted),
      on: (_suspend, run) => {
        suspend = run
        return () => {
          suspend = () => {}
        }
      },
    },
    notify: ({ body }) => void notices.push(body),
    clockText: (atMs) => `t${atMs}`,
  })
  const becomes = (next: Partial<Snapshot['refresh']>, event: MonitorEvent) => {
    refresh = next
    listener?.event({ ...event, seq: 1, at: 0, profile: 'p' })
  }
  return {
    keys,
    becomes,
    asked,
    notices,
    sleep: () => suspend(),
    simulate: () => {
      environment = 'simulator'
    },
    isHeard: () => listener !== undefined,
  }
}

test('the machine is kept awake only while a rotating key is valid and a person chose that', () => {
  const { keys, becomes, asked } = machine()
  keys.setKeepAwake(true)
  expect(asked.at(-1)).toBe(false)
  becomes({ rotating: true, rotatesBy: 1_000 }, REFRESHED)
  expect(asked.at(-1)).toBe(true)
  keys.setKeepAwake(false)
  expect(asked.at(-1)).toBe(false)
  keys.setKeepAwake(true)
  expect(asked.at(-1)).toBe(true)
  becomes({ state: 'sign-in-required', rotatesBy: 1_000 }, { kind: 'sign-in-required', reason: 'ended' })
  expect(asked.at(-1)).toBe(false)
})

test('the built-in simulator does not keep the machine awake', () => {
  const { keys, becomes, asked, simulate } = machine()
  simulate()
  keys.setKeepAwake(true)
  becomes({ rotating: true, rotatesBy: 1_000 }, REFRESHED)
  expect(asked).not.toContain(true)
})

test('only a sleep that may outlast a rotating token gets a warning, with the time', () => {
  const { becomes, notices, sleep } = machine()
  sleep()
  expect(notices).toEqual([])
  becomes({ rotating: true, rotatesBy: 1_000 }, REFRESHED)
  sleep()
  expect(notices).toEqual(['If this computer sleeps past t1000, you may have to sign in again.'])
})

test('at the end nothing listens and the machine may sleep', () => {
  const { keys, becomes, asked, notices, sleep, isHeard } = machine()
  keys.setKeepAwake(true)
  becomes({ rotating: true, rotatesBy: 1_000 }, REFRESHED)
  keys.close()
  expect([asked.at(-1), isHeard()]).toEqual([false, false])
  sleep()
  expect(notices).toEqual([])
})
