import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Severity } from '../../app/status/severity.ts'

export interface ProfileState {
  readonly severity: Severity
  readonly words: string
}

/** One key's state in a list of several: what a person would have to do about it comes first. */
export function profileState({ refresh, access, service, verdict }: Snapshot): ProfileState {
  switch (refresh.state) {
    case 'sign-in-required':
      return {
        severity: 'critical',
        words: refresh.cause === 'misconfigured' ? 'key not accepted' : 'sign in again',
      }
    case 'revoke-unconfirmed':
      return { severity: 'critical', words: 'revocation not confirmed' }
    case 'revoking':
      return { severity: 'watch', words: 'revoking' }
    case 'revoked':
      return { severity: 'unseen', words: 'revoked' }
    case 'none':
      return { severity: 'unseen', words: 'not signed in' }
    case 'unconfirmed':
    case 'valid':
      break
  }
  if (!service.reachable) return { severity: 'watch', words: 'service unreachable' }
  if (access.state === 'none' || access.state === 'expired') return { severity: 'watch', words: 'waiting' }
  switch (verdict.kind) {
    case 'blocked':
      return { severity: 'critical', words: `${verdict.category ?? 'a quota'} held` }
    case 'runs-out':
      return { severity: 'critical', words: `${verdict.category ?? 'a quota'} runs out` }
    case 'near-limit':
      return { severity: 'watch', words: `${verdict.category ?? 'a quota'} near its limit` }
    case 'lasts':
      return { severity: 'ok', words: 'all quotas last' }
    case 'unknown':
      return { severity: 'ok', words: 'signed in' }
  }
}
