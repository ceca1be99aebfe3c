import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  deskNames,
  frameHead,
  MAX_ENVELOPE_BYTES,
  MAX_SEALED_BYTES,
  openFrame,
  runKey,
  sealFrame,
  subjectOfAll,
  subjectOfMember,
} from '../../../main/desk/envelope.ts'

const SECRET = Buffer.alloc(32, 7).toString('base64url')
const OTHER_SECRET = Buffer.alloc(32, 8).toString('base64url')
const RUN = { member: '0123456789abcdef', run: 'aa'.repeat(16) }
const SUBJECT = subjectOfAll(deskNames(SECRET))
const key = runKey(SECRET, RUN)
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString()

const sealed = (counter: number, plain = 'a message') =>
  sealFrame(key, { ...RUN, counter }, { subject: SUBJECT, bytes: Buffer.from(plain) })

describe('a frame', () => {
  it('opens with the key of its run, on its subject', () => {
    const frame = sealed(5)
    expect(frameHead(frame)).toEqual({ ...RUN, counter: 5 })
    expect(text(openFrame(key, frame, SUBJECT))).toBe('a message')
  })

  it('does not open after any of its bits was changed', () => {
    const frame = sealed(5)
    for (let at = 0; at < frame.length * 8; at += 1) {
      const changed = frame.slice()
      changed[at >> 3]! ^= 1 << (at & 7)
      expect(openFrame(key, changed, SUBJECT), `bit ${at}`).toBeUndefined()
    }
  })

  it('does not open truncated or with bytes after it', () => {
    const frame = sealed(5)
    for (let length = 0; length < frame.length; length += 1)
      expect(openFrame(key, frame.subarray(0, length), SUBJECT), `${length} bytes`).toBeUndefined()
    expect(openFrame(key, Buffer.concat([frame, Buffer.of(0)]), SUBJECT)).toBeUndefined()
  })

  it('does not open on another subject, as another run or member, or with another secret', () => {
    const frame = sealed(5)
    const run = 'bb'.repeat(16)
    expect(openFrame(key, frame, subjectOfMember(deskNames(SECRET), RUN.member))).toBeUndefined()
    expect(openFrame(runKey(SECRET, { ...RUN, run }), frame, SUBJECT)).toBeUndefined()
    expect(openFrame(runKey(SECRET, { ...RUN, member: 'f'.repeat(16) }), frame, SUBJECT)).toBeUndefined()
    expect(openFrame(runKey(OTHER_SECRET, RUN), frame, SUBJECT)).toBeUndefined()
  })

  it('differs with each counter, even for the same message', () => {
    const frames = [1, 2, 2 ** 40].map((counter) => {
      const bytes = Buffer.from(sealed(counter))
      // The ciphertext only, without the head and the authentication tag.
      return bytes.subarray(bytes.length - 16 - 'a message'.length, -16).toString('hex')
    })
    expect(new Set(frames).size).toBe(3)
  })

  it('has a head that is read from anything of the right length, and opens only what was sealed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(openFrame(key, bytes, SUBJECT)).toBeUndefined()
        const head = frameHead(bytes)
        if (head !== undefined) expect(head.member).toMatch(/^[0-9a-f]{16}$/)
      }),
    )
  })

  it('seals any bytes up to its limit, and is none above it', () => {
    const most = Buffer.alloc(MAX_SEALED_BYTES, 1)
    const frame = sealFrame(key, { ...RUN, counter: 1 }, { subject: SUBJECT, bytes: most })
    expect(frame).toHaveLength(MAX_ENVELOPE_BYTES)
    expect(openFrame(key, frame, SUBJECT)).toHaveLength(MAX_SEALED_BYTES)
    const over = sealFrame(
      key,
      { ...RUN, counter: 2 },
      { subject: SUBJECT, bytes: Buffer.alloc(most.length + 1) },
    )
    expect(frameHead(over)).toBeUndefined()
    expect(openFrame(key, over, SUBJECT)).toBeUndefined()
  })

  it('is never sealed with a counter that has no room', () => {
    expect(openFrame(key, sealed(2 ** 48 - 1), SUBJECT)).toBeDefined()
    expect(() => sealed(2 ** 48)).toThrow()
  })
})

describe('the names of a desk', () => {
  it('are the same for each member, and others for each secret and purpose', () => {
    expect(deskNames(SECRET)).toEqual(deskNames(SECRET))
    const names = [SECRET, OTHER_SECRET].flatMap((secret) => Object.values(deskNames(secret)))
    expect(new Set(names).size).toBe(8)
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{32}$/)
  })
})
