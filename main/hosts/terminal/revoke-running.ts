import type { Snapshot } from '../../../app/contract/snapshot.ts'
import type { RunningAnswer } from '../../control/ask-running.ts'
import type { ControlRequest } from '../../control/protocol.ts'

/** A key of the running app, or a stored key. */
export interface RunningKey {
  readonly profile: string
  readonly name: string
}

/**
 * The selected key, or why no key is selected. `nobody`: no app is running. `usage`: there are
 * several keys, and none was named. `failed`: there is no such key, or the request failed.
 */
export type RunningKeyChoice =
  | { readonly kind: 'key'; readonly key: RunningKey }
  | { readonly kind: 'nobody' | 'usage' | 'failed'; readonly line: string }

export type AskRunning = (request: ControlRequest) => Promise<RunningAnswer>

/** Selects the named key of the running app, or its only key if none is named. */
export async function chooseRunningKey(
  ask: AskRunning,
  named: string | undefined,
): Promise<RunningKeyChoice> {
  const asked = await ask({ do: 'status' })
  switch (asked.kind) {
    case 'nobody':
      return {
        kind: 'nobody',
        line: 'no Headroom is running on this data folder; choose another one with --data, or name the key with --auth-url, --base-url and --client-id',
      }
    case 'failed':
      return { kind: 'failed', line: `can't reach the running Headroom: ${asked.why}` }
    case 'answered':
      break
  }
  const { answer } = asked
  if (!answer.ok) return { kind: 'failed', line: answer.message }
  return pickRunningKey('snapshots' in answer ? answer.snapshots : [], named)
}

/** Selects a key from the snapshots of the running app. See `pickKey`. */
export function pickRunningKey(snapshots: readonly Snapshot[], named: string | undefined): RunningKeyChoice {
  const keys = snapshots.map(({ profile: { id, name } }) => ({ profile: id, name }))
  return pickKey(keys, named, 'the running Headroom')
}

/** Selects the named key, or the only key if none is named. `where` says where the keys are, for messages. */
export function pickKey(
  keys: readonly RunningKey[],
  named: string | undefined,
  where: string,
): RunningKeyChoice {
  const [first] = keys
  if (named !== undefined) {
    const key = keys.find(({ profile }) => profile === named)
    return key
      ? { kind: 'key', key }
      : { kind: 'failed', line: `${where} has no key '${named}'; choose one of: ${listed(keys)}` }
  }
  if (first === undefined) return { kind: 'failed', line: `${where} has no key` }
  if (keys.length > 1) return { kind: 'usage', line: `choose the key with --profile: ${listed(keys)}` }
  return { kind: 'key', key: first }
}

const listed = (keys: readonly RunningKey[]): string =>
  keys.map(({ profile, name }) => `${profile} (${name})`).join(', ') || 'none'

/** The outcome of a revocation through the running app. */
export type RunningRevocation =
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'failed'; readonly line: string }

/**
 * Revokes a key through the running app. "Revoked" means that the service answered the app with 200 (service
 * 4.2).
 */
export async function revokeRunningKey(ask: AskRunning, { profile }: RunningKey): Promise<RunningRevocation> {
  const asked = await ask({ do: 'revoke', profile })
  switch (asked.kind) {
    case 'nobody':
      return { kind: 'failed', line: 'nothing was revoked: Headroom quit in the meantime' }
    case 'failed':
      return { kind: 'failed', line: `not confirmed, the tokens may still be valid: ${asked.why}` }
    case 'answered': {
      const { answer } = asked
      if (!answer.ok) return { kind: 'failed', line: answer.message }
      return 'revoked' in answer && answer.revoked === profile
        ? { kind: 'confirmed' }
        : { kind: 'failed', line: 'not confirmed, the tokens may still be valid' }
    }
  }
}
