import '../../../renderer/utc.ts'
import { describe, expect, it } from 'vitest'
import type { RequestQuota, Snapshot } from '../../../../app/contract/snapshot.ts'
import { trayLine } from '../../../../main/hosts/desktop/tray.ts'
import { NOW_MS, quota, snapshot } from '../../../renderer/fixtures.ts'

const line = (changes: Partial<Snapshot>) => trayLine(snapshot(changes))
const positions = (more: Partial<RequestQuota>) =>
  line({ requests: [quota('Positions', 320, 300, 54, more)] })

describe('a profile in the tray', () => {
  it('is its worst quota, with a time instead of a countdown', () => {
    expect(positions({ state: 'low' })).toEqual({ severity: 'warning', text: 'Positions low 16 %' })
    const ends = { emptyFrom: NOW_MS + 214_000, emptyTo: NOW_MS + 290_000 }
    expect(positions({ state: 'running-out', ...ends })).toEqual({
      severity: 'warning',
      text: 'Positions running out 14:34–14:35',
    })
    expect(positions({ state: 'running-out', use: null }).text).toBe('Positions running out within 10 min')
    expect(positions({ state: 'watch', ...ends })).toEqual({
      severity: 'watch',
      text: 'Positions watch as early as 14:34',
    })
    expect(positions({ state: 'empty' })).toEqual({ severity: 'critical', text: 'Positions empty' })
    expect(positions({ state: 'blocked', blockedUntil: NOW_MS + 40_000 })).toEqual({
      severity: 'critical',
      text: 'Positions 429 until 14:31:45',
    })
    const later = line({
      at: NOW_MS + 1000,
      requests: [quota('Positions', 320, 300, 54, { state: 'blocked', blockedUntil: NOW_MS + 40_000 })],
    })
    expect(later.text).toBe('Positions 429 until 14:31:45')
  })

  it('names the tightest while all are ok, and the last data if none is recent', () => {
    const requests = [quota('Accounts', 320, 300, 200), quota('Positions', 320, 300, 195.9)]
    expect(line({ requests })).toEqual({ severity: 'ok', text: 'ok · tightest: Positions 60 %' })
    expect(line({ requests: [] })).toEqual({ severity: 'unknown', text: 'Quotas not checked · no data yet' })
    expect(positions({ state: 'not-checked', observedAt: NOW_MS - 240_000 }).text).toBe(
      'Quotas not checked · last data at 14:27',
    )
  })
})
