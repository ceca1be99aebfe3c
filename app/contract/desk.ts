import { z } from 'zod/mini'
import {
  boundedText,
  type Immutable,
  number,
  ofProfile,
  openObject,
  optionalNumber,
  optionalText,
  profileId,
  text,
} from './fields.ts'
import { command } from './ipc.ts'
import type { Outcome } from './outcome.ts'
import { PROGRAM_CLASSES } from './programs.ts'

const deskProgramUse = openObject({
  category: text,
  perSecond: number,
  waiting: number,
  /** When the first waiting request is expected to be sent, epoch ms. Absent if this is unknown. */
  nextTurnAt: optionalNumber,
})

/** Versions before the shared queue only have `name` and `perSecond`. */
const deskProgram = openObject({
  name: text,
  perSecond: number,
  class: z.exactOptional(z.enum(PROGRAM_CLASSES)),
  /** The program's weight relative to all programs of its class on the desk. */
  weight: optionalNumber,
  waiting: optionalNumber,
  longestWaitMs: optionalNumber,
  /** The categories that the program uses now or waits for. The most used come first. */
  use: z.exactOptional(z.array(deskProgramUse)),
})

/** A program behind the gateway of another machine of the desk. */
export interface DeskProgram extends Immutable<z.output<typeof deskProgram>> {}

const deskMember = openObject({
  id: text,
  /** The machine's name as a person chose it. By default, its host name. */
  name: text,
  /** Whether this is the member that sends the snapshot. */
  self: z.boolean(),
  /** Whether the member dispatches the desk's queue. Absent in versions without a shared queue. */
  dispatcher: z.exactOptional(z.boolean()),
  /** Whether the member reported in the last few seconds. */
  present: z.boolean(),
  /** Milliseconds since the member's last message. 0 for this machine. */
  lastSeenMs: number,
  /** Requests per second, mean of the last minute. */
  perSecond: number,
  /** Requests since the member's Headroom started. */
  total: number,
  /** `total`, split by row. Absent for this machine, because the snapshot already lists its rows. */
  counted: z.exactOptional(z.record(text, number)),
  /**
   * Programs behind the member's gateway. Absent for this machine, because the snapshot already lists them.
   */
  programs: z.exactOptional(z.array(deskProgram)),
})

/** A machine that belongs to a desk. */
export interface DeskMember extends Immutable<z.output<typeof deskMember>> {}

/**
 * Why a desk refused this machine:
 * - `rotated`: the desk's secret was replaced.
 * - `update-here`: this machine's Headroom has an older protocol than the desk.
 * - `update-there`: the Headroom on `machine` has an older protocol than this one.
 * - `other-user`: another user is signed in here.
 */
export type DeskRefusalCode = 'rotated' | 'update-here' | 'update-there' | 'other-user'

/** A newer process may send an unknown code. */
export const deskRefusalCode = text as z.ZodMiniType<DeskRefusalCode>

const deskRefusal = openObject({
  code: deskRefusalCode,
  /** Name of the machine that replaced the secret or has another version. */
  machine: optionalText,
})

/** Why a desk refuses this machine, and which other machine caused this. */
export interface DeskRefusal extends Immutable<z.output<typeof deskRefusal>> {}

/** The queue that the gateways of a desk share. */
const deskQueue = openObject({
  /**
   * - `granted`: the dispatcher decides when each program's request is sent.
   * - `starting`: this machine waits for a dispatcher's first message, for at most eight seconds.
   * - `alone`: this machine gets no turns from a dispatcher, and uses its share of each quota.
   */
  mode: z.enum(['granted', 'starting', 'alone']),
  /** Number of members that share each quota. Absent before the first message from a dispatcher. */
  members: optionalNumber,
  /**
   * The part of each quota that this machine uses while it works alone, from 0 to 1. Absent in the other
   * modes. 0: other members might not know this machine yet, so its requests wait for up to a minute.
   */
  share: optionalNumber,
  /** When this machine began to work alone, epoch ms. Absent in the other modes. */
  since: optionalNumber,
  /** Id of the member that dispatched last. Absent while a member dispatches. */
  lastDispatcher: optionalText,
})

export const deskSummary = openObject({
  /**
   * - `alone`: the NATS server can't be reached, no member has dispatched for eight seconds, or messages of
   *   this machine reach the dispatcher too late.
   * - `refused`: this machine no longer belongs to the desk, or the protocol versions differ. See `why`.
   */
  state: z.enum(['joined', 'alone', 'refused']),
  why: optionalText,
  /**
   * Why the desk refuses this machine, and which other machine caused this. If `state` is `joined`, the desk
   * accepts this machine, but the other machine has another version of the protocol.
   */
  refusal: z.exactOptional(deskRefusal),
  /** `since`: when the server became unreachable, epoch ms. `roundTripMs`: duration of the last ping. */
  engine: openObject({
    server: text,
    reachable: z.boolean(),
    since: optionalNumber,
    roundTripMs: optionalNumber,
  }),
  /** Id of the member that dispatches the queue. Absent while no messages arrive from a dispatcher. */
  dispatcher: optionalText,
  /** Absent in versions without a shared queue. */
  queue: z.exactOptional(deskQueue),
  /** This machine first, then the other machines by name. */
  members: z.array(deskMember),
  /** The id of the member that announces alerts. */
  announces: optionalText,
  /** Number of messages dropped because they were forged, repeated, truncated or from another desk. */
  dropped: number,
})

/** The desk of one key: the machines that share the key's quotas through one queue. */
export interface DeskSummary extends Immutable<z.output<typeof deskSummary>> {}

/** Limits for a person's input about a desk. Lengths in UTF-16 units. */
export const DESK_LIMITS = {
  servers: 8,
  server: 255,
  name: 40,
  tlsCa: 1024,
  invitation: 4096,
  credentials: 8192,
} as const

/** Finds the start of an invitation, of any version, in a text. */
export const INVITATION = /headroom-desk-\d+\./i

const name = z.exactOptional(boundedText(DESK_LIMITS.name))
/** Absolute path of a file with CA certificates. The server's certificate is checked against them. */
const tlsCa = z.exactOptional(boundedText(DESK_LIMITS.tlsCa))
/** `user:password`, a token, or the text of a `.creds` file. */
const credentials = z.exactOptional(boundedText(DESK_LIMITS.credentials))

/** A person's choices for a new desk. `servers`: addresses such as `nats://HOST:4222`. */
export const newDesk = z.strictObject({
  profile: profileId,
  servers: z.array(boundedText(DESK_LIMITS.server)).check(z.minLength(1), z.maxLength(DESK_LIMITS.servers)),
  name,
  tlsCa,
  credentials,
})

/** A person's choices for joining a desk. */
export const deskToJoin = z.strictObject({
  profile: profileId,
  invitation: boundedText(DESK_LIMITS.invitation),
  name,
  tlsCa,
  credentials,
})

export type DeskInvitation = Outcome<{ readonly invitation: string }>

/**
 * Commands for the desk of a connected key. An invitation contains a secret, so it is shown only to a person.
 */
export const deskContract = {
  createDesk: command(newDesk).returning<DeskInvitation>(),
  joinDesk: command(deskToJoin).returning<Outcome>(),
  deskInvitation: command(ofProfile).returning<DeskInvitation>(),
  leaveDesk: command(ofProfile).returning<Outcome>(),
  /** Makes a new secret. Every other member has to join again. */
  rotateDesk: command(ofProfile).returning<DeskInvitation>(),
} as const
