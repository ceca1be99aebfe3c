import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Frame, frameOf } from '../../../app/streams/frames.ts'
import { proves } from '../../proof/proves.ts'
import { lawRuns } from '../../thorough.ts'
import { spelledJson } from './spelled-json.ts'

describe('each shape of service 12', () => {
  test.each<[string, Frame]>([
    ['{"Heartbeat":1,"Timestamp":"2026-01-01T00:00:00Z"}', { kind: 'heartbeat' }],
    ['{"StreamStatus":"EndSnapshot"}', { kind: 'end-snapshot' }],
    ['{"StreamStatus":"GoAway"}', { kind: 'going-away' }],
    ['{"Error":"GoAway","Message":"bye"}', { kind: 'going-away' }],
    ['{"Symbol":"X","Error":"DualLogon"}', { kind: 'fatal', error: 'DualLogon' }],
    ['{"Error":"DualLogon"}', { kind: 'fatal', error: 'DualLogon' }],
    ['{"Symbol":"X","Error":"InternalServerError"}', { kind: 'fatal', error: 'InternalServerError' }],
    [
      '{"Symbol":"X","Error":"FAILED, EX_NOT_ENTITLED"}',
      { kind: 'symbol-error', symbol: 'X', error: 'FAILED, EX_NOT_ENTITLED' },
    ],
    [
      '{"Symbol":"X","Error":"EX_INVALID_SYMBOL"}',
      { kind: 'symbol-error', symbol: 'X', error: 'EX_INVALID_SYMBOL' },
    ],
    ['{"Symbol":"MSFT","Last":"1"}', { kind: 'data' }],
    ['{"Symbol":"MSFT","Error":""}', { kind: 'data' }],
    ['{"Symbol":"MSFT","Error":null}', { kind: 'data' }],
    ['{}', { kind: 'data' }],
    ['END', { kind: 'ended', text: 'END' }],
    [' END\r', { kind: 'ended', text: 'END' }],
    [
      'ERROR - A Timeout Occurred after waiting 15000ms',
      { kind: 'ended', text: 'ERROR - A Timeout Occurred after waiting 15000ms' },
    ],
    ['<html>', { kind: 'noise' }],
    ['[]', { kind: 'noise' }],
    ['null', { kind: 'noise' }],
    ['"GoAway"', { kind: 'noise' }],
    ['{"StreamStatus":"GoAway"', { kind: 'noise' }],
    ['THE END', { kind: 'noise' }],
  ])('%s', (line, frame) => expect(frameOf(line)).toEqual(frame))
})

test('words inside data are no status: only the top level counts', () => {
  for (const line of [
    '{"Symbol":"GoAway","Last":"1"}',
    '{"Order":{"StreamStatus":"GoAway","Error":"DualLogon","Heartbeat":1}}',
    '{"Text":"{\\"StreamStatus\\":\\"GoAway\\"}"}',
    '{"streamstatus":"GoAway"}',
    '{"StreamStatus":["GoAway"]}',
    '{"Legs":["Error","DualLogon"]}',
  ]) {
    expect(frameOf(line), line).toEqual({ kind: 'data' })
  }
})

/** The reference: a full parse, then the rules as they are written. */
function byFullParse(line: string): Frame['kind'] {
  const value = JSON.parse(line) as { StreamStatus?: unknown; Error?: unknown; Symbol?: unknown }
  if (value.StreamStatus === 'GoAway' || value.Error === 'GoAway') return 'going-away'
  if (value.StreamStatus === 'EndSnapshot') return 'end-snapshot'
  if (typeof value.Error === 'string' && value.Error !== '') {
    const isFatal = value.Error === 'DualLogon' || value.Error === 'InternalServerError'
    return typeof value.Symbol === 'string' && !isFatal ? 'symbol-error' : 'fatal'
  }
  return Object.hasOwn(value, 'Heartbeat') ? 'heartbeat' : 'data'
}

test('classification equals a full parse for any key order, white space and escapes', () => {
  const runs = lawRuns(100_000)
  const name = fc.constantFrom(
    'StreamStatus',
    'Error',
    'Symbol',
    'Heartbeat',
    'Timestamp',
    'Last',
    '__proto__',
  )
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      'GoAway',
      'EndSnapshot',
      'DualLogon',
      'InternalServerError',
      'EX_INVALID_SYMBOL',
    ),
    fc.constantFrom<unknown>('MSFT', '', 'é😀"\\', 1, null, true, { Error: 'DualLogon' }, ['GoAway']),
  )
  const fields = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 6 })
  const turns = fc.array(fc.nat(100), { minLength: 7, maxLength: 7 })
  fc.assert(
    fc.property(fields, turns, (pairs, chances) => {
      const line = spelledJson(pairs, chances)
      if (frameOf(line).kind !== byFullParse(line)) {
        expect.fail(`${line} is ${byFullParse(line)}, was called ${frameOf(line).kind}`)
      }
    }),
    { numRuns: runs },
  )
  proves('S1', { level: 2, cases: runs })
})

test('cuts a server’s text to the length that a window shows', () => {
  const long = 'x'.repeat(100_000)
  const cuts = [
    frameOf(JSON.stringify({ Symbol: long, Error: long })),
    frameOf(JSON.stringify({ Error: long })),
    frameOf(`ERROR ${long}`),
  ]
  for (const cut of cuts) expect(JSON.stringify(cut).length).toBeLessThan(300)
})

test('no line makes it throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (line) => {
      expect(frameOf(line)).toHaveProperty('kind')
    }),
    { numRuns: lawRuns(10_000) },
  )
})
