import { describe, expect, it } from 'vitest'
import { deskConditionMessage, ownShareText } from '../../../app/conditions/messages/desk.ts'
import { DESK, DESK_ALONE, snapshot } from '../../renderer/fixtures.ts'

const withShare = (share: number) =>
  ownShareText({ ...DESK_ALONE, queue: { mode: 'alone', members: 3, share } })

describe('the share of a machine that works alone', () => {
  it.each([
    [1, 'Using all of each quota.'],
    [1 / 2, 'Using half of each quota.'],
    [1 / 3, 'Using a third of each quota.'],
    [0.333, 'Using a third of each quota.'],
    [1 / 8, 'Using an eighth of each quota.'],
    [1 / 9, 'Using 1/9 of each quota.'],
    [0, 'This machine just joined: its requests wait up to 60 s.'],
  ])('of %d reads "%s"', (share, text) => {
    expect(withShare(share)).toBe(text)
  })

  it('is not mentioned while a dispatcher decides, and by versions without a queue', () => {
    expect(ownShareText(DESK)).toBe('')
    const { queue: _, ...former } = DESK_ALONE
    expect(ownShareText(former)).toBe('')
    expect(ownShareText(undefined)).toBe('')
    const { text } = deskConditionMessage('desk-unreachable', snapshot({ desk: former }))
    expect(text).toBe('The desk’s other machines now count as others.')
  })
})

it('names what to check: the server, its store, or the network if messages of a dispatcher arrive', () => {
  const actionOf = (desk: typeof DESK) => deskConditionMessage('desk-unreachable', snapshot({ desk })).action
  expect(actionOf(DESK_ALONE)).toBe('Check the NATS server.')
  expect(actionOf({ ...DESK_ALONE, engine: DESK.engine })).toBe('Check JetStream on the NATS server.')
  const { dispatcher = '' } = DESK
  expect(actionOf({ ...DESK_ALONE, engine: DESK.engine, dispatcher })).toBe(
    'Check the network to the NATS server.',
  )
})
