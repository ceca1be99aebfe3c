import { stateSentence } from '../../../app/conditions/messages/rows.ts'
import '../../renderer/utc.ts'
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { AlertEngine } from '../../../app/alerts/engine.ts'
import { glanceNumber, keyLines } from '../../../app/conditions/glance.ts'
import {
  aspectStatuses,
  headline,
  keyFindings,
  keyStatus,
  spokenText,
} from '../../../app/conditions/key-status.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { safePaceText } from '../../../app/status/allowance.ts'
import { quotaStatus } from '../../../app/status/quota-status.ts'
import { trayLine } from '../../../main/hosts/desktop/tray.ts'
import { renderTable } from '../../../main/hosts/terminal/table.ts'
import { bannerFor } from '../../../renderer/format/banner.ts'
import { accessText, refreshText } from '../../../renderer/format/token-text.ts'
import { stripText } from '../../../renderer/strip/strip-text.ts'
import { NOW_MS } from '../../renderer/fixtures.ts'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'
import { STATES } from '../../renderer/harness/states.ts'

/** Time in milliseconds after which every alert of a state that lasts has been raised. */
const LASTS_MS = 120_000

/** The texts of one state on each surface, as a person reads them. Any changed word changes this result. */
function said(at: Snapshot): string {
  const banner = bannerFor({ kind: 'live' }, at, NOW_MS)
  const glance = glanceNumber(at, NOW_MS)
  const [line] = keyLines([at], NOW_MS)
  const { severity, headline: sentence, detail } = headline(at, NOW_MS)
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['headline', [`${severity} · ${sentence}`, detail]],
    ['banner', banner === undefined ? [] : [`${banner.severity} · ${banner.title}`, banner.text]],
    [
      'chips',
      aspectStatuses(at, NOW_MS).map(({ severity: how, name, label }) => `${how} · ${name}: ${label}`),
    ],
    [
      'findings',
      keyFindings(at, NOW_MS).map(({ severity: how, subject, label, note, title, text, action }) =>
        [how, subject ?? '', label, note, `${title} ${text}`.trim(), action].filter(Boolean).join(' · '),
      ),
    ],
    ['short', [keyStatus(at, NOW_MS).name]],
    ['spoken', [spokenText(at, NOW_MS)]],
    ['tray', [trayLine(at).text]],
    [
      'strip',
      [
        Object.values({ ...stripText([at], NOW_MS), bar: '', label: '' })
          .filter(Boolean)
          .join(' · '),
      ],
    ],
    ['glance', [`${glance.caption}: ${glance.value}`]],
    [
      'key line',
      [
        Object.values({ ...line, id: '' })
          .filter(Boolean)
          .join(' · '),
      ],
    ],
    ['alerts', alertsOf(at)],
    [
      'rows',
      at.requests.map((row) => {
        const { severity: how, label, note } = quotaStatus(row, NOW_MS)
        return [how, row.category, label, note, safePaceText(row, NOW_MS), stateSentence(row, NOW_MS)]
          .filter(Boolean)
          .join(' · ')
      }),
    ],
    [
      'tokens',
      [accessText(at.access, NOW_MS), refreshText(at.refresh, NOW_MS)].map(
        ({ severity: how, label, value, note, next }) =>
          [how, label, value, note, next].filter(Boolean).join(' · '),
      ),
    ],
    [
      'terminal',
      renderTable(at, [], NOW_MS, { columns: 120, colour: false })
        .split('\n')
        .map((text) => text.trimEnd()),
    ],
  ]
  return parts.map(([name, lines]) => [name, ...lines.map((text) => `  ${text}`)].join('\n')).join('\n')
}

/** The alerts of a state that lasts. */
function alertsOf(at: Snapshot): readonly string[] {
  const engine = new AlertEngine()
  const evidence = (ageMs: number) =>
    at.requests.map((row) =>
      row.observedAt === undefined ? row : { ...row, observedAt: row.observedAt - ageMs },
    )
  for (let ageMs = LASTS_MS; ageMs >= 0; ageMs -= 1000)
    engine.observe({ ...at, at: at.at - ageMs, requests: evidence(ageMs) })
  return engine.alerts().map(({ severity, title, body }) => `${severity} · ${title} · ${body}`)
}

const ALL = { ...STATES, ...BAD_DAYS }
const fileOf = (name: string) => `${name.replaceAll(/[^a-z0-9]+/gi, '-').replace(/-$/, '')}.txt`

it.each(Object.entries(ALL))('every surface shows the recorded text for the state "%s"', async (name, at) => {
  await expect(`${said(at)}\n`).toMatchFileSnapshot(`golden/${fileOf(name)}`)
})

it('each state has its text, and each text its state', () => {
  const files = readdirSync(new URL('golden', import.meta.url))
  expect(files.toSorted()).toEqual(Object.keys(ALL).map(fileOf).toSorted())
})
