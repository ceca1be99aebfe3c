import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { kindOf } from '../../../app/alerts/engine.ts'
import { alertSchema } from '../../../app/contract/alerts.ts'
import { Alerts, storedAlert } from '../../../main/alerts/alerts.ts'
import { bellAnnouncer, SILENT, throughNotify } from '../../../main/alerts/announcer.ts'
import { ThresholdFile } from '../../../main/alerts/threshold-file.ts'
import type { Notice } from '../../../main/ports/ports.ts'
import {
  exampleAlert,
  exampleDesk,
  exampleQuota,
  exampleSnapshot,
  exampleStream,
  AT_MS as SNAPSHOT_MS,
} from '../hosts/terminal/example-snapshot.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const ANNOUNCEMENT = {
  id: 'a@1',
  severity: 'critical',
  title: 'Accounts is blocked',
  body: 'Back in 4 min.',
} as const

test('a terminal rings for problems only, and prints problems and recoveries', () => {
  let rings = 0
  const lines: string[] = []
  const bell = bellAnnouncer(
    () => {
      rings += 1
    },
    (line) => void lines.push(line),
  )
  bell.announce(ANNOUNCEMENT)
  bell.announce({ ...ANNOUNCEMENT, severity: 'ok' })
  bell.withdraw('a@1')
  expect(rings).toBe(1)
  expect(lines).toEqual(Array(2).fill('Accounts is blocked. Back in 4 min.'))
})

test('a system notification covers one episode, and is urgent if critical', () => {
  const notices: Notice[] = []
  throughNotify((notice) => void notices.push(notice)).announce(ANNOUNCEMENT)
  expect(notices).toEqual([
    { tag: 'a@1', title: 'Accounts is blocked', body: 'Back in 4 min.', isUrgent: true },
  ])
})

test('an unreadable saved alert is dropped', () => {
  expect(storedAlert('{')).toBeUndefined()
  expect(storedAlert('{"id":"x","kind":"empty"}')).toBeUndefined()
})

const bodyOf = (id: string, kind: string, severity: string) =>
  JSON.stringify({ ...exampleAlert({ id, subject: 's1' }), kind, severity })

test.each([
  ['runs-out', 'running-out'],
  ['below-threshold', 'low'],
  ['blocked', 'rate-limited'],
  ['refused', 'token-rejected'],
  ['slots-low', 'slots-full'],
  ['stream-stale', 'streams-silent'],
  ['stream-restarts', 'streams-restarting'],
  ['sign-in-1h', 'sign-in-ends'],
  ['sign-in-15min', 'sign-in-ends'],
  ['sign-in-required', 'signed-out'],
  ['revoke-unconfirmed', 'revocation-unconfirmed'],
  ['empty', 'empty'],
  ['of-tomorrow', undefined],
])('an alert that an earlier version stored as "%s" belongs to the condition "%s"', (former, kind) => {
  const stored = storedAlert(bodyOf('a', former, 'warning'))
  expect(stored && kindOf(stored)).toBe(kind)
})

test('an alert that an earlier version stored as info has severity ok', () => {
  const stored = bodyOf('a', 'capacity-back', 'info')
  const found = alertSchema.safeParse(JSON.parse(stored))
  expect(found.data).toMatchObject({ kind: 'capacity-back', severity: 'ok' })
  expect(alertSchema.safeParse(JSON.parse(bodyOf('a', 'empty', 'loud'))).success).toBe(false)
})

const AT_MS = Date.UTC(2026, 0, 2)

function thresholdsIn(folder: string | undefined, problems: string[] = []) {
  return new ThresholdFile(folder, AT_MS, (sentence) => void problems.push(sentence))
}

test('a threshold applies to one row of one key, and can be removed', () => {
  const folder = temporaryFolder()
  thresholdsIn(folder).set('key-1', 'Accounts', 0.5)
  thresholdsIn(folder).set('key-1', undefined, 0.1)
  const again = thresholdsIn(folder)
  expect(again.of('key-1')).toEqual({ below: 0.1, perCategory: { Accounts: 0.5 } })
  expect(again.of('key-2').perCategory).toEqual({})
  expect(again.set('key-1', 'Accounts', undefined).perCategory).toEqual({})
})

test('a damaged thresholds file is renamed and reported, and defaults apply', () => {
  const folder = temporaryFolder()
  const damaged = '{"profiles":{"key-1":{"below":7}}}'
  writeFileSync(join(folder, 'alerts.json'), damaged)
  const problems: string[] = []
  const thresholds = thresholdsIn(folder, problems)
  expect(thresholds.of('key-1').below).toBe(0.2)
  expect(problems).toEqual([
    expect.stringMatching(/^Alert thresholds: the file is damaged and was renamed to alerts\.corrupt-/),
  ])
  thresholds.set('key-1', undefined, 0.3)
  expect(JSON.parse(readFileSync(join(folder, 'alerts.json'), 'utf8'))).toMatchObject({
    profiles: { 'key-1': { below: 0.3 } },
  })
  const aside = readdirSync(folder).filter((name) => name.startsWith('alerts.corrupt-'))
  expect(aside.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([damaged])
})

test('a threshold that cannot be saved still applies, and the failure is reported', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'alerts.json.new'))
  const problems: string[] = []
  const thresholds = thresholdsIn(folder, problems)
  expect(thresholds.set('key-1', undefined, 0.3).below).toBe(0.3)
  expect(problems).toEqual([expect.stringMatching(/^Alert thresholds could not be saved/)])
})

function followed(announced: string[]) {
  const thresholds = thresholdsIn(undefined)
  const alerts = new Alerts({
    announcer: {
      announce: ({ title }) => void announced.push(title),
      withdraw: () => {},
    },
    thresholds,
    kept: [],
    keep: () => {},
    thresholdsSet: () => {},
  })
  const silent = (count: number, second: number) =>
    exampleSnapshot({
      at: SNAPSHOT_MS + second * 1000,
      requests: [],
      slots: [],
      streams: [
        exampleStream(),
        ...Array.from({ length: count }, (_, index) => exampleStream({ id: `q${index}`, state: 'stale' })),
      ],
    })
  return { alerts, silent }
}

test('eighteen streams that go silent together are announced once', () => {
  const announced: string[] = []
  const { alerts, silent } = followed(announced)
  alerts.observe(silent(18, 1))
  expect(announced).toEqual(['18 of 19 streams are silent'])
  expect(alerts.open()).toHaveLength(1)
})

test('a snoozed alert is listed but not announced', () => {
  const announced: string[] = []
  const { alerts, silent } = followed(announced)
  alerts.changePreferences({ snoozedUntil: SNAPSHOT_MS + 60_000 })
  alerts.observe(silent(1, 1))
  expect(announced).toEqual([])
  expect(alerts.open()).toHaveLength(1)
})

test('an ended alert is listed as closed, with its end', () => {
  const { alerts, silent } = followed([])
  alerts.observe(silent(1, 1))
  expect(alerts.closed()).toEqual([])
  alerts.observe(silent(0, 41))
  alerts.observe(silent(0, 46))
  expect(alerts.open()).toEqual([])
  expect(alerts.closed()).toMatchObject([
    { kind: 'streams-silent', since: SNAPSHOT_MS - 1_000, endedAt: SNAPSHOT_MS + 46_000 },
  ])
})

const alertsWith = (thresholds: ThresholdFile) =>
  new Alerts({ announcer: SILENT, thresholds, kept: [], keep: () => {}, thresholdsSet: () => {} })

test('a snooze has the time of its choice, unless it was chosen before this run; a desk’s is adopted', () => {
  const folder = temporaryFolder()
  const first = alertsWith(thresholdsIn(folder))
  expect(first.snooze).toEqual({ untilMs: undefined, chosenAtMs: undefined })
  first.observe(exampleSnapshot())
  first.changePreferences({ urgentBypass: false })
  expect(first.snooze.chosenAtMs).toBeUndefined()
  first.changePreferences({ snoozedUntil: SNAPSHOT_MS + 60_000 })
  expect(first.snooze).toEqual({ untilMs: SNAPSHOT_MS + 60_000, chosenAtMs: SNAPSHOT_MS })
  const second = alertsWith(thresholdsIn(folder))
  expect(second.snooze).toEqual({ untilMs: SNAPSHOT_MS + 60_000, chosenAtMs: undefined })
  second.adoptSnooze(SNAPSHOT_MS + 90_000, SNAPSHOT_MS - 5)
  expect(second.snooze).toEqual({ untilMs: SNAPSHOT_MS + 90_000, chosenAtMs: SNAPSHOT_MS - 5 })
  second.adoptSnooze(undefined, SNAPSHOT_MS)
  expect(second.snooze).toEqual({ untilMs: undefined, chosenAtMs: SNAPSHOT_MS })
  expect(second.preferences).toEqual({ urgentBypass: false })
})

test('a settings page opened before a snooze does not undo the snooze', () => {
  const { alerts } = followed([])
  const quietHours = { from: '22:00', to: '07:00' }
  alerts.changePreferences({ snoozedUntil: SNAPSHOT_MS + 60_000 })
  alerts.changePreferences({ quietHours })
  const both = { urgentBypass: true, snoozedUntil: SNAPSHOT_MS + 60_000, quietHours }
  expect(alerts.preferences).toEqual(both)
  expect(alerts.changePreferences({ urgentBypass: false })).toEqual({ ...both, urgentBypass: false })
  expect(alerts.changePreferences({ snoozedUntil: null })).toEqual({ urgentBypass: false, quietHours })
  expect(alerts.changePreferences({ quietHours: null })).toEqual({ urgentBypass: false })
})

test('alert timing survives a restart, and an older file can still be read', () => {
  const folder = temporaryFolder()
  const quiet = { quietHours: { from: '22:00', to: '07:00' }, urgentBypass: false }
  const file = thresholdsIn(folder)
  expect(file.preferences).toEqual({ urgentBypass: true })
  file.set('key-1', 'Accounts', 0.5)
  file.setPreferences(quiet)
  expect(thresholdsIn(folder).preferences).toEqual(quiet)
  expect(thresholdsIn(folder).of('key-1').perCategory).toEqual({ Accounts: 0.5 })
})

test('an alert that another machine of the desk announces is listed here without a word', () => {
  const announced: string[] = []
  const { alerts } = followed(announced)
  const at = (second: number, announces: string) =>
    exampleSnapshot({
      at: SNAPSHOT_MS + second * 1000,
      requests: [exampleQuota({ state: 'blocked', blockedUntil: SNAPSHOT_MS + 60_000 })],
      streams: [],
      desk: exampleDesk(announces),
    })
  for (let second = 0; second < 12; second += 1) alerts.observe(at(second, 'b'))
  expect(alerts.open()).toMatchObject([{ kind: 'rate-limited' }])
  expect(announced).toEqual([])
  const { alerts: inUse } = followed(announced)
  for (let second = 0; second < 12; second += 1) inUse.observe(at(second, 'a'))
  expect(announced).toHaveLength(1)
})
