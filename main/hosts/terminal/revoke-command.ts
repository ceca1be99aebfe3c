import type { RevocationResult } from '../../../app/tokens/revocation.ts'
import type { ControlRequest } from '../../control/protocol.ts'
import { NO_HOME } from '../../storage/data-folder.ts'
import { isConfirmed } from './confirmation.ts'
import type { RevokeFlags } from './flags.ts'
import { answerIn, pickKey, pickRunningKey, type RunningAppDeps, type RunningKey } from './running-app.ts'
import { NOT_STORED, type StoredKeys, type StoredKeysOpening } from './stored-keys.ts'
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE, exitCodeOf, failWith } from './terminal.ts'
import { type ServiceKey, watchedService } from './watched-service.ts'

export interface RevokeDeps extends RunningAppDeps {
  revokeTokens(key: ServiceKey): Promise<RevocationResult>
  /** Opens the stored keys of a folder that no app is using. Absent without a passphrase. */
  openStored?(dataFolder: string): Promise<StoredKeysOpening>
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
      return failWith(terminal, service.line, service.exitCode)
    case 'key':
      if (flags.profile !== undefined) return failWith(terminal, TWO_KEYS, EXIT_USAGE)
      return confirmAndRevoke(service.key)
  }

  /** Revokes through the running app, which has the credentials. */
  async function revokeRunning(): Promise<number> {
    const folder = flags.data ?? deps.defaultDataFolder()
    if (folder === undefined) return failWith(terminal, NO_HOME)
    const ask = (request: ControlRequest) => deps.askRunning(folder, request)
    const found = await ask({ do: 'status' })
    if (found.kind === 'not-running') return revokeUnused(folder)
    const answer = answerIn(found, folder)
    if (!answer.ok) return failWith(terminal, answer.message)
    const chosen = pickRunningKey('snapshots' in answer ? answer.snapshots : [], flags.profile)
    if (chosen.kind === 'none') return failWith(terminal, chosen.line, chosen.exitCode)
    const { profile, name } = chosen.key
    if (!(await confirmed(consequencesOfRunning(chosen.key)))) return EXIT_FAILURE
    const revoked = await ask({ do: 'revoke', profile })
    if (revoked.kind === 'not-running')
      return failWith(terminal, 'nothing was revoked: Headroom quit in the meantime')
    if (revoked.kind === 'failed') return failWith(terminal, `${UNCONFIRMED}: ${revoked.why}`)
    const { answer: outcome } = revoked
    if (!outcome.ok) return failWith(terminal, outcome.message)
    if (!('revoked' in outcome) || outcome.revoked !== profile) return failWith(terminal, UNCONFIRMED)
    terminal.out(`revoked every refresh token of the key of ${name}`)
    return EXIT_OK
  }

  /** Revokes a stored key in a folder that no app is using. */
  async function revokeUnused(folder: string): Promise<number> {
    const opening = await deps.openStored?.(folder)
    if (opening?.kind === 'failed') return failWith(terminal, opening.line, exitCodeOf(opening))
    return opening?.kind === 'open'
      ? revokeStored(opening.stored)
      : failWith(terminal, notRunning(folder, opening !== undefined), EXIT_USAGE)
  }

  async function revokeStored(stored: StoredKeys): Promise<number> {
    try {
      const chosen = pickKey(stored.keys, flags.profile, 'the data folder')
      if (chosen.kind === 'none') return failWith(terminal, chosen.line, chosen.exitCode)
      const { key } = chosen
      if (!(await confirmed(consequencesOfStored(key)))) return EXIT_FAILURE
      return report(await stored.revoke(key.profile), `the key of ${key.name}`)
    } finally {
      stored.close()
    }
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
        return failWith(terminal, `not revoked: ${outcome.why}`)
      case 'unconfirmed':
        return failWith(terminal, `${UNCONFIRMED}: ${outcome.why}; run this command again`)
    }
  }
}

const TWO_KEYS = 'leave out --profile: --auth-url, --base-url and --client-id name the key'
const UNCONFIRMED = 'not confirmed, the tokens may still be valid'
const notRunning = (folder: string, isEmpty: boolean): string =>
  `no Headroom is running on ${folder}${isEmpty ? NOT_STORED : ''}; choose another folder with --data, ` +
  `${isEmpty ? '' : 'set HEADROOM_PASSPHRASE to open the keys saved there, '}` +
  'or name the key with --auth-url, --base-url and --client-id'

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
