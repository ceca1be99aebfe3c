import { z } from 'zod'
import type { PendingRevocation, TokenAbout } from '../../app/tokens/stored-token.ts'

/** What stands beside a sealed token, as it is read back. */
export const tokenAbout: z.ZodType<TokenAbout> = z.object({
  signedInAtMs: z.number(),
  rotatedAtMs: z.number().exactOptional(),
  keepsToken: z.boolean(),
  standing: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('unconfirmed') }),
    z.object({ kind: z.literal('active') }),
    z.object({ kind: z.literal('sign-in-required'), reason: z.string() }),
    z.object({ kind: z.literal('revoked'), atMs: z.number() }),
  ]),
})

export const pendingRevocation: z.ZodType<PendingRevocation> = z.object({
  reason: z.string(),
  byItself: z.boolean(),
})
