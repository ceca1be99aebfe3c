import { z } from 'zod'
import { DESK_LIMITS } from '../../app/contract/desk.ts'
import { jsonOf } from '../../app/service/json.ts'
import type { RandomBytes } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { DeskReading } from '../vault/vault.ts'
import { MEMBER_BYTES } from './envelope.ts'
import { deskSecret, deskServers, storedMarks } from './invitation.ts'

/** The stored membership of a key, or why it can't be used. */
export type MembershipReading =
  | { readonly kind: 'member'; readonly membership: Membership }
  | { readonly kind: 'none' }
  /** `line` is for a person. */
  | { readonly kind: 'lost'; readonly line: string }

const VERSION = 1

const stored = z.object({
  version: z.literal(VERSION),
  servers: deskServers,
  secret: deskSecret,
  /** 16 hexadecimal digits, new for each desk that is created or joined. */
  memberId: z.string().regex(/^[0-9a-f]{16}$/),
  /** The machine's name, which the other members see. */
  name: z.string().min(1).max(DESK_LIMITS.name),
  /** The absolute path of a file with CA certificates. The server's certificate is checked against them. */
  tlsCa: z.string().min(1).exactOptional(),
  /** `user:password`, a token, an nkey seed, or the text of a `.creds` file. */
  credentials: z.string().min(1).exactOptional(),
  marks: storedMarks,
})

/** One machine's membership in a desk. It is stored encrypted, next to the key's refresh token. */
export type Membership = Readonly<Omit<z.output<typeof stored>, 'version'>>

/** A membership as text, before it is encrypted. */
export const membershipText = (membership: Membership): string =>
  JSON.stringify({ version: VERSION, ...membership })

/** Parses a stored membership. */
export function membershipIn(reading: DeskReading): MembershipReading {
  switch (reading.kind) {
    case 'none':
      return reading
    case 'found': {
      const parsed = stored.safeParse(jsonOf(reading.text))
      if (!parsed.success) return { kind: 'lost', line: FOREIGN }
      const { version: _, ...membership } = parsed.data
      return { kind: 'member', membership }
    }
    case 'lost':
      return { kind: 'lost', line: reading.state === 'key-changed' ? LOCKED : DAMAGED }
    case 'unreadable':
      return { kind: 'lost', line: `The saved desk can’t be read: ${reading.why}. Try again.` }
  }
}

const DAMAGED = 'The saved desk is damaged. Leave it, then join again.'
const LOCKED = 'The saved desk can’t be decrypted. Leave it, then join again.'
const FOREIGN = 'The saved desk is from another version of Headroom. Leave it, then join again.'

/** The id of a new member. */
export const newMemberId = (randomBytes: RandomBytes): string =>
  Buffer.from(randomBytes(MEMBER_BYTES)).toString('hex')

/** Registers the secrets of a membership, so that they are removed from all text from now on. */
export function hideSecrets({ secret, credentials }: Membership, secrets: Secrets): void {
  secrets.hide(secret)
  if (credentials === undefined) return
  secrets.hide(credentials)
  const password = /^[^:\s]*:(\S+)$/.exec(credentials)?.[1]
  if (password !== undefined) secrets.hide(password)
}
