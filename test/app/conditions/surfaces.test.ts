import { stateSentence } from '../../../app/conditions/messages/rows.ts'
import '../../renderer/utc.ts'
import { describe, expect, it } from 'vitest'
import { eventSentence } from '../../../app/conditions/event-sentence.ts'
import { aspectStatuses, headline, keyStatus, spokenText } from '../../../app/conditions/key-status.ts'
import type { AlertKind } from '../../../app/conditions/kinds.ts'
import { presentAlert } from '../../../app/conditions/messages/conditions.ts'
import type { MonitorEvent } from '../../../app/contract/events.ts'
import type { Severity } from '../../../app/contract/severity.ts'
import type {
  AccessSummary,
  QuotaState,
  RefreshSummary,
  RequestQuota,
  SlotQuota,
  Snapshot,
  StreamSummary,
} from '../../../app/contract/snapshot.ts'
import { verdictOf } from '../../../app/quota/verdict.ts'
import { quotaStatus, STATE_LABELS } from '../../../app/status/quota-status.ts'
import { slotStatus, streamStatus } from '../../../app/status/stream-status.ts'
import { accessStatus, refreshStatus } from '../../../app/status/token-status.ts'
import { trayLine } from '../../../main/hosts/desktop/tray.ts'
import { eventLine } from '../../../main/hosts/terminal/changes.ts'
import { renderTable } from '../../../main/hosts/terminal/table.ts'
import { accessText, refreshText } from '../../../renderer/format/token-text.ts'
import { stripText } from '../../../renderer/strip/strip-text.ts'
import { NOW_MS, quota, slots, snapshot, stream } from '../../renderer/fixtures.ts'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'

/** One row in each state, and the severity that every surface must show for it. */
const TABLE: Readonly<Record<QuotaState, readonly [severity: Severity, row: Partial<RequestQuota>]>> = {
  ok: ['ok', {}],
  watch: ['watch', { emptyFrom: NOW_MS + 214_000 }],
  low: ['warning', { level: 38, remaining: 38, low: 36, high: 40 }],
  'running-out': ['warning', { emptyAt: NOW_MS + 214_000 }],
  empty: ['critical', { level: 0, remaining: 0, low: 0, high: 2 }],
  blocked: ['critical', { blockedUntil: NOW_MS + 40_000, level: 0, remaining: 0, low: 0, high: 0 }],
  'not-checked': ['unknown', { low: 20, high: 300 }],
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
    expect(keyStatus(at, NOW_MS).name).toContain(label)
    expect(trayLine(at).text).toContain(label)
    const { name, note } = stripText([at], NOW_MS)
    expect(`${name} ${note}`).toContain(label)
    const table = renderTable(at, [], NOW_MS, { columns: 120, colour: false })
    expect(table.split('\n').find((line) => line.includes('/320'))).toMatch(new RegExp(`^${label} `))
  })

  it('shares no word with another state, nor uses an old one', () => {
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
        // The text for an empty row mentions the status that calls will get.
        if (state === 'empty' && other === 'blocked') continue
        expect(text).not.toMatch(new RegExp(`\\b${STATE_LABELS[other]}\\b`))
      }
    }
  })
})

it('an ok row that may not last is called ok so far and grey on every surface', () => {
  const at = snapshot({ requests: [quota('Positions', 320, 300, 318, { use: null })] })
  expect(headline(at, NOW_MS)).toMatchObject({
    severity: 'unknown',
    headline: 'All quotas look fine so far.',
  })
  expect(keyStatus(at, NOW_MS)).toMatchObject({ severity: 'unknown', label: 'ok so far' })
  expect(trayLine(at).severity).toBe('unknown')
  expect(trayLine(at).text).toContain('ok so far')
  const { severity, name, note } = stripText([at], NOW_MS)
  expect([severity, `${name} ${note}`]).toEqual(['unknown', expect.stringContaining('ok so far')])
  expect(renderTable(at, [], NOW_MS, { columns: 120, colour: false })).toContain(
    'All quotas look fine so far.',
  )
  expect(verdictOf(at.requests, at.service)).toEqual({ kind: 'unknown' })
})

it('an ok row that may be empty is called measuring and grey on every surface, and never ok', () => {
  const row = (low: number) => quota('Option Strikes', 90, 60, 90, { use: null, low, high: 90 })
  const at = snapshot({ requests: [row(0)] })
  const words = { severity: 'unknown', label: 'measuring' }
  expect(quotaStatus(row(0), NOW_MS)).toMatchObject(words)
  expect(keyStatus(at, NOW_MS)).toMatchObject(words)
  expect(aspectStatuses(at, NOW_MS)).toContainEqual({ aspect: 'quotas', name: 'Quotas', ...words })
  const table = renderTable(at, [], NOW_MS, { columns: 120, colour: false })
  expect(table).toMatch(/^measuring +Option Strikes .* 0–90\/90 /m)
  for (const text of [
    headline(at, NOW_MS).headline,
    stateSentence(row(0), NOW_MS),
    spokenText(at, NOW_MS),
    trayLine(at).text,
    table,
  ])
    expect(text).not.toMatch(/\bok\b|look fine/)
  // Even if others' use is known to be low.
  const use = { total: 0.1, own: 0.1, elsewhere: 0, elsewhereLow: 0, elsewhereHigh: 0 }
  expect(keyStatus(snapshot({ requests: [{ ...row(0), use }] }), NOW_MS)).toMatchObject(words)
  expect(quotaStatus(row(1), NOW_MS)).toMatchObject({ severity: 'ok', label: 'ok' })
})

it('a row within two minutes of its end is red on every surface', () => {
  const requests = [quota('Positions', 320, 300, 20, { state: 'running-out', emptyAt: NOW_MS + 119_000 })]
  const at = snapshot({ requests })
  expect(headline(at, NOW_MS).severity).toBe('critical')
  expect(trayLine(at).severity).toBe('critical')
  expect(stripText([at], NOW_MS).severity).toBe('critical')
})

/** How the terminal paints each severity: the codes of green, yellow, red and dim. */
const PAINT: Readonly<Record<Severity, string>> = {
  ok: '32',
  watch: '33',
  warning: '33',
  critical: '31',
  unknown: '2',
}

/** The line of the terminal's table that begins with `text`, and how its part with `label` is painted. */
function painted(at: Snapshot, begins: string): { readonly line: string; readonly code: string | undefined } {
  const start = String.fromCharCode(27)
  const bare = (line: string) => line.replaceAll(new RegExp(`${start}\\[\\d+m`, 'g'), '')
  const lines = renderTable(at, [], NOW_MS, { columns: 120, colour: true }).split('\n')
  const line = lines.find((one) => bare(one).startsWith(begins)) ?? ''
  return { line: bare(line), code: new RegExp(`${start}\\[(\\d+)m`).exec(line)?.[1] }
}

const ALERT_OF: Partial<Readonly<Record<QuotaState, AlertKind>>> = {
  low: 'low',
  'running-out': 'running-out',
  empty: 'empty',
  blocked: 'rate-limited',
}

it.each(Object.entries(ALERT_OF))(
  'the alert on the state "%s" has its severity and begins as its headline',
  (state, kind) => {
    const at = shown(state as QuotaState)
    const { severity, title } = presentAlert({ kind, subject: 'Positions' }, at, NOW_MS)
    expect(severity).toBe(TABLE[state as QuotaState][0])
    expect(`${headline(at, NOW_MS).headline} `).toContain(title)
  },
)

it('an alert describes the present, not the time it was raised', () => {
  const of = { kind: 'sign-in-ends', subject: '' } as const
  const at = snapshot({ refresh: { ...snapshot().refresh, endsAt: NOW_MS + 2_520_000 } })
  const body = (nowMs: number) => presentAlert(of, at, nowMs).body
  expect([body(NOW_MS), body(NOW_MS + 60_000)]).toEqual([
    expect.stringMatching(/^In 42 min\./),
    expect.stringMatching(/^In 41 min\./),
  ])
  expect(presentAlert({ kind: 'low', subject: 'Positions' }, shown('ok'), NOW_MS)).toEqual({
    severity: 'ok',
    title: 'Positions recovered',
    body: '250 of 320 left. No action needed. On Main key.',
  })
})

it('an alert of a key that still cannot call names the present cause, not a recovery', () => {
  const gone = BAD_DAYS['sign-in host unreachable, access expired'] as Snapshot
  expect(presentAlert({ kind: 'sign-in-host-unreachable', subject: '' }, gone, NOW_MS)).toMatchObject({
    severity: 'critical',
    title: 'Can’t reach the sign-in host',
  })
})

it('an alert of a quota that is now in another trouble names it, and no recovery', () => {
  const low = { kind: 'low', subject: 'Positions' } as const
  expect(presentAlert(low, shown('empty'), NOW_MS)).toMatchObject({
    severity: 'critical',
    title: 'Positions is empty',
  })
  const short = { kind: 'running-out', subject: 'Positions' } as const
  expect(presentAlert(short, shown('low'), NOW_MS).title).toBe('Positions is low')
  expect(presentAlert(low, snapshot({ refresh: REVOKED }), NOW_MS)).toMatchObject({ title: 'Revoked' })
})

it('a header or the lower bound announces a recovery, never the middle of an estimate', () => {
  const of = (more: Partial<RequestQuota>) => {
    const row = quota('Positions', 320, 300, 75, { state: 'ok', source: 'modelled', ...more })
    return presentAlert({ kind: 'rate-limited', subject: 'Positions' }, snapshot({ requests: [row] }), NOW_MS)
  }
  const unsure = { severity: 'unknown', title: 'Positions may have recovered' }
  expect(of({ low: 0, high: 150 })).toMatchObject(unsure)
  expect(of({ low: 0, high: 150 }).body).toBe('Waiting for the next header. No action needed. On Main key.')
  // The number of an unchecked row is from the last header, which arrived before the 429.
  expect(of({ state: 'not-checked', low: 75, high: 75 })).toMatchObject(unsure)
  expect(of({ low: 60, high: 90 }).body).toMatch(/^60 of 320 left\./)
  expect(of({ low: 20, high: 130 }).body).toMatch(/^20–130 of 320 left\./)
  expect(of({ low: 0, high: 76, source: 'header' })).toMatchObject({ severity: 'ok' })
})

const TOKENS: Readonly<Record<RefreshSummary['state'], readonly [severity: Severity, label: string]>> = {
  none: ['critical', 'signed out'],
  valid: ['ok', 'valid'],
  unconfirmed: ['warning', 'not confirmed yet'],
  'sign-in-required': ['critical', 'signed out'],
  revoking: ['warning', 'revoking'],
  'revoke-unconfirmed': ['critical', 'revocation not confirmed'],
  revoked: ['ok', 'revoked'],
}

const REVOKED: RefreshSummary = { ...snapshot().refresh, state: 'revoked', revokedAt: NOW_MS - 60_000 }

/** A healthy key, except for the given state of its tokens. */
const withTokens = (more: Partial<RefreshSummary>) => {
  const { refresh } = snapshot()
  const requests = [quota('Positions', 320, 300, 250)]
  return snapshot({ requests, refresh: { ...refresh, endsAt: NOW_MS + 36_000_000, ...more } })
}

describe.each([
  ...(Object.keys(TOKENS) as RefreshSummary['state'][]).map(
    (state) => [TOKENS[state][1], { state }] as const,
  ),
  ['key rejected', { state: 'sign-in-required', cause: 'misconfigured' }] as const,
])('a refresh token that is "%s"', (label, refresh) => {
  const [severity] = TOKENS[refresh.state]
  const at = withTokens(refresh)
  const isLiving = refresh.state === 'valid' || refresh.state === 'unconfirmed'

  it('has one severity on every surface', () => {
    expect(refreshStatus(at.refresh, NOW_MS)).toEqual({ severity, label })
    expect(refreshText(at.refresh, NOW_MS).severity).toBe(severity)
    expect(painted(at, 'refresh token').code).toBe(severity === 'ok' ? undefined : PAINT[severity])
    if (isLiving) return
    for (const surface of [
      keyStatus(at, NOW_MS),
      headline(at, NOW_MS),
      trayLine(at),
      stripText([at], NOW_MS),
    ]) {
      expect(surface.severity).toBe(severity)
    }
  })

  it('has one word on every surface', () => {
    const token = refreshText(at.refresh, NOW_MS)
    if (refresh.state !== 'valid') expect(`${token.value} ${token.note}`).toContain(label)
    expect(painted(at, 'refresh token').line).toContain(label)
    if (isLiving) return
    const texts = [
      keyStatus(at, NOW_MS).name,
      spokenText(at, NOW_MS),
      trayLine(at).text,
      stripText([at], NOW_MS).name,
    ]
    for (const text of texts) expect(text.toLowerCase()).toContain(label)
  })
})

it('the end of a sign-in needs attention at the same time on every surface', () => {
  for (const [leftMs, severity] of [
    [3_600_000, 'warning'],
    [900_000, 'critical'],
  ] as const) {
    const at = withTokens({ endsAt: NOW_MS + leftMs })
    const due = { ...logged, kind: 'sign-in-due', endsAt: NOW_MS + leftMs } as const
    expect(refreshText(at.refresh, NOW_MS).severity).toBe(severity)
    expect(painted(at, 'refresh token').code).toBe(PAINT[severity])
    expect(eventSentence(due).severity).toBe(severity)
    expect(presentAlert({ kind: 'sign-in-ends', subject: '' }, at, NOW_MS).severity).toBe(severity)
  }
})

it.each<[AccessSummary['state'], Severity, string]>([
  ['none', 'unknown', 'none'],
  ['valid', 'ok', 'valid'],
  ['refreshing', 'ok', 'refreshing'],
  ['expired', 'warning', 'expired'],
])('an access token that is "%s" has one severity and one word', (state, severity, label) => {
  const access: AccessSummary = { state, scopes: [] }
  expect(accessStatus(access, NOW_MS)).toEqual({ severity, label })
  expect(accessText({ access }, NOW_MS)).toMatchObject({ severity, value: label })
  const { line } = painted({ ...withTokens({}), access }, 'access token')
  expect(line).toContain(label)
})

const STREAMS: Readonly<Record<StreamSummary['state'], readonly [severity: Severity, label: string]>> = {
  opening: ['unknown', 'opening'],
  snapshot: ['ok', 'snapshot'],
  live: ['ok', 'live'],
  stale: ['warning', 'silent'],
  waiting: ['warning', 'waiting'],
  closed: ['unknown', 'closed'],
}

it.each(Object.entries(STREAMS))(
  'a stream that is "%s" has one severity and one word',
  (state, [severity, label]) => {
    const one = stream('s1', 'Order Stream', 'SIM1', { state: state as StreamSummary['state'] })
    const at = snapshot({ streams: [one], slots: [] })
    expect(streamStatus(one)).toEqual({ severity, label })
    const { line, code } = painted(at, 'Order Stream ')
    expect(line).toContain(` ${label} `)
    expect(code).toBe(PAINT[severity])
    if (state !== 'stale') return
    const alert = presentAlert({ kind: 'streams-silent', subject: '' }, at, NOW_MS)
    expect([alert.severity, alert.title]).toEqual([severity, expect.stringContaining(label)])
  },
)

it.each<[SlotQuota, Severity, string]>([
  [{ ...slots('Order Stream', 40, 1, 0), source: 'default' }, 'unknown', ''],
  [slots('Order Stream', 40, 30, 5), 'ok', ''],
  [slots('Order Stream', 40, 30, 6), 'warning', '4 slots left'],
  [slots('Order Stream', 40, 30, 10), 'warning', 'full'],
])('slots have one severity and one word', (group, severity, label) => {
  expect(slotStatus(group)).toEqual({ severity, label })
  const at = snapshot({ slots: [group], streams: [] })
  const start = String.fromCharCode(27)
  const line = renderTable(at, [], NOW_MS, { columns: 120, colour: true })
    .split('\n')
    .find((one) => one.includes('/40'))
  for (const one of ['warning', 'critical'] as const) {
    expect(line?.includes(`${start}[${PAINT[one]}m`)).toBe(severity === one)
  }
})

const logged = { seq: 1, at: NOW_MS, profile: 'main' } as const

it.each<[MonitorEvent, RefreshSummary['state']]>([
  [{ kind: 'sign-in-required', reason: 'x' }, 'sign-in-required'],
  [{ kind: 'sign-in-required', reason: 'x', cause: 'misconfigured' }, 'sign-in-required'],
  [{ kind: 'revoke-unconfirmed', reason: 'x' }, 'revoke-unconfirmed'],
])('an event that begins a state has that state’s severity and word', (event, state) => {
  const cause = event.kind === 'sign-in-required' ? event.cause : undefined
  const { severity, label } = refreshStatus({ state, ...(cause && { cause }) }, NOW_MS)
  const sentence = eventSentence({ ...event, ...logged })
  expect(sentence.severity).toBe(severity)
  expect(sentence.text.toLowerCase()).toContain(label)
})

it('the terminal describes an event like the window, with a countdown instead of a time of day', () => {
  const event = { ...logged, kind: 'rate-limited', category: 'Positions', retryAt: NOW_MS + 40_000 } as const
  expect(eventSentence(event).text).toBe('429 on Positions · safe to retry at 14:31:45')
  expect(eventLine(event)).toBe('429 on Positions · safe to retry in 40 s')
  expect(eventLine({ ...event, requestId: 'r-1' })).toBe(
    '429 on Positions · safe to retry in 40 s · request r-1',
  )
})
