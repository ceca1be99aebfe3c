import type { RevokeFlags } from './flags.ts'
import { type AskRunning, chooseRunningKey, type RunningKey, revokeRunningKey } from './revoke-running.ts'
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE, type Terminal } from './terminal.ts'
import { type ServiceKey, watchedService } from './watched-service.ts'

export type RevokeOutcome =
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'refused' | 'unconfirmed'; readonly why: string }

export interface RevokeDeps {
  readonly terminal: Terminal
  revokeTokens(key: ServiceKey): Promise<RevokeOutcome>
  /** The app that runs on this data folder, or on the default one. */
  running(dataFolder: string | undefined): AskRunning
}

const CONFIRMATION = 'revoke'

/** "Revoked" is only said after the service answered 200 (service.md 4.2). */
export async function revoke(flags: RevokeFlags, deps: RevokeDeps): Promise<number> {
  const { terminal, revokeTokens } = deps
  const service = watchedService(flags, terminal.environment)
  switch (service.kind) {
    case 'built-in':
      return revokeRunning()
    case 'usage':
      terminal.error(service.line)
      return EXIT_USAGE
    case 'misconfigured':
      terminal.error(service.line)
      return EXIT_FAILURE
    case 'key':
      return confirmAndRevoke(service.key)
  }

  /** Without credentials: the running app has them. */
  async function revokeRunning(): Promise<number> {
    const ask = deps.running(flags.data)
    const chosen = await chooseRunningKey(ask, flags.profile)
    if (chosen.kind !== 'key') {
      terminal.error(chosen.line)
      return chosen.kind === 'usage' ? EXIT_USAGE : EXIT_FAILURE
    }
    const { key } = chosen
    if (!(await isConfirmed(consequencesOfRunning(key)))) return EXIT_FAILURE
    const outcome = await revokeRunningKey(ask, key)
    if (outcome.kind === 'confirmed') {
      terminal.out(`revoked: every refresh token of the key of ${key.name}`)
      return EXIT_OK
    }
    terminal.error(outcome.line)
    return EXIT_FAILURE
  }

  async function isConfirmed(question: string): Promise<boolean> {
    if (flags.yes === true) return true
    if (!terminal.interactive) {
      terminal.error('nothing was revoked: nobody can confirm it here; --yes revokes without asking')
      return false
    }
    const answer = await terminal.ask(`${question}\nType "${CONFIRMATION}" to go on: `)
    if (answer?.trim() === CONFIRMATION) return true
    terminal.error('nothing was revoked')
    return false
  }

  async function confirmAndRevoke(key: ServiceKey): Promise<number> {
    if (!(await isConfirmed(consequences(key)))) return EXIT_FAILURE
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
  return `This revokes every refresh token of the API key ${clientId} at ${authUrl}, not only the one given here.\n${EFFECT}`
}

function consequencesOfRunning({ name, profile }: RunningKey): string {
  return `This revokes every refresh token of the API key of ${name} (${profile}), which the running Headroom uses.\n${EFFECT}`
}

const EFFECT =
  'Every program that uses this key has to sign in again. Access tokens already issued live on, up to 20 minutes.'
