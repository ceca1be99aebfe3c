import { expect, test } from 'vitest'
import { failureText, type SignInFailure } from '../../../app/sign-in/failure.ts'

const ALL: readonly SignInFailure[] = [
  { kind: 'ports-taken' },
  { kind: 'no-loopback', why: 'EPERM' },
  { kind: 'declined' },
  { kind: 'refused', error: 'invalid_scope' },
  { kind: 'expired' },
  { kind: 'cancelled' },
  { kind: 'code-refused' },
  { kind: 'misconfigured' },
  { kind: 'later', why: 'the sign-in host responded 503' },
  { kind: 'not-sent', why: 'connection refused' },
  { kind: 'answer-lost', why: 'connection lost' },
  { kind: 'no-refresh-token' },
]

test('names taken ports, with what to do', () => {
  expect(failureText({ kind: 'ports-taken' })).toEqual({
    code: 'ports-taken',
    message: 'Ports 31022, 8080, 3001 and 3000 are in use. Close the program on one of them, then retry.',
  })
})

test.each(ALL)('$kind is described in a sentence with its consequence', (failure) => {
  const { code, message } = failureText(failure)
  expect(code).toBe(failure.kind)
  expect(message).toMatch(/^[A-Z][^.]+\. [A-Z].*\.$/)
})
