import { expect, test } from 'vitest'
import { alertWords } from '../../../app/alerts/words.ts'
import { snapshotOf } from '../../main/browser/fake-windows.ts'

test('the alert of a key that is not accepted says what to correct, and not to sign in', () => {
  const shown = snapshotOf('p1', 1)
  const ended = { ...shown.refresh, state: 'sign-in-required', reason: 'it was refused' } as const
  const said = (refresh: typeof shown.refresh) => alertWords('sign-in-required', '', { ...shown, refresh })
  expect(said(ended).title).toMatch(/^Sign in again/)
  const { title, body } = said({ ...ended, cause: 'misconfigured' })
  expect(title).toMatch(/^Key not accepted/)
  expect(body).toBe('it was refused: correct the secret, or connect the right key.')
})
