import '../utc.ts'
import { describe, expect, it } from 'vitest'
import { spokenVerdict, verdictSentence } from '../../../renderer/words/verdict-sentence.ts'
import { defaultQuota, NOW_MS, quota, REQUESTS, snapshot } from '../fixtures.ts'

describe('the verdict', () => {
  it('says which category runs out, when, who uses it and when more comes', () => {
    expect(verdictSentence(snapshot(), NOW_MS)).toEqual({
      severity: 'watch',
      headline: 'Positions runs out in 1 min 54 s at this rate. The rest lasts.',
      detail:
        'Other programs make 1.0 of its 1.4 requests a second. One returns every 0.94 s; full at 14:35:29 if use stops.',
    })
  })

  it('counts down without being spoken again', () => {
    const later = verdictSentence(snapshot(), NOW_MS + 60_000).headline
    expect(later).toBe('Positions runs out in 54 s at this rate. The rest lasts.')
    expect(spokenVerdict(snapshot())).toBe('Positions runs out at this rate.')
  })

  it('names another category that runs out or is held', () => {
    const held = REQUESTS.map((row) =>
      row.category === 'Accounts' ? { ...row, verdict: 'blocked' as const } : row,
    )
    expect(verdictSentence(snapshot({ requests: held }), NOW_MS).headline).toMatch(/Accounts is held too\.$/)
    const two = held.map((row) =>
      row.category === 'Balances' ? { ...row, verdict: 'runs-out' as const } : row,
    )
    expect(verdictSentence(snapshot({ requests: two }), NOW_MS).headline).toMatch(
      /2 others run out or are held too\.$/,
    )
  })

  it('says until when a category is held', () => {
    const verdict = { kind: 'blocked', category: 'Positions', at: NOW_MS + 300_000 } as const
    const said = verdictSentence(snapshot({ verdict }), NOW_MS)
    expect(said.severity).toBe('critical')
    expect(said.headline).toBe('Positions is held to 14:36:05. The rest lasts.')
    expect(said.detail).toContain('429')
  })

  it('names the tightest of what was seen when all last', () => {
    const requests = [
      quota('Accounts', 320, 300, 300),
      quota('Option Strikes', 90, 60, 55.5),
      { ...defaultQuota('TickBar Stream', 500, 300), level: 0 },
    ]
    expect(verdictSentence(snapshot({ requests, verdict: { kind: 'lasts' } }), NOW_MS)).toEqual({
      severity: 'ok',
      headline: 'All quotas last.',
      detail: 'Tightest: Option Strikes, 61 % left.',
    })
  })

  it('says nothing of the present where every header is old', () => {
    const old = snapshot({ verdict: { kind: 'unknown' } })
    const said = verdictSentence(old, NOW_MS + 600_000)
    expect(said).toMatchObject({ severity: 'unseen', headline: 'Nothing seen lately.' })
    expect(spokenVerdict({ ...old, at: NOW_MS + 600_000 })).toBe('Nothing seen lately.')
  })

  it('does not promise anything before a header was seen', () => {
    const said = verdictSentence(snapshot({ verdict: { kind: 'unknown' } }), NOW_MS)
    expect(said.headline).toBe('Nothing seen yet.')
    expect(said.detail).toContain('standard table')
  })

  it('says that a fixed window returns nothing before it ends', () => {
    const requests = [
      quota('Accounts', 250, 300, 10, {
        model: 'fixed',
        windowEndsAt: NOW_MS + 60_000,
        use: { total: 0.5, own: 0.5, elsewhere: 0 },
      }),
    ]
    const verdict = { kind: 'near-limit', category: 'Accounts' } as const
    expect(verdictSentence(snapshot({ requests, verdict }), NOW_MS)).toEqual({
      severity: 'watch',
      headline: 'Accounts is near its limit. The rest lasts.',
      detail:
        'This app makes all of its 0.5 requests a second. None returns before its window ends at 14:32:05.',
    })
  })
})
