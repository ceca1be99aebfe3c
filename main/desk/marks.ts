import { createHmac } from 'node:crypto'
import type { Profile } from '../ports/profile.ts'
import { derivedKey } from '../vault/sealing.ts'

/**
 * Hashes that identify the API key of a desk. Machines compare these hashes and need not reveal their API
 * keys. The hashes depend on the desk's secret. Each has 22 base64url digits.
 */
export interface DeskMarks {
  /** The API key's client id. */
  readonly client: string
  /** The service host, which differs between LIVE and SIM. */
  readonly host: string
  /** The signed-in user. Absent if the user is unknown. */
  readonly user?: string
}

/** The fields of a connected key that must match its desk. */
export interface DeskKey extends Pick<Profile, 'clientId' | 'baseUrl'> {
  /** See `TokenRecord.subject`. */
  readonly subject?: string | undefined
}

/** The hashes of an API key, for the desk with this secret. */
export function deskMarks(secret: string, { clientId, baseUrl, subject }: DeskKey): DeskMarks {
  return {
    client: markOf(secret, 'client', clientId),
    host: markOf(secret, 'host', new URL(baseUrl).host),
    ...(subject !== undefined && { user: markOf(secret, 'user', subject) }),
  }
}

/** Whether two users differ. They are compared only if both are known. */
export const isOtherUser = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one !== other

/** The first difference between a desk and a key. `undefined` if they match. */
export function differenceOf(desk: DeskMarks, own: DeskMarks): keyof DeskMarks | undefined {
  if (desk.client !== own.client) return 'client'
  if (desk.host !== own.host) return 'host'
  return isOtherUser(desk.user, own.user) ? 'user' : undefined
}

const MARK_BYTES = 16

function markOf(secret: string, what: keyof DeskMarks, value: string): string {
  const key = derivedKey(Buffer.from(secret, 'base64url'), 'desk marks')
  const digest = createHmac('sha256', key)
    .update(JSON.stringify([what, value]))
    .digest()
  return digest.subarray(0, MARK_BYTES).toString('base64url')
}
