import { expect, expectTypeOf, test } from 'vitest'
import { type AppContract, contract } from '../../../app/contract/contract.ts'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import { type Api, command, type Handlers, nothing, type Pushes, push } from '../../../app/contract/ipc.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import type { Hello } from '../../../app/contract/windows.ts'

/** A contract small enough to leave out one entry at a time. */
const small = {
  snapshot: command(nothing).returning<{ readonly revision: number }>(),
  rename: command({
    parse: (value: unknown): string => {
      if (typeof value !== 'string' || value === '') throw new TypeError('expected a name')
      return value
    },
  }).returning<{ readonly ok: boolean }>(),
  changed: push<{ readonly revision: number }>(),
} as const
type Small = typeof small

test('the three sides cannot drift: the compiler checks them', () => {
  const unused = () => {
    const api = {} as Api<Small>
    void api.rename('x')
    // @ts-expect-error an argument of another type
    void api.rename(3)
    // @ts-expect-error an argument for a command that takes none
    void api.snapshot('x')
    // @ts-expect-error no such command
    void api.readSecret()
    // @ts-expect-error a listener of something else
    api.changed((value: string) => value)

    // @ts-expect-error a command without a handler
    const missing: Handlers<Small> = { snapshot: () => ({ revision: 0 }) }
    const answers = { snapshot: () => ({ revision: 0 }), rename: () => ({ ok: true }) }
    const whole: Handlers<Small> = answers
    // @ts-expect-error a handler that answers something else
    const wrong: Handlers<Small> = { ...answers, rename: () => 'ok' }
    // @ts-expect-error a handler that takes something else
    const taking: Handlers<Small> = { ...answers, rename: (name: number) => ({ ok: name > 0 }) }
    // @ts-expect-error a push has no handler
    const handled: keyof Handlers<Small> = 'changed'
    // @ts-expect-error a command is not pushed
    const pushed: keyof Pushes<Small> = 'rename'
    // @ts-expect-error an entry that is neither
    const extra: Handlers<Small> = { ...answers, more: () => 0 }
    return [missing, whole, wrong, taking, handled, pushed, extra]
  }
  expect(unused).toBeTypeOf('function')
})

test('the window’s view of the app matches the contract', () => {
  type AppApi = Api<AppContract>
  expectTypeOf<AppApi['hello']>().returns.resolves.toEqualTypeOf<Hello>()
  expectTypeOf<AppApi['snapshots']>().returns.resolves.toEqualTypeOf<readonly Snapshot[]>()
  expectTypeOf<Parameters<AppApi['snapshotChanged']>[0]>().parameter(0).toEqualTypeOf<Snapshot>()
  expectTypeOf<Parameters<AppApi['eventHappened']>[0]>().parameter(0).toEqualTypeOf<LoggedEvent>()
  expectTypeOf<AppApi['snapshotChanged']>().returns.toEqualTypeOf<() => void>()
  expectTypeOf<Parameters<AppApi['revoke']>[0]>().toEqualTypeOf<{ profile: string }>()
})

test('no state in a window has a field for a secret', () => {
  type Keys<T> = T extends readonly (infer Item)[]
    ? Keys<Item>
    : T extends object
      ? { [K in keyof T & string]-?: K | Keys<Required<T>[K]> }[keyof T & string]
      : never
  type Secret = 'accessToken' | 'refreshToken' | 'access_token' | 'refresh_token' | 'clientSecret' | 'token'
  expectTypeOf<Extract<Keys<Snapshot>, Secret>>().toBeNever()
  expectTypeOf<Extract<Keys<LoggedEvent>, Secret>>().toBeNever()
})

test('a command keeps its parser, a push has none', () => {
  expect(small.rename.parse('x')).toBe('x')
  expect(() => small.rename.parse(3)).toThrow(TypeError)
  expect(small.changed).toEqual({ kind: 'push' })
  for (const entry of Object.values(contract)) {
    if (entry.kind === 'push') expect(entry).toEqual({ kind: 'push' })
    else expect(entry.parse).toBeTypeOf('function')
  }
})

test('a command without an argument accepts nothing, or null as JSON writes it', () => {
  expect(nothing.parse(undefined)).toBeUndefined()
  expect(nothing.parse(null)).toBeUndefined()
  for (const value of [0, '', false, {}, []]) expect(() => nothing.parse(value)).toThrow(TypeError)
})
