import type { Outcome } from '../../app/contract/outcome.ts'
import type { RefreshOutcome } from '../../app/tokens/refresh-grant.ts'

/** What a corrected secret came to, for whoever typed it; it is stored in every case. */
export function secretTried(outcome: RefreshOutcome): Outcome {
  switch (outcome.kind) {
    case 'renewed':
      return { ok: true }
    case 'misconfigured':
      return {
        ok: false,
        code: 'not-accepted',
        message: 'The service does not accept this secret either. Check it, and the API key.',
      }
    case 'refused':
      return {
        ok: false,
        code: 'token-refused',
        message: 'The secret is kept, but the refresh token is of no use any more. Sign in.',
      }
    case 'later':
    case 'not-sent':
    case 'malformed':
    case 'unknown':
      return {
        ok: false,
        code: 'not-confirmed',
        message: `The secret is kept, and the service has not confirmed it: ${outcome.why}. Try again.`,
      }
  }
}
