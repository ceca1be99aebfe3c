import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Alerts, storedAlert } from '../../../main/alerts/alerts.ts'
import { bellAnnouncer, SILENT, throughNotify } from '../../../main/alerts/announcer.ts'
import { ThresholdFile } from '../../../main/alerts/threshold-file.ts'
import type { Notice } from '../../../main/ports/notify.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const ANNOUNCEMENT = {
  id: 'a@1',
  severity: 'critical',
  title: 'Accounts is blocked',
  body: 'Back in 4 min.',
} as const

test('a terminal rings for trouble, not for good news, and says either', () => {
  let rings = 0
  const lines: string[] = []
  const bell = bellAnnouncer(
    () => {
      rings += 1
    },
    (line) => void lines.push(line),
  )
  bell.announce(ANNOUNCEMENT)
  bell.announce({ ...ANNOUNCEMENT, severity: 'info' })
  bell.withdraw('a@1')
  expect(rings).toBe(1)
  expect(lines).toEqual(Array(2).fill('Accounts is blocked. Back in 4 min.'))
})

test('a system notification is of one episode and urgent when it is critical', () => {
  const notices: Notice[] = []
  throughNotify((notice) => void notices.push(notice)).announce(ANNOUNCEMENT)
  expect(notices).toEqual([
    { tag: 'a@1', title: 'Accounts is blocked', body: 'Back in 4 min.', isUrgent: true },
  ])
})

test('a kept alert that cannot be read is forgotten', () => {
  expect(storedAlert('{')).toBeUndefined()
  expect(storedAlert('{"id":"x","kind":"of-tomorrow"}')).toBeUndefined()
})

test('what was open is kept over a start, except of streams, which are numbered anew', () => {
  const kept: (readonly [string, string | undefined])[] = []
  const body = (id: string, kind: string) =>
    JSON.stringify({
      id,
      profile: 'key-1',
      kind,
      severity: 'warning',
      subject: 's1',
      since: 1,
      at: 1,
      title: 't',
      body: 'b',
      dismissed: false,
    })
  new Alerts({
    announcer: SILENT,
    thresholds: thresholdsIn(undefined),
    kept: [body('a', 'stream-stale'), body('b', 'blocked'), 'nonsense'],
    keep: (id, text) => void kept.push([id, text]),
    changed: () => {},
  })
  expect(kept).toEqual([['a', undefined]])
})

const AT_MS = Date.UTC(2026, 0, 2)

function thresholdsIn(folder: string | undefined, problems: string[] = []) {
  return new ThresholdFile(folder, AT_MS, (sentence) => void problems.push(sentence))
}

test('a threshold is of one row of one key, and can be taken away again', () => {
  const folder = temporaryFolder()
  thresholdsIn(folder).set('key-1', 'Accounts', 0.5)
  thresholdsIn(folder).set('key-1', undefined, 0.1)
  const again = thresholdsIn(folder)
  expect(again.of('key-1')).toEqual({ below: 0.1, perCategory: { Accounts: 0.5 } })
  expect(again.of('key-2').perCategory).toEqual({})
  expect(again.set('key-1', 'Accounts', undefined).perCategory).toEqual({})
})

test('a damaged file of thresholds is set aside whole and said, and the defaults apply', () => {
  const folder = temporaryFolder()
  const damaged = '{"profiles":{"key-1":{"below":7}}}'
  writeFileSync(join(folder, 'alerts.json'), damaged)
  const problems: string[] = []
  const thresholds = thresholdsIn(folder, problems)
  expect(thresholds.of('key-1').below).toBe(0.2)
  expect(problems).toEqual([
    expect.stringMatching(/^Alert thresholds were damaged and are kept as alerts\.corrupt-/),
  ])
  thresholds.set('key-1', undefined, 0.3)
  expect(JSON.parse(readFileSync(join(folder, 'alerts.json'), 'utf8'))).toMatchObject({
    profiles: { 'key-1': { below: 0.3 } },
  })
  const aside = readdirSync(folder).filter((name) => name.startsWith('alerts.corrupt-'))
  expect(aside.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([damaged])
})

test('a threshold that cannot be written applies, and that it is not kept is said', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'alerts.json.new'))
  const problems: string[] = []
  const thresholds = thresholdsIn(folder, problems)
  expect(thresholds.set('key-1', undefined, 0.3).below).toBe(0.3)
  expect(problems).toEqual([expect.stringMatching(/^Alert thresholds could not be kept/)])
})
