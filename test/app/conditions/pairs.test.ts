import '../../renderer/utc.ts'
import { describe, expect, it } from 'vitest'
import { AlertEngine } from '../../../app/alerts/engine.ts'
import { conditionsOf } from '../../../app/conditions/evaluate.ts'
import { healthOf, keyFindings, keyStatus, spokenText } from '../../../app/conditions/key-status.ts'
import type { ConditionKind } from '../../../app/conditions/kinds.ts'
import { type Severity, urgencyOf } from '../../../app/contract/severity.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { trayLine } from '../../../main/hosts/desktop/tray.ts'
import { renderTable } from '../../../main/hosts/terminal/table.ts'
import { stripText } from '../../../renderer/strip/strip-text.ts'
import { NOW_MS } from '../../renderer/fixtures.ts'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'

const ROWS = ['others-use-refill', 'own-use'] as const
const STREAMS = ['no-stream-data', 'slots-full'] as const
const ANSWERS = ['permission-missing', 'no-headers', ...ROWS, ...STREAMS] as const
const SERVICE = ['service-unreachable', 'service-failing', ...ANSWERS] as const
const CALLS = ['token-rejected', ...SERVICE] as const

interface Cause {
  readonly kind: ConditionKind
  readonly day: string
  readonly severity: Severity
  readonly explains: readonly ConditionKind[]
}

const cause = (
  kind: ConditionKind,
  day: string,
  severity: Severity,
  explains: readonly ConditionKind[] = [],
): Cause => ({ kind, day, severity, explains })

/**
 * The causes of a bad day, most important first. While a cause lasts, the causes that it explains can't be
 * the headline.
 */
const CAUSES: readonly Cause[] = [
  cause('order-unknown', 'order outcome unknown', 'critical'),
  cause('orders-failed', 'orders can’t be recorded', 'critical'),
  cause('keys-damaged', 'saved keys damaged', 'critical', ['signed-out', ...CALLS]),
  cause('keys-unreadable', 'saved keys unreadable', 'critical', ['signed-out', ...CALLS]),
  cause('keys-locked', 'keyring locked', 'critical', ['signed-out', ...CALLS]),
  cause('keys-sealed-elsewhere', 'keys sealed elsewhere', 'critical', ['signed-out', ...CALLS]),
  cause('hosts-unreachable', 'both hosts unreachable', 'critical', ['desk-unreachable', ...CALLS]),
  cause('sign-in-host-gone', 'sign-in host unreachable, access expired', 'critical', CALLS),
  cause('sign-in-host-unreachable', 'sign-in host unreachable, access works', 'warning'),
  cause('signed-out', 'signed out', 'critical', CALLS),
  cause('key-rejected', 'key not accepted', 'critical', CALLS),
  cause('revoked', 'revoked here', 'ok', ['token-not-saved', ...CALLS]),
  cause('revocation-unconfirmed', 'revocation not confirmed', 'critical', CALLS),
  cause('token-rejected', 'token rejected (401)', 'critical', ANSWERS),
  cause('service-unreachable', 'service unreachable', 'critical', ['service-failing', ...ANSWERS]),
  cause('service-failing', 'service answers 503', 'critical', ANSWERS),
  cause('permission-missing', 'permission missing (403)', 'warning', ROWS),
  cause('no-headers', 'responses without rate-limit headers', 'warning', ROWS),
  cause('no-stream-data', 'no stream receives data', 'critical'),
  cause('token-not-saved', 'token not saved', 'critical', ['history-paused']),
  cause('desk-refused', 'desk secret replaced', 'warning'),
  cause('desk-unreachable', 'desk unreachable', 'warning'),
  cause('history-paused', 'disk full', 'warning'),
  cause('others-use-refill', 'others use the whole refill, 429', 'critical'),
  cause('own-use', 'own programs use it up', 'critical'),
  cause('slots-full', 'slots full', 'warning'),
]

const dayOf = ({ day }: Cause) => BAD_DAYS[day] as Snapshot
const CALM = BAD_DAYS['all is well'] as Snapshot
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/**
 * A key with the conditions of both bad days. If both change the same field, the value of `second` applies.
 */
function bothOf(first: Snapshot, second: Snapshot): Snapshot {
  const changes = (day: Snapshot) =>
    Object.fromEntries(
      Object.entries(day).filter(([field, value]) => !isSame(value, CALM[field as keyof Snapshot])),
    )
  const requests = CALM.requests.map((calm) => {
    const [before, after] = [first, second].map(
      ({ requests: rows }) => rows.find(({ category }) => category === calm.category) ?? calm,
    )
    return after === undefined || isSame(after, calm) ? (before ?? calm) : after
  })
  return { ...CALM, ...changes(first), ...changes(second), requests }
}

/** The pairs that can be true at once, each in both orders of their fields. */
const PAIRS = CAUSES.flatMap((upper, at) =>
  CAUSES.slice(at + 1).flatMap((lower) =>
    [bothOf(dayOf(upper), dayOf(lower)), bothOf(dayOf(lower), dayOf(upper))].flatMap((key) => {
      const { roots, consequences } = conditionsOf(key, NOW_MS)
      const kinds = [...roots, ...consequences].map(({ kind }) => kind)
      return kinds.includes(upper.kind) && kinds.includes(lower.kind) ? [{ upper, lower, key }] : []
    }),
  ),
)

/**
 * The headline of a pair: the one that causes the other, otherwise the more severe one, otherwise `upper`.
 */
function headlineOf(upper: Cause, lower: Cause): Cause {
  if (upper.explains.includes(lower.kind)) return upper
  if (lower.explains.includes(upper.kind)) return lower
  return urgencyOf(lower.severity) > urgencyOf(upper.severity) ? lower : upper
}

describe('of two causes at once', () => {
  it('289 of 325 pairs can be true together', () => {
    const pairs = new Set(PAIRS.map(({ upper, lower }) => `${upper.kind} ${lower.kind}`))
    expect(pairs.size).toBe(289)
  })

  it.each(PAIRS)('$upper.kind and $lower.kind: the cause is the headline, on every surface', (pair) => {
    const { upper, lower, key } = pair
    const first = headlineOf(upper, lower)
    const second = first === upper ? lower : upper
    const [top, ...others] = keyFindings(key, NOW_MS)
    expect(top?.kind).toBe(first.kind)
    const isRoot = others.some(({ kind }) => kind === second.kind)
    expect(isRoot).toBe(!first.explains.includes(second.kind))
    const [title, name] = [top?.title ?? '', top?.name ?? '']
    expect(healthOf(key, NOW_MS)).toMatchObject({ cause: first.kind, severity: top?.severity })
    expect(keyStatus(key, NOW_MS)).toMatchObject({ title, name })
    expect(spokenText(key, NOW_MS)).toBe(`${name}.`)
    expect(trayLine(key).text.startsWith(name)).toBe(true)
    expect(name.startsWith(stripText([key], NOW_MS).name)).toBe(true)
    expect(renderTable(key, [], NOW_MS, { columns: 400, colour: false }).startsWith(title)).toBe(true)
    const alerts = alertsOf(key)
    expect(alerts.filter(({ kind }) => first.explains.some((one) => one === kind))).toEqual([])
    expect(alerts.map(({ severity }) => urgencyOf(severity))).toEqual(
      alerts.map(({ severity }) => urgencyOf(severity)).toSorted((a, b) => b - a),
    )
  })
})

/** The alerts of a key whose conditions have lasted for two minutes. */
function alertsOf(key: Snapshot) {
  const engine = new AlertEngine()
  for (let ageMs = 120_000; ageMs >= 0; ageMs -= 5_000) {
    const requests = key.requests.map((row) =>
      row.observedAt === undefined ? row : { ...row, observedAt: row.observedAt - ageMs },
    )
    engine.observe({ ...key, at: key.at - ageMs, requests })
  }
  return engine.alerts()
}
