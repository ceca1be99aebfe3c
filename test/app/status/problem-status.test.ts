import { stateSentence } from '../../../app/conditions/messages/rows.ts'
import '../../renderer/utc.ts'
import { expect, test } from 'vitest'
import { eventSentence } from '../../../app/conditions/event-sentence.ts'
import {
  aspectStatuses,
  headline,
  keyFindings,
  keyStatus,
  spokenText,
} from '../../../app/conditions/key-status.ts'
import { keyProblems, PROBLEM_LASTS_MS, shownProblem } from '../../../app/status/problem-status.ts'
import { quotaStatus } from '../../../app/status/quota-status.ts'
import { defaultQuota, NOW_MS, quota, snapshot } from '../../renderer/fixtures.ts'

const MINUTE = 60_000
const since = NOW_MS - 3 * MINUTE
const refused = (status: number, message?: string) => ({
  problem: { status, since, ...(message !== undefined && { message }) },
})
const unseen = (category: string, status: number, message?: string) => ({
  ...defaultQuota(category, 320, 300),
  ...refused(status, message),
})

test('a token that every request rejects is red on every surface, with the reason and what to do', () => {
  const at = snapshot({ requests: ['Accounts', 'Positions'].map((row) => unseen(row, 401, 'Expired')) })
  expect(headline(at, NOW_MS)).toEqual({
    severity: 'critical',
    headline: 'Token rejected (401) since 14:28.',
    detail: 'Check the key’s host. This key is set to LIVE. It says: “Expired”.',
  })
  const access = { ...at.access, issuedAt: NOW_MS }
  expect(headline({ ...at, access }, NOW_MS).detail).toMatch(
    /^Check the key’s host\. A new sign-in won’t help\./,
  )
  const custom = { ...at, profile: { ...at.profile, environment: 'custom' as const } }
  expect(headline(custom, NOW_MS).detail).toContain(` This key’s host is ${at.service.host}. It says`)
  expect(keyStatus(at, NOW_MS).name).toBe('Token rejected (401)')
  expect(keyStatus(at, NOW_MS).severity).toBe('critical')
  expect(spokenText(at, NOW_MS)).toBe('Token rejected (401).')
})

test('quotes the service with one full stop, and data that never arrived is not ok', () => {
  const at = snapshot({ requests: [unseen('Accounts', 401, 'The token is not accepted.')] })
  expect(headline(at, NOW_MS).detail).toMatch(/It says: “The token is not accepted.”$/)
  const data = aspectStatuses(at, NOW_MS).find(({ aspect }) => aspect === 'data')
  expect(data).toMatchObject({ severity: 'unknown', label: 'none yet' })
})

test.each([
  ['Positions', 'ReadAccount'],
  ['Quote Snapshot', 'MarketData'],
  ['MarketDepth Stream', 'Matrix'],
  ['Option Risk Reward', 'OptionSpreads'],
])('a 403 on %s names the scope %s', (category, scope) => {
  const at = snapshot({ requests: [quota('Accounts', 320, 300, 320), unseen(category, 403)] })
  const { severity, headline: said, detail } = headline(at, NOW_MS)
  expect(severity).toBe('warning')
  expect(said).toBe(`${category}: permission missing (403).`)
  expect(detail).toContain(`Sign in again with ${scope}.`)
})

test('a host without quota headers is reported as that, not as missing data', () => {
  const at = snapshot({ requests: [unseen('Accounts', 200)] })
  expect(headline(at, NOW_MS).headline).toBe('Accounts: no rate-limit headers.')
  expect(headline(at, NOW_MS).detail).toContain('Something may be intercepting traffic.')
  expect(headline(at, NOW_MS).headline).not.toContain('No data')
})

test('a row in worse trouble comes before a single rejected one', () => {
  const empty = quota('Positions', 320, 300, 0, { state: 'empty', low: 0, high: 0 })
  const at = snapshot({ requests: [unseen('Balances', 403), empty] })
  expect(headline(at, NOW_MS).headline).toContain('Positions is empty.')
  const dead = snapshot({ requests: [unseen('Balances', 401), unseen('Accounts', 401), empty] })
  expect(headline(dead, NOW_MS).headline).toContain('Token rejected (401)')
})

test('a 401 of a single row is that row’s, also without a sign-in host; any other is the token’s', () => {
  const [rejected, fine] = [unseen('Balances', 401), quota('Positions', 320, 300, 300)]
  const at = snapshot({ requests: [rejected, fine] })
  const alone = snapshot({
    requests: [{ ...rejected, problem: { ...rejected.problem!, alone: true } }, fine],
  })
  expect(headline(at, NOW_MS).headline).toContain('Token rejected (401)')
  expect(headline(alone, NOW_MS)).toMatchObject({
    severity: 'warning',
    headline: 'Balances: rejected (401).',
  })
  expect(spokenText(alone, NOW_MS)).toBe('Balances rejected.')
  const signInHost = { host: 'signin.test', why: 'timed out', since }
  expect(keyFindings({ ...at, signInHost }, NOW_MS).map(({ kind }) => kind)).toEqual(['sign-in-host-gone'])
  expect(keyFindings({ ...alone, signInHost }, NOW_MS)[1]?.title).toBe('Balances: rejected (401).')
})

test('missing permissions are one condition that names its rows and scopes, and explains those rows alone', () => {
  const low = (category: string) => quota(category, 320, 300, 30, { state: 'low', ...refused(403) })
  const requests = [
    low('Positions'),
    low('Quote Snapshot'),
    quota('Accounts', 320, 300, 30, { state: 'low' }),
  ]
  const at = snapshot({ requests })
  expect(headline(at, NOW_MS).headline).toBe(
    'Positions and Quote Snapshot: permission missing (403). Also: Accounts low.',
  )
  expect(keyStatus(at, NOW_MS).name).toBe('Permission missing on 2 quotas')
  expect(headline(at, NOW_MS).detail).toContain('Sign in again with ReadAccount and MarketData.')
})

test('a row shows rejected instead of ok or not checked, and keeps anything worse', () => {
  const ok = quota('Accounts', 320, 300, 320, refused(403))
  expect(quotaStatus(ok, NOW_MS)).toMatchObject({ severity: 'warning', label: 'no permission', note: '403' })
  expect(quotaStatus(unseen('Accounts', 401), NOW_MS)).toMatchObject({
    severity: 'warning',
    label: 'rejected',
    note: '401',
  })
  expect(stateSentence(ok, NOW_MS)).toBe('Accounts: permission missing (403).')
  const low = quota('Accounts', 320, 300, 30, { state: 'low', ...refused(403) })
  expect(quotaStatus(low, NOW_MS).label).toBe('low')
})

test('reports one failing response next to a number once it has lasted', () => {
  const row = (ageMs: number) =>
    quota('Accounts', 320, 300, 320, { problem: { status: 503, since: NOW_MS - ageMs } })
  expect(shownProblem(row(PROBLEM_LASTS_MS - 1), NOW_MS)).toBeUndefined()
  expect(shownProblem(row(PROBLEM_LASTS_MS), NOW_MS)).toBeDefined()
  const other = quota('Balances', 320, 300, 320)
  expect(keyProblems(snapshot({ requests: [row(1_000), other] }), NOW_MS)).toEqual([])
  expect(quotaStatus(row(PROBLEM_LASTS_MS), NOW_MS)).toMatchObject({ label: 'failing', note: '503' })
})

test('the event shows what was rejected, by whom, and what to do', () => {
  const event = { seq: 1, at: NOW_MS, profile: 'a', category: 'Positions', status: 403 } as const
  expect(eventSentence({ ...event, kind: 'requests-refused', message: 'Forbidden' })).toMatchObject({
    severity: 'warning',
    text: 'Positions: permission missing (403) · “Forbidden” · Sign in again with ReadAccount',
  })
  expect(eventSentence({ ...event, kind: 'requests-answered', since }).text).toBe(
    'Positions responds normally again · after 403 for 3 min 0 s',
  )
})

test('a row that main no longer pushes shows nothing of its last response', () => {
  const row = quota('Accounts', 320, 300, 320, refused(401))
  expect(quotaStatus(row, NOW_MS + 60_000).label).toBe('rejected')
  expect(quotaStatus(row, NOW_MS + 60_001).severity).toBe('unknown')
})
