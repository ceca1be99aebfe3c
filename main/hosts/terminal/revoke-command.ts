import type { RevocationResult } from '../../../app/tokens/revocation.ts'
import { isConfirmed } from './confirmation.ts'
import type { RevokeFlags } from './flags.ts'
import {
  type AskRunning,
  chooseRunningKey,
  pickKey,
  type RunningKey,
  type RunningKeyChoice,
  revokeRunningKey,
} from './revoke-running.ts'
import type { StoredKeys, StoredKeysOpening } from './stored-keys.ts'
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE, exitCodeOf, type Terminal } from './terminal.ts'
import { type ServiceKey, watchedService } from './watched-service.ts'

export interface RevokeDeps {
  readonly terminal: Terminal
  revokeTokens(key: ServiceKey): Promise<RevocationResult>
  /** Sends a request to the app that runs on this data folder, or on the default folder. */
  running(dataFolder: string | undefined): AskRunning
  /** Opens the stored keys of a folder that no app is using. Absent without a passphrase. */
  openStored?(dataFolder: string | undefined): Promise<StoredKeysOpening>
}

/** Revokes tokens. Reports "revoked" only after the service answered 200 (service 4.2). */
export async function revoke(flags: RevokeFlags, deps: RevokeDeps): Promise<number> {
  const { terminal, revokeTokens } = deps
  const confirmed = (question: string) =>
    isConfirmed(terminal, flags.yes === true, { question, word: 'revoke', otherwise: 'nothing was revoked' })
  const service = watchedService(flags, terminal.environment)
  switch (service.kind) {
    case 'built-in':
      return revokeRunning()
    case 'unusable':
      terminal.error(service.line)
      return service.exitCode
    case 'key':
      return confirmAndRevoke(service.key)
  }

  /** Revokes through the running app, which has the credentials. */
  async function revokeRunning(): Promise<number> {
    const ask = deps.running(flags.data)
    const chosen = await chooseRunningKey(ask, flags.profile)
    if (chosen.kind === 'nobody') {
      const opening = await deps.openStored?.(flags.data)
      if (opening?.kind === 'open') return revokeStored(opening.stored)
      if (opening?.kind === 'failed') {
        terminal.error(opening.line)
        return exitCodeOf(opening)
      }
    }
    if (chosen.kind !== 'key') return notChosen(chosen)
    const { key } = chosen
    if (!(await confirmed(consequencesOfRunning(key)))) return EXIT_FAILURE
    const outcome = await revokeRunningKey(ask, key)
    if (outcome.kind === 'confirmed') {
      terminal.out(`revoked every refresh token of the key of ${key.name}`)
      return EXIT_OK
    }
    terminal.error(outcome.line)
    return EXIT_FAILURE
  }

  /** Revokes a stored key in a folder that no app is using. */
  async function revokeStored(stored: StoredKeys): Promise<number> {
    try {
      const chosen = pickKey(stored.keys, flags.profile, 'the data folder')
      if (chosen.kind !== 'key') return notChosen(chosen)
      const { key } = chosen
      if (!(await confirmed(consequencesOfStored(key)))) return EXIT_FAILURE
      return report(await stored.revoke(key.profile), `the key of ${key.name}`)
    } finally {
      stored.close()
    }
  }

  function notChosen({ kind, line }: Exclude<RunningKeyChoice, { kind: 'key' }>): number {
    terminal.error(line)
    return kind === 'failed' ? EXIT_FAILURE : EXIT_USAGE
  }

  async function confirmAndRevoke(key: ServiceKey): Promise<number> {
    if (!(await confirmed(consequences(key)))) return EXIT_FAILURE
    return report(await revokeTokens(key), key.clientId)
  }

  function report(outcome: RevocationResult, whose: string): number {
    switch (outcome.kind) {
      case 'confirmed':
        terminal.out(`revoked every refresh token of ${whose}`)
        return EXIT_OK
      case 'refused':
        terminal.error(`not revoked: ${outcome.why}`)
        return EXIT_FAILURE
      case 'unconfirmed':
        terminal.error(`not confirmed, the tokens may still be valid: ${outcome.why}; run this command again`)
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

function consequencesOfStored({ name, profile }: RunningKey): string {
  return `This revokes every refresh token of the API key of ${name} (${profile}), which is stored here.\n${EFFECT}`
}

const EFFECT =
  'Every program that uses this key must sign in again. Access tokens already issued work for up to 20 minutes.'
