import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DESK_LIMITS, INVITATION } from '../../../app/contract/desk.ts'
import { type InvitationContent, invitationText, readInvitation } from '../../../main/desk/invitation.ts'
import { exampleMembership } from './example-desk.ts'

const { servers, secret, marks } = exampleMembership({ servers: ['nats://one:4222', 'tls://two:4222'] })
const invitation: InvitationContent = { servers, secret, marks }
const word = invitationText(invitation)

/** A word with a valid checksum, whatever its content. */
function checked(start: string, content: unknown): string {
  const text = `${start}${Buffer.from(JSON.stringify(content)).toString('base64url')}`
  const digest = createHash('sha256').update(text).digest().subarray(0, 6)
  return `${text}.${digest.toString('base64url')}`
}

const lineOf = (text: string) => {
  const reading = readInvitation(text)
  return reading.kind === 'malformed' ? reading.line : reading.kind
}

describe('an invitation', () => {
  test('is one word that reads back, also with line breaks in it, and looks like one', () => {
    expect(word).toMatch(/^headroom-desk-1\.[\w.-]+$/)
    expect(readInvitation(word)).toEqual({ kind: 'read', invitation })
    const broken = ` ${word.slice(0, 60)}\r\n${word.slice(60)}\n`
    expect(readInvitation(broken)).toEqual({ kind: 'read', invitation })
    expect(INVITATION.test(`--name=${word}`)).toBe(true)
    const { user: _, ...others } = marks
    const nameless = { ...invitation, marks: others }
    expect(readInvitation(invitationText(nameless))).toEqual({ kind: 'read', invitation: nameless })
  })

  test('contains no key, host, user or secret as text', () => {
    for (const text of [secret, 'client', 'api.test', 'auth0']) expect(word).not.toContain(text)
  })

  test('fits into the limit with as many and as long servers as a desk may have', () => {
    const most = Array.from({ length: DESK_LIMITS.servers }, () => 'n'.repeat(DESK_LIMITS.server))
    const longest = invitationText({ ...invitation, servers: most })
    expect(longest.length).toBeLessThanOrEqual(DESK_LIMITS.invitation)
    expect(readInvitation(longest).kind).toBe('read')
  })

  test('is incomplete wherever it is cut', () => {
    for (let length = 1; length < word.length; length += 1)
      expect(lineOf(word.slice(0, length))).toBe('The invitation is incomplete. Copy the whole word.')
  })

  test('with one wrong character is never read', () => {
    const characters = [...'ABCXYZabcxyz0189-_.é']
    fc.assert(
      fc.property(fc.nat(word.length - 1), fc.constantFrom(...characters), (at, character) => {
        fc.pre(word[at] !== character)
        const changed = `${word.slice(0, at)}${character}${word.slice(at + 1)}`
        expect(readInvitation(changed).kind).toBe('malformed')
      }),
    )
    const last = word.at(-1) === 'A' ? 'B' : 'A'
    const typo = 'The invitation has a typing error. Copy it again.'
    expect(lineOf(`${word.slice(0, -1)}${last}`)).toBe(typo)
    expect(lineOf(`${word}A`)).toBe(typo)
    expect(lineOf(`${word}.A`)).toBe(typo)
  })

  test('of another version says which Headroom to update', () => {
    const newer = 'The invitation is from a newer Headroom. Update this one.'
    expect(lineOf(word.replace('-1.', '-2.'))).toBe(newer)
    expect(lineOf(checked('headroom-desk-10.', {}))).toBe(newer)
    expect(lineOf(checked('headroom-desk-0.', {}))).toBe(UNLIKE)
    expect(lineOf(checked('headroom-desk-01.', {}))).toBe(UNLIKE)
  })

  test.each(['', 'nats://host:4222', 'headroom-desk-x.', word.slice(1), `x${word}`, '{}'])(
    'is not %j',
    (text) => {
      expect(lineOf(text)).toBe(UNLIKE)
    },
  )

  test.each([
    ['no content', 7],
    ['no server', { ...invitation, servers: [] }],
    ['too many servers', { ...invitation, servers: Array.from({ length: 9 }, () => 'nats://h') }],
    ['a short secret', { ...invitation, secret: 'short' }],
    ['no marks', { servers, secret }],
    ['more than it has', { ...invitation, more: true }],
  ])('with a valid checksum and %s is invalid', (_, content) => {
    expect(lineOf(checked('headroom-desk-1.', content))).toBe('The invitation is invalid. Ask for a new one.')
  })
})

const UNLIKE = 'Enter the whole invitation. It starts with headroom-desk-1.'
