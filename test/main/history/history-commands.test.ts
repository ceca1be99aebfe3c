import { expect, onTestFinished, test } from 'vitest'
import type { Alert } from '../../../app/contract/alerts.ts'
import { contract } from '../../../app/contract/contract.ts'
import { SILENT } from '../../../main/alerts/announcer.ts'
import { HistoryService } from '../../../main/history/history-service.ts'
import { answerCommand } from '../../../main/hosts/answer-command.ts'
import { openWindows } from '../../../main/hosts/window-session.ts'
import { appFeatures } from '../hosts/app-features.ts'
import { NO_PUSHES } from '../hosts/no-pushes.ts'
import { AT_MS, exampleQuota, exampleSnapshot } from '../hosts/terminal/example-snapshot.ts'
import { FakeMonitor } from '../hosts/terminal/fake-monitor.ts'
import { SteppedClock } from '../stepped-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const PROFILE = 'simulator'

/** A window as a host opens it: every command goes through the contract's own parser. */
function opened() {
  const clock = new SteppedClock(AT_MS)
  const monitor = new FakeMonitor(() => clock.wallMs())
  const low = () =>
    exampleSnapshot({
      at: clock.wallMs(),
      requests: [exampleQuota({ remaining: 10, low: 10, state: 'low', observedAt: clock.wallMs() })],
    })
  const shown = Object.assign(monitor, { snapshot: low, profiles: () => [PROFILE] })
  const history = new HistoryService({
    monitor: shown,
    clock,
    log: { note: () => {} },
    announcer: SILENT,
    version: '1.2.3',
    dataFolder: temporaryFolder(),
    problem: () => {},
  })
  onTestFinished(() => history.close())
  const told: (readonly Alert[])[] = []
  const windows = openWindows({
    monitor: shown,
    clock,
    hello: () => ({ version: '1.2.3', host: 'browser' }),
    features: appFeatures(shown, history),
  })
  const session = windows.open({ ...NO_PUSHES, alertsChanged: (alerts) => void told.push(alerts) })
  const ask = async (name: string, arg?: unknown) => {
    const answer = await answerCommand(contract, session.handlers, name, arg)
    return answer.kind === 'value' ? answer.value : answer
  }
  return { clock, session, told, ask }
}

const interval = { profile: PROFILE, fromMs: AT_MS, toMs: AT_MS + 60_000 }

test('a window gets each alert, and can list, dismiss and set thresholds for alerts', async () => {
  const { clock, told, ask } = opened()
  clock.advance(10_000)
  expect(told.at(-1)?.map(({ kind }) => kind)).toEqual(['low'])
  const id = told.at(-1)?.[0]?.id
  expect(await ask('alerts')).toEqual(told.at(-1))
  expect(await ask('dismissAlert', { id })).toEqual({ ok: true })
  expect(told.at(-1)).toMatchObject([{ id, dismissed: true }])
  expect(await ask('dismissAlert', { id: 'another' })).toMatchObject({ ok: false, code: 'alert-over' })
  const off = { profile: PROFILE, category: 'Accounts', below: 0 }
  expect(await ask('setAlertThreshold', off)).toMatchObject({ perCategory: { Accounts: 0 } })
  expect(await ask('alertThresholds', { profile: PROFILE })).toMatchObject({ perCategory: { Accounts: 0 } })
  expect(await ask('alerts')).toEqual([])
})

test('a window can fetch history, a report and its files', async () => {
  const { clock, ask } = opened()
  clock.advance(30_000)
  expect(await ask('history', { ...interval, category: 'Accounts', points: 300 })).toMatchObject({
    points: expect.arrayContaining([{ at: AT_MS + 1_000, remaining: 10, source: 'header' }]),
  })
  expect(await ask('report', interval)).toMatchObject({ requests: [{ category: 'Accounts', lowest: 10 }] })
  expect(await ask('exportFile', { ...interval, what: 'report-csv' })).toMatchObject({
    ok: true,
    file: { mediaType: 'text/csv' },
  })
  expect(await ask('pastEvents', interval)).toEqual([])
  expect(await ask('slotHistory', { ...interval, category: 'Positions Stream' })).toHaveLength(1)
})

test('a window sees the size of the history and sets its retention', async () => {
  const { ask } = opened()
  expect(await ask('setRetention', { rawMs: 3_600_000, rollupMs: 86_400_000 })).toEqual({ ok: true })
  expect(await ask('storage')).toMatchObject({ kind: 'ok', rawMs: 3_600_000, rollupMs: 86_400_000 })
})

test.each([
  ['report', { ...interval, fromMs: -1 }],
  ['recordedUses', { ...interval, toMs: interval.fromMs + 3 * 86_400_000 }],
  ['exportFile', { ...interval, what: 'everything' }],
  ['setAlertThreshold', { profile: PROFILE, below: 1.1 }],
  ['setRetention', { rawMs: 1, rollupMs: 1 }],
  ['dismissAlert', {}],
])('%s with %j does not reach the history', async (name, arg) => {
  expect(await opened().ask(name, arg)).toMatchObject({ kind: 'bad-argument' })
})

test('a closed window gets no more alerts', () => {
  const { clock, session, told } = opened()
  session.close()
  clock.advance(20_000)
  expect(told).toEqual([])
})
