import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contract } from '../../../app/contract/contract.ts'
import { lawRuns } from '../../thorough.ts'
import { type CommandName, GOOD_ARGUMENTS } from './good-arguments.ts'

const parse = (name: CommandName, value: unknown): unknown => contract[name].parse(value)

/** Optional fields, which the tests also leave out. */
const OPTIONAL = [
  'options',
  'authUrl',
  ...['connect', 'startSignIn'].map((name) => `name of ${name}`),
  'extraScopes',
  'category of setAlertThreshold',
  'below',
  'probesEnabled',
  'budgetFraction',
  'symbol',
  'everySeconds',
  'trialAfterStep',
  'rotationMinutes',
  'replace of openStream',
  'inSeconds of closeStream',
  'port of setGateway',
  'ending of allowOrders',
  'profile of stopOrders',
  'maxOrders of addProgram',
  ...['createDesk', 'joinDesk'].flatMap((name) => [
    `name of ${name}`,
    `tlsCa of ${name}`,
    `credentials of ${name}`,
  ]),
  'snoozedUntil',
  'quietHours',
  'urgentBypass',
]
/** Fields that `null` removes. */
const NULLABLE = ['snoozedUntil', 'quietHours']
const isOptional = (name: CommandName, field: string) =>
  OPTIONAL.includes(field) || OPTIONAL.includes(`${field} of ${name}`)
const entries = Object.entries(GOOD_ARGUMENTS) as [CommandName, Record<string, unknown>][]
const NO_ARGUMENT = [
  'hello',
  'snapshots',
  'storage',
  'alerts',
  'allowUnprotected',
  'unlockKeys',
  'showDataFolder',
  'windows',
  'updates',
  'gateway',
  'closedAlerts',
  'alertPreferences',
  'timeZone',
] as const

test('every command is covered here', () => {
  const commands = Object.entries(contract).filter(([, entry]) => entry.kind === 'command')
  expect([...entries.map(([name]) => name), ...NO_ARGUMENT].sort()).toEqual(
    commands.map(([name]) => name).sort(),
  )
})

/** Whether a value means the same as a missing field. */
const isEmpty = (value: unknown) =>
  value === undefined || value === '' || (typeof value === 'object' && value !== null)

test.each(entries)('%s accepts a valid argument', (name, good) => {
  expect(parse(name, good)).toEqual(good)
})

test.each(entries)('%s rejects a missing field, an extra one, and one of every wrong type', (name, good) => {
  const wrong = [
    undefined,
    null,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    '',
    [],
    {},
    () => 0,
    Symbol('x'),
    1n,
  ]
  for (const field of Object.keys(good)) {
    const { [field]: _left, ...rest } = good
    if (!isOptional(name, field)) expect(() => parse(name, rest), `without ${field}`).toThrow()
    for (const value of wrong) {
      if (isOptional(name, field) && isEmpty(value)) continue
      if (NULLABLE.includes(field) && value === null) continue
      expect(() => parse(name, { ...good, [field]: value }), `${field}: ${String(value)}`).toThrow()
    }
  }
  expect(() => parse(name, { ...good, extra: 1 })).toThrow()
  const mayBeBare = Object.keys(good).every((field) => isOptional(name, field))
  for (const value of wrong) {
    // A change without any field is valid too.
    if (mayBeBare && Object.prototype.toString.call(value) === '[object Object]') continue
    expect(() => parse(name, value)).toThrow()
  }
})

describe('bounds, at both sides', () => {
  const history = (fields: object) => () => parse('history', { ...GOOD_ARGUMENTS.history, ...fields })
  test('of points', () => {
    expect(history({ points: 2 })).not.toThrow()
    expect(history({ points: 1 })).toThrow()
    expect(history({ points: 301 })).toThrow()
    expect(history({ points: 2.5 })).toThrow()
  })
  test('of texts', () => {
    const ofProfile = (length: number) => () => parse('revoke', { profile: 'x'.repeat(length) })
    expect(ofProfile(64)).not.toThrow()
    expect(ofProfile(65)).toThrow()
    const token = (length: number) => () =>
      parse('connect', { ...GOOD_ARGUMENTS.connect, refreshToken: 'x'.repeat(length) })
    expect(token(4_096)).not.toThrow()
    expect(token(4_097)).toThrow()
  })
  test('of a stream’s options', () => {
    const options = (count: number) => () =>
      parse('openStream', {
        ...GOOD_ARGUMENTS.openStream,
        options: Object.fromEntries(Array.from({ length: count }, (_, index) => [`o${index}`, '1'])),
      })
    expect(options(16)).not.toThrow()
    expect(options(17)).toThrow()
  })
  test.each([
    ['budgetFraction', 0.001, 0.2],
    ['rotationMinutes', 1, 1440],
  ])('of %s', (field, least, most) => {
    const set = (value: number) => () => parse('setKeySettings', { profile: 'p', [field]: value })
    for (const value of [least, most]) expect(set(value)).not.toThrow()
    for (const value of [least * 0.99, most * 1.01]) expect(set(value)).toThrow()
  })
  test('of intervals between probes', () => {
    const every =
      (seconds: number, count = 1) =>
      () =>
        parse('setKeySettings', {
          profile: 'p',
          everySeconds: Object.fromEntries(
            Array.from({ length: count }, (_, index) => [`c${index}`, seconds]),
          ),
        })
    for (const seconds of [0, 1, 86_400]) expect(every(seconds)).not.toThrow()
    for (const seconds of [0.99, 86_401]) expect(every(seconds)).toThrow()
    expect(every(30, 32)).not.toThrow()
    expect(every(30, 33)).toThrow()
  })
  test('of kinds and environments', () => {
    expect(() => parse('openStream', { ...GOOD_ARGUMENTS.openStream, kind: 'everything' })).toThrow()
    expect(() => parse('openStream', { ...GOOD_ARGUMENTS.openStream, kind: 'constructor' })).toThrow()
    expect(() => parse('connect', { ...GOOD_ARGUMENTS.connect, environment: 'simulator' })).toThrow()
  })
})

test('a payload cannot reach a prototype', () => {
  const hostile = JSON.parse('{"profile":"p","kind":"quotes","target":"X","options":{"__proto__":"x"}}')
  try {
    const parsed = parse('openStream', hostile) as { options?: object }
    expect(Object.getPrototypeOf(parsed.options ?? {})).toBe(Object.prototype)
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
  }
  expect(() => parse('revoke', JSON.parse('{"profile":"p","__proto__":{"x":1}}'))).toThrow()
  expect(({} as { x?: unknown }).x).toBeUndefined()
})

/** Printed with a failure, so that the failure can be repeated. */
const seed = Date.now() % 2 ** 31
/** Each value is tried as a payload and as a field of another payload. */
const HOSTILE_VALUES = lawRuns(5_000)
/** Made once for all channels, because making them takes longer than rejecting them. */
const hostileValues = fc.sample(
  fc.anything({ maxDepth: 2, withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
  { seed, numRuns: HOSTILE_VALUES },
)

test(`hostile payloads are rejected or parse as what they claim to be, on every channel (seed ${seed})`, () => {
  for (const [name, good] of entries) {
    const fields = [...Object.keys(good), '__proto__', 'extra']
    /** `good` with one field that is `odd`, each field in turn. */
    const near = (odd: unknown, index: number) => {
      const copy: Record<string, unknown> = { ...good }
      const field = fields[index % fields.length] ?? ''
      return Object.defineProperty(copy, field, { value: odd, enumerable: true, configurable: true })
    }
    const wrong: unknown[] = []
    for (const [index, value] of hostileValues.entries()) {
      for (const payload of [value, near(value, index)]) {
        let parsed: unknown
        try {
          parsed = parse(name, payload)
        } catch (error) {
          if (!(error instanceof Error)) wrong.push({ payload, error })
          continue
        }
        const said = parsed as Record<string, unknown>
        const isAsClaimed = Object.entries(good).every(
          ([field, wanted]) =>
            said[field] === undefined ||
            (said[field] === null && NULLABLE.includes(field)) ||
            typeof said[field] === typeof wanted,
        )
        if (!isAsClaimed || JSON.stringify(parsed).length >= 20_000) wrong.push({ payload, parsed })
      }
    }
    expect(wrong, name).toEqual([])
  }
  for (const name of NO_ARGUMENT) {
    for (const value of hostileValues.slice(0, 100)) {
      if (value === undefined || value === null) continue
      expect(() => parse(name, value)).toThrow()
    }
  }
}, 60_000)

test.each(['a\u202eb', 'a\u2066b', 'a\nb', 'a\u0000b'])(
  'rejects a name that would reorder or hide the text around it: %j',
  (name) => {
    expect(() => parse('connect', { ...GOOD_ARGUMENTS.connect, name })).toThrow('control or text-direction')
    expect(() => parse('connect', { ...GOOD_ARGUMENTS.connect, clientId: name })).toThrow(
      'control or text-direction',
    )
  },
)
