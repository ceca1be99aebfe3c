import '../../renderer/utc.ts'
import { describe, expect, it } from 'vitest'
import type { QuotaState, RequestQuota } from '../../../app/contract/snapshot.ts'
import { headline, keyStatus, shortText, spokenText } from '../../../app/status/key-status.ts'
import { quotaStatus, STATE_LABELS, stateSentence } from '../../../app/status/quota-status.ts'
import type { Severity } from '../../../app/status/severity.ts'
import { trayLine } from '../../../main/hosts/desktop/tray.ts'
import { renderTable } from '../../../main/hosts/terminal/table.ts'
import { stripText } from '../../../renderer/strip/strip-text.ts'
import { NOW_MS, quota, snapshot } from '../../renderer/fixtures.ts'

/** One row in each state, and what every surface has to make of it. */
const TABLE: Readonly<Record<QuotaState, readonly [severity: Severity, row: Partial<RequestQuota>]>> = {
  ok: ['ok', {}],
  low: ['watch', { level: 38, remaining: 38, low: 36, high: 40 }],
  'running-out': ['watch', { emptyAt: NOW_MS + 214_000 }],
  empty: ['critical', { level: 0, remaining: 0, low: 0, high: 2 }],
  blocked: ['critical', { blockedUntil: NOW_MS + 40_000, level: 0, remaining: 0, low: 0, high: 0 }],
  'not-checked': ['unseen', { low: 20, high: 300 }],
}

const shown = (state: QuotaState) =>
  snapshot({ requests: [quota('Positions', 320, 300, 250, { ...TABLE[state][1], state })] })
const states = Object.keys(TABLE) as QuotaState[]

describe.each(states)('the state "%s"', (state) => {
  const [severity] = TABLE[state]
  const label = STATE_LABELS[state]
  const at = shown(state)
  const [row] = at.requests as [RequestQuota]

  it('has one severity on every surface', () => {
    expect(quotaStatus(row, NOW_MS).severity).toBe(severity)
    expect(keyStatus(at, NOW_MS).severity).toBe(severity)
    expect(headline(at, NOW_MS).severity).toBe(severity)
    expect(trayLine(at).severity).toBe(severity)
    expect(stripText([at], NOW_MS).severity).toBe(severity)
  })

  it('has one word on every surface', () => {
    expect(quotaStatus(row, NOW_MS).label).toBe(label)
    expect(shortText(keyStatus(at, NOW_MS))).toContain(label)
    expect(trayLine(at).text).toContain(label)
    const { name, note } = stripText([at], NOW_MS)
    expect(`${name} ${note}`).toContain(label)
    const table = renderTable(at, [], NOW_MS, { columns: 120, colour: false })
    expect(table.split('\n').find((line) => line.includes('/320'))).toMatch(new RegExp(`^${label} `))
  })

  it('is called by no other state’s word, nor by a word of before', () => {
    const texts = [
      headline(at, NOW_MS).headline,
      spokenText(at, NOW_MS),
      stateSentence(row, NOW_MS),
      trayLine(at).text,
      Object.values(stripText([at], NOW_MS)).join(' '),
      renderTable(at, [], NOW_MS, { columns: 120, colour: false }).split('\n').slice(0, 1).join(),
    ]
    for (const text of texts) {
      expect(text).not.toMatch(/\b(held|hold|blocked|wait|lasts|idle|near|seen|modelled|elsewhere)\b/i)
      for (const other of states) {
        if (other === state || other === 'ok' || STATE_LABELS[other] === label) continue
        // Being empty is explained by the status that calls will get.
        if (state === 'empty' && other === 'blocked') continue
        expect(text).not.toMatch(new RegExp(`\\b${STATE_LABELS[other]}\\b`))
      }
    }
  })
})

it('within two minutes of its end a row is red, and so is every surface that speaks of it', () => {
  const requests = [quota('Positions', 320, 300, 20, { state: 'running-out', emptyAt: NOW_MS + 119_000 })]
  const at = snapshot({ requests })
  expect(headline(at, NOW_MS).severity).toBe('critical')
  expect(trayLine(at).severity).toBe('critical')
  expect(stripText([at], NOW_MS).severity).toBe('critical')
})
