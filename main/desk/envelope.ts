import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { DeskNames } from './engine.ts'

/*
 * The frame of one message on the server: `format · sender · run · counter · ciphertext · tag`.
 *
 * Each run of a member's app seals with its own key, and numbers its messages. The number is the nonce, so no
 * nonce is used twice under a key. The frame's head and the subject are authenticated with the ciphertext.
 */

const FORMAT = 1
export const MEMBER_BYTES = 8
export const RUN_BYTES = 16
const COUNTER_BYTES = 6
const TAG_BYTES = 16
const NONCE_BYTES = 12
const KEY_BYTES = 32
const NAME_BYTES = 16
const HEAD_BYTES = 1 + MEMBER_BYTES + RUN_BYTES + COUNTER_BYTES
const MAX_COUNTER = 2 ** (8 * COUNTER_BYTES) - 1

/** The maximum length of a frame in bytes. NATS accepts 1 MiB by default. */
export const MAX_ENVELOPE_BYTES = 256 * 1024
/** Maximum length of the content of a frame, in bytes. */
export const MAX_SEALED_BYTES: number = MAX_ENVELOPE_BYTES - HEAD_BYTES - TAG_BYTES

/**
 * Identifies one run of a member's app in the desk. The run begins when the app starts or joins the desk, and
 * ends when the app ends or leaves the desk. Both ids are lower-case hex digits.
 */
export interface MemberRun {
  /** 16 digits. */
  readonly member: string
  /** 32 digits, random. */
  readonly run: string
}

/** The unencrypted start of a frame. It must not be trusted before `openFrame` has checked it. */
export interface FrameHead extends MemberRun {
  readonly counter: number
}

/**
 * The names of a desk on its server, derived from the desk's secret (base64url). Each name has 32 hex digits.
 */
export function deskNames(secret: string): DeskNames {
  const name = (purpose: string) => Buffer.from(derive(secret, purpose, NAME_BYTES)).toString('hex')
  return { prefix: name('subjects'), inbox: name('inbox'), bucket: name('bucket'), lease: name('lease') }
}

/** The subject on which all members of a desk listen. */
export const subjectOfAll = ({ prefix }: DeskNames): string => `${prefix}.a`

/** The subject on which one member listens. */
export const subjectOfMember = ({ prefix }: DeskNames, member: string): string => `${prefix}.${member}`

/**
 * The encryption key for one run of a member's app. With a key object, sealing and opening are five times as
 * fast as with bytes.
 */
export const runKey = (secret: string, { member, run }: MemberRun): KeyObject =>
  createSecretKey(derive(secret, `run ${member} ${run}`, KEY_BYTES))

/** Seals a message that a member sends. The caller must never use the same counter twice. */
export function sealFrame(key: KeyObject, head: FrameHead, message: { subject: string; bytes: Uint8Array }) {
  const start = headBytes(head)
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(start))
  cipher.setAAD(associated(start, message.subject))
  return Buffer.concat([start, cipher.update(message.bytes), cipher.final(), cipher.getAuthTag()])
}

/** Reads a frame's head. `undefined` if the bytes are not a frame. */
export function frameHead(frame: Uint8Array): FrameHead | undefined {
  if (!isFrame(frame)) return undefined
  const head = Buffer.from(frame.buffer, frame.byteOffset, HEAD_BYTES)
  const runAt = 1 + MEMBER_BYTES
  const counterAt = runAt + RUN_BYTES
  return {
    member: head.toString('hex', 1, runAt),
    run: head.toString('hex', runAt, counterAt),
    counter: head.readUIntBE(counterAt, COUNTER_BYTES),
  }
}

const isFrame = (bytes: Uint8Array): boolean =>
  bytes.length >= HEAD_BYTES + TAG_BYTES && bytes.length <= MAX_ENVELOPE_BYTES && bytes[0] === FORMAT

/**
 * Opens a frame that arrived on a subject. `undefined` if the frame was sealed with another key or for
 * another subject, or was changed.
 */
export function openFrame(key: KeyObject, frame: Uint8Array, subject: string): Buffer | undefined {
  if (!isFrame(frame)) return undefined
  const head = frame.subarray(0, HEAD_BYTES)
  const sealedEnd = frame.length - TAG_BYTES
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(head), { authTagLength: TAG_BYTES })
    decipher.setAAD(associated(head, subject))
    decipher.setAuthTag(frame.subarray(sealedEnd))
    return Buffer.concat([decipher.update(frame.subarray(HEAD_BYTES, sealedEnd)), decipher.final()])
  } catch {
    return undefined // the tag is wrong; GCM gives no further reason
  }
}

function headBytes({ member, run, counter }: FrameHead): Buffer {
  if (counter > MAX_COUNTER) throw new Error('a run of a desk has no counter left')
  const head = Buffer.alloc(HEAD_BYTES)
  head[0] = FORMAT
  head.write(member, 1, MEMBER_BYTES, 'hex')
  head.write(run, 1 + MEMBER_BYTES, RUN_BYTES, 'hex')
  head.writeUIntBE(counter, 1 + MEMBER_BYTES + RUN_BYTES, COUNTER_BYTES)
  return head
}

/** The nonce: the counter at the end of a frame's head, with leading zeros. */
function nonceOf(head: Uint8Array): Uint8Array {
  const nonce = new Uint8Array(NONCE_BYTES)
  nonce.set(head.subarray(HEAD_BYTES - COUNTER_BYTES), NONCE_BYTES - COUNTER_BYTES)
  return nonce
}

/**
 * The bytes that are authenticated with the ciphertext: head and subject. The head has a fixed length, so
 * different pairs never give the same bytes.
 */
const associated = (head: Uint8Array, subject: string): Buffer => Buffer.concat([head, Buffer.from(subject)])

function derive(secret: string, purpose: string, bytes: number): Uint8Array {
  const key = Buffer.from(secret, 'base64url')
  return new Uint8Array(hkdfSync('sha256', key, new Uint8Array(0), `headroom desk ${purpose}`, bytes))
}
