import type { RevokeFlags } from './flags.ts'
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE, type Terminal } from './terminal.ts'
import { type ServiceKey, watchedService } from './watched-service.ts'

export type RevokeOutcome =
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'refused' | 'unconfirmed'; readonly why: string }

export interface RevokeDeps {
  readonly terminal: Terminal
  revokeTokens(key: ServiceKey): Promise<RevokeOutcome>
}

const CONFIRMATION = 'revoke'

/** "Revoked" is only said after the service answered 200 (service.md 4.2). */
export async function revoke(flags: RevokeFlags, { terminal, revokeTokens }: RevokeDeps): Promise<number> {
  const service = watchedService(flags, terminal.environment)
  switch (service.kind) {
    case 'built-in':
      terminal.error('--auth-url, --base-url and --client-id say which key to revoke, and none is there')
      return EXIT_USAGE
    case 'usage':
      terminal.error(service.line)
      return EXIT_USAGE
    case 'misconfigured':
      terminal.error(service.line)
      return EXIT_FAILURE
    case 'key':
      return confirmAndRevoke(service.key)
  }

  async function confirmAndRevoke(key: ServiceKey): Promise<number> {
    if (flags.yes !== true) {
      if (!terminal.interactive) {
        terminal.error('nothing was revoked: nobody can confirm it here; --yes revokes without asking')
        return EXIT_FAILURE
      }
      const answer = await terminal.ask(`${consequences(key)}\nType "${CONFIRMATION}" to go on: `)
      if (answer?.trim() !== CONFIRMATION) {
        terminal.error('nothing was revoked')
        return EXIT_FAILURE
      }
    }
    const outcome = await revokeTokens(key)
    switch (outcome.kind) {
      case 'confirmed':
        terminal.out(`revoked: every refresh token of ${key.clientId}`)
        return EXIT_OK
      case 'refused':
        terminal.error(`not revoked: ${outcome.why}`)
        return EXIT_FAILURE
      case 'unconfirmed':
        terminal.error(`not confirmed, the tokens may still be valid: ${outcome.why}; run it again`)
        return EXIT_FAILURE
    }
  }
}

function consequences({ clientId, authUrl }: ServiceKey): string {
  return (
    `This revokes every refresh token of the API key ${clientId} at ${authUrl}, not only the one given here.\n` +
    'Every program that uses this key has to sign in again. Access tokens already issued live on, up to 20 minutes.'
  )
}
