import { stateSentence } from '../../../app/conditions/messages/rows.ts'
import '../../renderer/utc.ts'
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

type Surfaces = readonly (readonly [surface: string, lines: readonly string[]])[]

/** The texts of one state on each surface, as a person reads them. Any changed word changes this result. */
function said(at: Snapshot): Surfaces {
  const banner = bannerFor({ kind: 'live' }, at, NOW_MS)
  const glance = glanceNumber(at, NOW_MS)
  const [line] = keyLines([at], NOW_MS)
  const { severity, headline: sentence, detail } = headline(at, NOW_MS)
  const parts: Surfaces = [
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
      [accessText(at, NOW_MS), refreshText(at.refresh, NOW_MS)].map(
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
  return parts
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

/** Only these states have others recorded as like them, so that a new state changes the text of no other. */
const BASES = ['target', 'unknown', 'all is well', 'saved keys damaged', 'a desk of three']

/** The surfaces with lines that `basis` lacks. `= 3–7` stands for lines 3 to 7 of the same surface there. */
function changedFrom(basis: Surfaces, surfaces: Surfaces): Surfaces {
  return surfaces.flatMap(([name, lines], index) => {
    const known = basis[index]?.[1] ?? []
    return lines.join('\n') === known.join('\n') ? [] : [[name, shortened(known, lines)] as const]
  })
}

function shortened(known: readonly string[], lines: readonly string[]): readonly string[] {
  const short: string[] = []
  for (let at = 0; at < lines.length; ) {
    const from = known.indexOf(lines[at] ?? '')
    let count = 0
    while (from >= 0 && from + count < known.length && lines[at + count] === known[from + count]) count += 1
    short.push(count < 2 ? (lines[at] ?? '') : `= ${from + 1}–${from + count}`)
    at += Math.max(count, 1)
  }
  return short
}

const section = (title: string, surfaces: Surfaces): readonly string[] => [
  title,
  ...surfaces.flatMap(([name, lines]) =>
    lines.length === 1 ? [`${name}: ${lines}`] : [name, ...lines.map((text) => `  ${text}`)],
  ),
  '',
]

/** Each state as its difference from the earlier of the `BASES` that it resembles most. */
function recorded(states: Readonly<Record<string, Snapshot>>): string {
  const earlier: [name: string, surfaces: Surfaces][] = []
  const sections = Object.entries(states).map(([name, at]) => {
    const own = said(at)
    const options = earlier.map(([basis, from]) =>
      section(`## ${name}, like ${basis}`, changedFrom(from, own)),
    )
    if (BASES.includes(name)) earlier.push([name, own])
    return options.reduce(
      (least, one) => (one.length < least.length ? one : least),
      section(`## ${name}`, own),
    )
  })
  return sections.flat().join('\n')
}

it('every surface shows the recorded text for each state', async () => {
  await expect(recorded({ ...STATES, ...BAD_DAYS })).toMatchFileSnapshot('golden.txt')
})
