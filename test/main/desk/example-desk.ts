import { randomBytes } from 'node:crypto'
import { type DeskKey, deskMarks } from '../../../main/desk/marks.ts'
import type { Membership } from '../../../main/desk/membership.ts'
import { newSecret } from '../../../main/network/random-secret.ts'

export const DESK_KEY: DeskKey = { clientId: 'client', baseUrl: 'https://api.test', subject: 'auth0|1' }

/** A membership in a new desk. */
export function exampleMembership(changes: Partial<Membership> = {}): Membership {
  const secret = newSecret(randomBytes)
  return {
    servers: ['nats://127.0.0.1:4222'],
    secret,
    memberId: '0123456789abcdef',
    name: 'DESKTOP',
    marks: deskMarks(secret, DESK_KEY),
    ...changes,
  }
}
