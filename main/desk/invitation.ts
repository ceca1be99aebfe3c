import { createHash } from 'node:crypto'
import { z } from 'zod'
import { DESK_LIMITS } from '../../app/contract/desk.ts'
import { jsonOf } from '../../app/service/json.ts'
import type { DeskMarks } from './marks.ts'

/** The invitation that a text contains, or one line that says why the text is not an invitation. */
export type InvitationReading =
  | { readonly kind: 'read'; readonly invitation: InvitationContent }
  | { readonly kind: 'malformed'; readonly line: string }

const NAME = 'headroom-desk-'
const VERSION = 1
const START = `${NAME}${VERSION}.`
const CHECKSUM_BYTES = 6
const CHECKSUM_LENGTH = (CHECKSUM_BYTES * 8) / 6

/** Addresses of the NATS servers. */
export const deskServers: z.ZodType<readonly string[]> = z
  .array(z.string().min(1).max(DESK_LIMITS.server))
  .min(1)
  .max(DESK_LIMITS.servers)
/** The secret of the desk: 32 bytes, base64url. */
export const deskSecret: z.ZodType<string> = z.string().regex(/^[\w-]{43}$/)
const mark = z.string().regex(/^[\w-]{22}$/)
export const storedMarks: z.ZodType<DeskMarks> = z.object({
  client: mark,
  host: mark,
  user: mark.exactOptional(),
})
const content = z.strictObject({
  servers: deskServers,
  secret: deskSecret,
  /** The key for which the desk was created. */
  marks: storedMarks,
})

/** The data with which another machine can join a desk. */
export type InvitationContent = Readonly<z.output<typeof content>>

/**
 * One word that consists of `headroom-desk-1.`, the content in base64url, a full stop, and a checksum of
 * everything before that full stop.
 */
export function invitationText({ servers, secret, marks }: InvitationContent): string {
  const content = Buffer.from(JSON.stringify({ servers, secret, marks })).toString('base64url')
  const text = `${START}${content}`
  return `${text}.${checksumOf(text)}`
}

/** Reads an invitation. Ignores white space, such as line breaks that a mail program inserted. */
export function readInvitation(text: string): InvitationReading {
  const word = text.replace(/\s+/g, '')
  const [, version] = /^headroom-desk-(\d{1,9})\./.exec(word) ?? []
  if (version === undefined) return word !== '' && START.startsWith(word) ? INCOMPLETE : UNLIKE
  if (Number(version) > VERSION) return NEWER
  if (!word.startsWith(START)) return UNLIKE
  const [payload = '', checksum = '', ...more] = word.slice(START.length).split('.')
  if (checksum.length < CHECKSUM_LENGTH && more.length === 0) return INCOMPLETE
  if (checksum !== checksumOf(`${START}${payload}`) || more.length > 0) return MISTYPED
  const parsed = content.safeParse(jsonOf(Buffer.from(payload, 'base64url').toString()))
  return parsed.success ? { kind: 'read', invitation: parsed.data } : INVALID
}

const malformed = (line: string): InvitationReading => ({ kind: 'malformed', line })

const UNLIKE = malformed(`Enter the whole invitation. It starts with ${START}`)
const INCOMPLETE = malformed('The invitation is incomplete. Copy the whole word.')
const NEWER = malformed('The invitation is from a newer Headroom. Update this one.')
const MISTYPED = malformed('The invitation has a typing error. Copy it again.')
const INVALID = malformed('The invitation is invalid. Ask for a new one.')

const checksumOf = (text: string): string =>
  createHash('sha256').update(text).digest().subarray(0, CHECKSUM_BYTES).toString('base64url')
