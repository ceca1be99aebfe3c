import type { Outcome } from '../../app/contract/outcome.ts'
import type { RevocationAnswer } from '../../app/tokens/after-revocation.ts'

/** What a revocation came to, for whoever asked for it. */
export function revocationTold(answer: RevocationAnswer): Outcome {
  switch (answer.kind) {
    case 'confirmed':
      return { ok: true }
    case 'refused':
      return { ok: false, code: 'revoke-refused', message: `Not revoked: ${answer.why}.` }
    case 'unconfirmed':
      return {
        ok: false,
        code: 'revoke-unconfirmed',
        message: `Revocation not confirmed: ${answer.why}. It is tried again; treat the tokens as live.`,
      }
  }
}
