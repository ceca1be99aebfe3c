import { z } from 'zod'
import type { Snapshot } from '../../app/contract/snapshot.ts'

/**
 * What is said over the control socket: one line of JSON each way, then the connection ends.
 *
 * Whoever can open the socket is the owner of the data folder; there is no further secret, and none crosses.
 */
const request = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('status') }),
  /** The confirmation was typed on the other side. */
  z.strictObject({ do: z.literal('revoke'), profile: z.string().min(1).max(64) }),
])

export type ControlRequest = z.output<typeof request>

export type ControlAnswer =
  | { readonly ok: true; readonly snapshots: readonly Snapshot[] }
  | { readonly ok: true; readonly revoked: string }
  | { readonly ok: false; readonly code: string; readonly message: string }

export const MOST_REQUEST_BYTES = 4_096
export const MOST_ANSWER_BYTES = 16_000_000

export function parseRequest(line: string): ControlRequest | undefined {
  try {
    return request.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}

/** What an answer must have for a command to use it; the rest is the running app's business. */
const answer = z.union([
  z.object({
    ok: z.literal(true),
    snapshots: z.array(
      z.looseObject({
        at: z.number(),
        profile: z.object({ id: z.string(), name: z.string(), environment: z.string() }),
      }),
    ),
  }),
  z.object({ ok: z.literal(true), revoked: z.string() }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
])

export function parseAnswer(line: string): ControlAnswer | undefined {
  try {
    // A newer app may say more in a snapshot than this one knows: that is passed on as it is.
    return answer.parse(JSON.parse(line)) as unknown as ControlAnswer
  } catch {
    return undefined
  }
}
