import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contract } from '../../../app/contract/contract.ts'
import { argumentError } from '../../../main/hosts/argument-error.ts'

const errorOf = (command: keyof typeof contract, arg: unknown): string => {
  const entry = contract[command]
  if (entry.kind !== 'command') throw new Error(`${command} is no command`)
  try {
    entry.parse(arg)
  } catch (error) {
    return argumentError(command, error)
  }
  return 'parsed'
}

const key = { name: 'n', environment: 'live', clientId: 'c', refreshToken: 't' }
const query = { profile: 'p', category: 'c', fromMs: 0, toMs: 0, points: 2 }

describe('the line about an invalid argument', () => {
  it.each([
    ['hello', 3, 'hello: wrong argument for this command'],
    ['setVisible', null, 'setVisible: the argument must be an object'],
    ['connect', { ...key, name: 'n'.repeat(61) }, 'connect: name must be at most 60 characters long'],
    ['connect', { ...key, clientId: '' }, 'connect: clientId must be at least 1 character long'],
    ['connect', { ...key, refreshToken: 3 }, 'connect: refreshToken must be a string'],
    ['connect', { ...key, sent: 1 }, 'connect: the argument has an unknown field'],
    ['history', { ...query, points: 1 }, 'history: points must be at least 2'],
    ['history', { ...query, points: 2.5 }, 'history: points must be a whole number'],
    [
      'openStream',
      { profile: 'p', kind: 'positions', target: 't', options: { sent: 3 } },
      'openStream: options has an invalid part',
    ],
  ] as const)('%s with %j gives: %s', (command, arg, line) => {
    expect(errorOf(command, arg)).toBe(line)
  })

  it('never repeats a value or a name from the input', () => {
    const secret = 'S3CRET'
    const anything = fc.anything({
      key: fc.constantFrom(secret, 'profile', 'name', 'options', 'kind'),
      values: [fc.constant(secret), fc.integer(), fc.boolean(), fc.constant(null)],
      maxDepth: 3,
    })
    const commands = fc.constantFrom('connect', 'openStream', 'history', 'events', 'revoke') as fc.Arbitrary<
      keyof typeof contract
    >
    fc.assert(
      fc.property(commands, anything, (command, arg) => {
        expect(errorOf(command, arg)).not.toContain(secret)
        expect(errorOf(command, arg)).not.toContain('\n')
      }),
    )
  })

  it('is not used for an error that is not the parser’s', () => {
    expect(argumentError('x', new Error('S3CRET'))).not.toContain('S3CRET')
    expect(argumentError('x', undefined)).toBe('x: wrong argument for this command')
  })
})
