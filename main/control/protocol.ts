import { z } from 'zod'
import { deskToJoin, newDesk } from '../../app/contract/desk.ts'
import type { ListedProgram } from '../../app/contract/gateway.ts'
import { ENDING_LENGTH } from '../../app/contract/orders.ts'
import {
  type GatewaySummary,
  gatewaySummary,
  programSummary,
  type Snapshot,
  snapshotSchema,
} from '../../app/contract/snapshot.ts'
import { type WindowSummary, windowSummary } from '../../app/contract/windows.ts'
import { jsonOf } from '../../app/service/json.ts'
import { programClass, programName, programOrders, programWeight } from '../gateway/programs.ts'

/**
 * The protocol of the control socket: one line of JSON in each direction, then the connection ends.
 *
 * Only the owner of the data folder can open the socket, so there is no further authentication. Three kinds
 * of secrets are sent: a new program's key, the invitation of a desk, and the credentials for the desk's
 * server. A program's key is sent once, to the user who has just added the program.
 */
const request = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('status') }),
  /** The command line has already asked the user to confirm. */
  z.strictObject({ do: z.literal('revoke'), profile: z.string().min(1).max(64) }),
  /** `ending` is the end of a LIVE key, as a person typed it. */
  z.strictObject({
    do: z.literal('allow-orders'),
    profile: z.string().min(1).max(64),
    ending: z.string().min(1).max(ENDING_LENGTH).exactOptional(),
  }),
  /**
   * Answered when the sign-in of `allow-orders` ends. If the connection closes first, the sign-in is
   * cancelled.
   */
  z.strictObject({ do: z.literal('await-orders'), signIn: z.string().min(1).max(64) }),
  /** Without `profile`, stops the orders of every key. */
  z.strictObject({ do: z.literal('stop-orders'), profile: z.string().min(1).max(64).exactOptional() }),
  z.strictObject({ do: z.literal('dismiss-order'), id: z.string().min(1).max(64) }),
  /** Without `turn`, the request only returns the state. `port` is used only to turn the gateway on. */
  z.strictObject({
    do: z.literal('gateway'),
    turn: z.enum(['on', 'off']).exactOptional(),
    port: z.int().min(0).max(65_535).exactOptional(),
  }),
  z.strictObject({
    do: z.literal('add-program'),
    name: programName,
    class: programClass,
    weight: programWeight,
    maxOrders: programOrders.exactOptional(),
    profile: z.string().min(1).max(64).exactOptional(),
  }),
  z.strictObject({
    do: z.enum(['cut-program', 'pause-program', 'resume-program']),
    name: z.string().min(1).max(64),
  }),
  z.strictObject({ do: z.literal('create-desk'), ...newDesk.shape }),
  z.strictObject({ do: z.literal('join-desk'), ...deskToJoin.shape }),
  z.strictObject({
    do: z.enum(['desk-invitation', 'leave-desk', 'rotate-desk']),
    profile: z.string().min(1).max(64),
  }),
])

export type ControlRequest = z.output<typeof request>

export type OrdersRequest = Extract<
  ControlRequest,
  { do: 'allow-orders' | 'await-orders' | 'stop-orders' | 'dismiss-order' }
>

/** A request about the desk of a key. */
export type DeskRequest = Extract<
  ControlRequest,
  { do: 'create-desk' | 'join-desk' | 'desk-invitation' | 'leave-desk' | 'rotate-desk' }
>

/** A request about the gateway and its programs. */
export type GatewayRequest = Exclude<
  ControlRequest,
  OrdersRequest | DeskRequest | { do: 'status' | 'revoke' }
>

/** A program with its current activity, and the key that it uses. */
const listedProgram = z.object({ ...programSummary.shape, profile: z.string() })

export type ControlAnswer =
  | {
      readonly ok: true
      readonly snapshots: readonly Snapshot[]
      readonly windows?: readonly WindowSummary[]
    }
  | { readonly ok: true; readonly revoked: string }
  | {
      readonly ok: true
      readonly gateway: GatewaySummary
      readonly programs: readonly ListedProgram[]
      /** The connected keys. Absent if they are unknown. */
      readonly connected?: readonly string[]
    }
  | { readonly ok: true; readonly key: string; readonly program: string; readonly gateway: GatewaySummary }
  | { readonly ok: true; readonly cut: string }
  /** `until`: epoch ms. */
  | { readonly ok: true; readonly paused: string; readonly until: number }
  | { readonly ok: true; readonly resumed: string }
  /** The sign-in that a person must complete. Its address contains no secret. */
  | { readonly ok: true; readonly signIn: string; readonly url: string; readonly opened: boolean }
  /** The key for which orders are now allowed. */
  | { readonly ok: true; readonly allowed: string }
  | { readonly ok: true; readonly stopped: true }
  | { readonly ok: true; readonly dismissed: string }
  /** The invitation of a key's desk. */
  | { readonly ok: true; readonly invitation: string }
  /** The key that joined a desk. */
  | { readonly ok: true; readonly joined: string }
  | { readonly ok: true; readonly left: string }
  | { readonly ok: false; readonly code: string; readonly message: string }

/** Enough for the largest request, `join-desk`: an invitation and a `.creds` file, with escaped line ends. */
export const MAX_REQUEST_BYTES = 32_768
export const MAX_ANSWER_BYTES = 16_000_000

/** Parses one line from a client. `undefined` if it is not a request. */
export function parseRequest(line: string): ControlRequest | undefined {
  return request.safeParse(jsonOf(line)).data
}

const answer: z.ZodType<ControlAnswer> = z.union([
  z.object({
    ok: z.literal(true),
    snapshots: z.array(snapshotSchema),
    windows: z.array(windowSummary).exactOptional(),
  }),
  z.object({ ok: z.literal(true), revoked: z.string() }),
  z.object({ ok: z.literal(true), key: z.string(), program: z.string(), gateway: gatewaySummary }),
  z.object({
    ok: z.literal(true),
    gateway: gatewaySummary,
    programs: z.array(listedProgram),
    connected: z.array(z.string()).exactOptional(),
  }),
  z.object({ ok: z.literal(true), cut: z.string() }),
  z.object({ ok: z.literal(true), paused: z.string(), until: z.number() }),
  z.object({ ok: z.literal(true), resumed: z.string() }),
  z.object({ ok: z.literal(true), signIn: z.string(), url: z.string(), opened: z.boolean() }),
  z.object({ ok: z.literal(true), allowed: z.string() }),
  z.object({ ok: z.literal(true), stopped: z.literal(true) }),
  z.object({ ok: z.literal(true), dismissed: z.string() }),
  z.object({ ok: z.literal(true), invitation: z.string() }),
  z.object({ ok: z.literal(true), joined: z.string() }),
  z.object({ ok: z.literal(true), left: z.string() }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
])

/** Parses one line from the app. `undefined` if it is not a response. */
export function parseAnswer(line: string): ControlAnswer | undefined {
  return answer.safeParse(jsonOf(line)).data
}
