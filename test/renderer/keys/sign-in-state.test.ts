import { describe, expect, it } from 'vitest'
import { ASKING, answered, firstSentence, IDLE, withStatus } from '../../../renderer/keys/sign-in-state.ts'

const STARTED = { ok: true, signIn: 'mine', url: 'https://signin.test/', opened: false, endsAt: 0 } as const
const WAITING = { kind: 'waiting', signIn: 'mine', url: 'https://signin.test/', opened: false } as const
const FAILED = {
  state: 'failed',
  signIn: 'mine',
  code: 'declined',
  message: 'You declined. Nothing was stored.',
} as const

describe('an attempt to get tokens', () => {
  it('waits for the browser, then is done', () => {
    expect(answered(ASKING, STARTED)).toEqual(WAITING)
    expect(withStatus(WAITING, { state: 'done', signIn: 'mine', profile: 'key-1' })).toEqual({
      kind: 'done',
      profile: 'key-1',
    })
  })

  it('accepts a push that arrives before main has returned its sign-in', () => {
    const heard = withStatus(withStatus(ASKING, { ...FAILED, signIn: 'other' }), FAILED)
    expect(answered(heard, STARTED)).toEqual({ kind: 'failed', code: 'declined', message: FAILED.message })
  })

  it('is not ended by the sign-in of another window', () => {
    expect(withStatus(WAITING, { ...FAILED, signIn: 'other' })).toBe(WAITING)
    expect(withStatus(IDLE, FAILED)).toBe(IDLE)
  })

  it('keeps waiting with a notice', () => {
    const notice = { state: 'waiting', signIn: 'mine', endsAt: 0, opened: false, notice: 'Ignored.' } as const
    expect(withStatus(WAITING, notice)).toEqual({ ...WAITING, notice: 'Ignored.' })
  })

  it('shows that the sign-in host is unresponsive as long as that lasts', () => {
    const away = answered(ASKING, { ...STARTED, unreachable: 'connection refused' })
    expect(away).toEqual({ ...WAITING, unreachable: 'connection refused' })
    expect(withStatus(away, { state: 'waiting', signIn: 'mine', endsAt: 0, opened: true })).toEqual({
      ...WAITING,
      opened: true,
    })
  })

  it('with a pasted token is done with the response', () => {
    expect(answered(ASKING, { ok: true, profile: 'key-1' })).toEqual({ kind: 'done', profile: 'key-1' })
  })

  it('asks the person while a revocation is unconfirmed, and shows every other error', () => {
    const refusal = { ok: false, code: 'revoke-pending', message: 'Not confirmed.' } as const
    expect(answered(ASKING, refusal)).toEqual({ kind: 'blocked', message: 'Not confirmed.' })
    expect(answered(ASKING, { ...refusal, code: 'ports-taken' })).toMatchObject({
      kind: 'failed',
      code: 'ports-taken',
    })
  })

  it('that was cancelled does not return with a late response', () => {
    expect(answered(IDLE, STARTED)).toBe(IDLE)
  })
})

it('the first sentence of a failure is its title', () => {
  expect(firstSentence('Ports 1, 2 are taken. Close one. Try again.')).toEqual({
    title: 'Ports 1, 2 are taken',
    text: 'Close one. Try again.',
  })
  expect(firstSentence('Nothing else.')).toEqual({ title: 'Nothing else.', text: '' })
})
