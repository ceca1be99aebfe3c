import { DESK_LIMITS } from '../../app/contract/desk.ts'
import type { CommandError } from '../../app/contract/outcome.ts'

/**
 * The fields of the forms that create and join a desk. Each error is shown at its field. No message repeats a
 * secret.
 */

export type DeskField = 'servers' | 'invitation' | 'name' | 'tlsCa' | 'credentials'
export type DeskErrors = { readonly [K in DeskField]?: string }

export type CheckedDesk<T> =
  | { readonly ok: true; readonly desk: T }
  | { readonly ok: false; readonly errors: DeskErrors }

type Read = (name: DeskField) => string

/** Validates the form of a new desk. `read` returns the text of a field. */
export function checkNewDesk(read: Read) {
  const servers = read('servers')
    .split(/[\s,]+/)
    .filter(Boolean)
  return checked({ servers, ...chosen(read) }, { servers: serversError(servers), ...chosenErrors(read) })
}

export function checkJoinedDesk(read: Read) {
  const invitation = read('invitation')
  const error = invitation === '' ? 'Paste an invitation.' : tooLong(invitation, DESK_LIMITS.invitation)
  return checked({ invitation, ...chosen(read) }, { invitation: error, ...chosenErrors(read) })
}

function checked<T>(desk: T, found: { readonly [K in DeskField]?: string | undefined }): CheckedDesk<T> {
  const errors = Object.fromEntries(Object.entries(found).filter(([, error]) => error !== undefined))
  return Object.keys(errors).length === 0 ? { ok: true, desk } : { ok: false, errors }
}

function serversError(servers: readonly string[]): string | undefined {
  if (servers.length === 0) return 'Enter an address, such as nats://localhost:4222.'
  if (servers.length > DESK_LIMITS.servers) return `Enter at most ${DESK_LIMITS.servers} addresses.`
  return servers.map((one) => tooLong(one, DESK_LIMITS.server)).find((error) => error !== undefined)
}

const OF_MACHINE = ['name', 'tlsCa', 'credentials'] as const
type Chosen = { readonly [K in (typeof OF_MACHINE)[number]]?: string }

/** A person's choices for this machine. Empty fields are absent. */
const chosen = (read: Read): Chosen =>
  Object.fromEntries(OF_MACHINE.map((name) => [name, read(name)]).filter(([, text]) => text !== ''))

const chosenErrors = (read: Read): DeskErrors =>
  Object.fromEntries(OF_MACHINE.map((name) => [name, tooLong(read(name), DESK_LIMITS[name])]))

const tooLong = (text: string, most: number): string | undefined =>
  text.length > most ? `Enter at most ${most} characters.` : undefined

/** The field in which a person can correct an error from main, by the error's code. */
const FIELD_OF: Readonly<Record<string, DeskField>> = {
  'malformed-invitation': 'invitation',
  rotated: 'invitation',
  'other-client': 'invitation',
  'other-host': 'invitation',
  'other-user': 'invitation',
  address: 'servers',
  'tls-needed': 'servers',
  unreachable: 'servers',
  'no-jetstream': 'servers',
  'no-storage': 'servers',
  'small-messages': 'servers',
  'tls-ca': 'tlsCa',
  'tls-untrusted': 'tlsCa',
  credentials: 'credentials',
  permissions: 'credentials',
}

/**
 * Main's error next to the field that it concerns. Empty if the form has no such field; the form then shows
 * the error below all fields.
 */
export function placedError(error: CommandError | undefined, form: 'new' | 'joined'): DeskErrors {
  const field = error && FIELD_OF[error.code]
  if (error === undefined || field === undefined) return {}
  // The form to join a desk has no field for addresses. They come from the invitation, so the error is shown
  // there.
  const shown = form === 'joined' && field === 'servers' ? 'invitation' : field
  return { [shown]: error.message }
}
