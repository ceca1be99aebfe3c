import { describe, expect, it } from 'vitest'
import { sessionMoments } from '../../../app/status/regular-session.ts'

const at = (text: string) => Date.parse(text)
const of = (from: string, to: string) =>
  sessionMoments(at(from), at(to)).map((one) => `${one.kind} ${new Date(one.at).toISOString()}`)

describe('the regular session', () => {
  it('opens at 09:30 and closes at 16:00 in New York, in winter and in summer', () => {
    expect(of('2026-01-14T00:00:00Z', '2026-01-15T00:00:00Z')).toEqual([
      'open 2026-01-14T14:30:00.000Z',
      'close 2026-01-14T21:00:00.000Z',
    ])
    expect(of('2026-07-15T00:00:00Z', '2026-07-16T00:00:00Z')).toEqual([
      'open 2026-07-15T13:30:00.000Z',
      'close 2026-07-15T20:00:00.000Z',
    ])
  })
  it('shifts by an hour when the clock changes, and skips the weekend', () => {
    expect(of('2026-03-06T12:00:00Z', '2026-03-09T23:00:00Z')).toEqual([
      'open 2026-03-06T14:30:00.000Z',
      'close 2026-03-06T21:00:00.000Z',
      'open 2026-03-09T13:30:00.000Z',
      'close 2026-03-09T20:00:00.000Z',
    ])
    expect(of('2026-10-30T12:00:00Z', '2026-11-02T23:00:00Z')).toEqual([
      'open 2026-10-30T13:30:00.000Z',
      'close 2026-10-30T20:00:00.000Z',
      'open 2026-11-02T14:30:00.000Z',
      'close 2026-11-02T21:00:00.000Z',
    ])
  })
  it('is shown only within the range, its ends included', () => {
    expect(of('2026-01-14T14:30:00Z', '2026-01-14T14:30:00Z')).toEqual(['open 2026-01-14T14:30:00.000Z'])
    expect(of('2026-01-14T14:31:00Z', '2026-01-14T20:59:59Z')).toEqual([])
    expect(of('2026-01-17T00:00:00Z', '2026-01-19T00:00:00Z')).toEqual([])
  })
  it('follows New York’s days, which end after midnight UTC', () => {
    expect(of('2026-01-16T20:00:00Z', '2026-01-17T04:00:00Z')).toEqual(['close 2026-01-16T21:00:00.000Z'])
  })
  it('has ten times in a week', () => {
    expect(of('2026-01-12T05:00:00Z', '2026-01-19T05:00:00Z')).toHaveLength(10)
  })
})
