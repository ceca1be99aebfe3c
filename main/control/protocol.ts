import { z } from 'zod'
import { type Snapshot, snapshotSchema } from '../../app/contract/snapshot.ts'
import { type WindowSummary, windowSummary } from '../../app/contract/windows.ts'

/**
 * The protocol of the control socket: one line of JSON in each direction, then the connection ends.
 *
 * Only the owner of the data folder can open the socket, so there is no further authentication, and no secret is sent.
 */
const request = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('status') }),
  /** The command line has already asked the user to confirm. */
  z.strictObject({ do: z.literal('revoke'), profile: z.string().min(1).max(64) }),
])

export type ControlRequest = z.output<typeof request>

export type ControlAnswer =
  | {
      readonly ok: true
      readonly snapshots: readonly Snapshot[]
      readonly windows?: readonly WindowSummary[]
    }
  | { readonly ok: true; readonly revoked: string }
  | { readonly ok: false; readonly code: string; readonly message: string }

export const MAX_REQUEST_BYTES = 4_096
export const MAX_ANSWER_BYTES = 16_000_000

/** Parses one line of a client; `undefined` when it is not a request. */
export function parseRequest(line: string): ControlRequest | undefined {
  try {
    return request.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}

const answer: z.ZodType<ControlAnswer> = z.union([
  z.object({
    ok: z.literal(true),
    snapshots: z.array(snapshotSchema),
    windows: z.array(windowSummary).exactOptional(),
  }),
  z.object({ ok: z.literal(true), revoked: z.string() }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
])

/** Parses one line of the app; `undefined` when it is not an answer. */
export function parseAnswer(line: string): ControlAnswer | undefined {
  try {
    return answer.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}
