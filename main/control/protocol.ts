import { z } from 'zod'
import { deskToJoin, newDesk } from '../../app/contract/desk.ts'
import type { Immutable } from '../../app/contract/fields.ts'
import { ENDING_LENGTH } from '../../app/contract/orders.ts'
import { gatewaySummary, programSummary, snapshotSchema } from '../../app/contract/snapshot.ts'
import { windowSummary } from '../../app/contract/windows.ts'
import { jsonOf } from '../../app/service/json.ts'
import { SIGN_IN_LIMIT_MS } from '../../app/sign-in/failure.ts'
import { programClass, programName, programOrders, programWeight } from '../gateway/programs.ts'

const id = z.string().min(1).max(64)

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
  z.strictObject({ do: z.literal('revoke'), profile: id }),
  /** `ending` is the end of a LIVE key, as a person typed it. */
  z.strictObject({
    do: z.literal('allow-orders'),
    profile: id,
    ending: z.string().min(1).max(ENDING_LENGTH).exactOptional(),
  }),
  /**
   * Answered when the sign-in of `allow-orders` ends. If the connection closes first, the sign-in is
   * cancelled.
   */
  z.strictObject({ do: z.literal('await-orders'), signIn: id }),
  /** Without `profile`, stops the orders of every key. */
  z.strictObject({ do: z.literal('stop-orders'), profile: id.exactOptional() }),
  z.strictObject({ do: z.literal('dismiss-order'), id }),
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
    profile: id.exactOptional(),
  }),
  z.strictObject({
    do: z.enum(['cut-program', 'pause-program', 'resume-program']),
    name: id,
  }),
  z.strictObject({ do: z.literal('create-desk'), ...newDesk.shape }),
  z.strictObject({ do: z.literal('join-desk'), ...deskToJoin.shape }),
  z.strictObject({
    do: z.enum(['desk-invitation', 'leave-desk', 'rotate-desk']),
    profile: id,
  }),
])

export type ControlRequest = z.output<typeof request>

export type OrdersRequest = Extract<ControlRequest, { do: `${string}-orders` }>

export type DeskRequest = Extract<ControlRequest, { do: `${string}-desk` | 'desk-invitation' }>

export type GatewayRequest = Extract<ControlRequest, { do: 'gateway' | `${string}-program` }>

interface RequestRules {
  /** How long the client waits for the answer, in milliseconds. */
  readonly timeoutMs: number
  /** Waits for a server or a person. Newer connections don't displace its connection. */
  readonly isLong?: true
  /** Only reads or stops something, so it is carried out even after its client has disconnected. */
  readonly isKept?: true
}

export const REQUEST_RULES: Readonly<Record<ControlRequest['do'], RequestRules>> = {
  status: { timeoutMs: 5_000, isKept: true },
  // A revocation waits for the service.
  revoke: { timeoutMs: 60_000, isLong: true, isKept: true },
  // Turning the gateway off waits for requests in progress.
  gateway: { timeoutMs: 15_000 },
  // This request first checks whether the sign-in host responds.
  'allow-orders': { timeoutMs: 15_000 },
  'await-orders': { timeoutMs: SIGN_IN_LIMIT_MS + 30_000, isLong: true },
  'stop-orders': { timeoutMs: 5_000, isKept: true },
  'dismiss-order': { timeoutMs: 5_000 },
  'add-program': { timeoutMs: 5_000 },
  'cut-program': { timeoutMs: 5_000, isKept: true },
  'pause-program': { timeoutMs: 5_000, isKept: true },
  'resume-program': { timeoutMs: 5_000 },
  // These requests try each server of the desk.
  'create-desk': { timeoutMs: 60_000, isLong: true },
  'join-desk': { timeoutMs: 60_000, isLong: true },
  'rotate-desk': { timeoutMs: 60_000, isLong: true },
  'desk-invitation': { timeoutMs: 5_000 },
  'leave-desk': { timeoutMs: 15_000, isKept: true },
}

/** A program with its current activity, and the key that it uses. */
const listedProgram = z.object({ ...programSummary.shape, profile: z.string() })

/** Enough for the largest request, `join-desk`: an invitation and a `.creds` file, with escaped line ends. */
export const MAX_REQUEST_BYTES = 32_768
export const MAX_ANSWER_BYTES = 16_000_000

/** Parses one line from a client. `undefined` if it is not a request. */
export function parseRequest(line: string): ControlRequest | undefined {
  return request.safeParse(jsonOf(line)).data
}

const answer = z.union([
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
    /** The connected keys. Absent if they are unknown. */
    connected: z.array(z.string()).exactOptional(),
  }),
  z.object({ ok: z.literal(true), cut: z.string() }),
  /** `until`: epoch ms. */
  z.object({ ok: z.literal(true), paused: z.string(), until: z.number() }),
  z.object({ ok: z.literal(true), resumed: z.string() }),
  /** The sign-in that a person must complete. Its address contains no secret. */
  z.object({ ok: z.literal(true), signIn: z.string(), url: z.string(), opened: z.boolean() }),
  /** The key for which orders are now allowed. */
  z.object({ ok: z.literal(true), allowed: z.string() }),
  z.object({ ok: z.literal(true), stopped: z.literal(true) }),
  z.object({ ok: z.literal(true), dismissed: z.string() }),
  /** The invitation of a key's desk. */
  z.object({ ok: z.literal(true), invitation: z.string() }),
  /** The key that joined a desk. */
  z.object({ ok: z.literal(true), joined: z.string() }),
  z.object({ ok: z.literal(true), left: z.string() }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
])

export type ControlAnswer = Immutable<z.output<typeof answer>>

export const failedAnswer = (message: string): ControlAnswer => ({ ok: false, code: 'failed', message })

/** Parses one line from the app. `undefined` if it is not a response. */
export function parseAnswer(line: string): ControlAnswer | undefined {
  return answer.safeParse(jsonOf(line)).data
}
