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

const deskProgram = openObject({ name: text, perSecond: number })

const deskMember = openObject({
  id: text,
  /** The machine's name, as a person chose it; by default its host name. */
  name: text,
  /** Whether this is the member that sends the snapshot. */
  self: z.boolean(),
  /** Whether the member reported in the last few seconds. */
  present: z.boolean(),
  /** Milliseconds since its last message; 0 for this machine. */
  lastSeenMs: number,
  /** Requests per second, mean of the last minute. */
  perSecond: number,
  /** Requests since its Headroom started. */
  total: number,
  /** Its `total` by row; absent for this machine, whose rows the snapshot lists. */
  counted: z.exactOptional(z.record(text, number)),
  /** The programs behind its gateway; absent for this machine, whose programs the snapshot lists. */
  programs: z.exactOptional(z.array(deskProgram)),
})

/** One Headroom of a desk. */
export interface DeskMember extends Immutable<z.output<typeof deskMember>> {}

/**
 * Why a desk refused this machine. `rotated`: the secret was replaced. `update-here`, `update-there`: this
 * machine's Headroom, or `machine`'s, has an older protocol. `other-user`: another user is signed in here.
 */
export type DeskRefusalCode = 'rotated' | 'update-here' | 'update-there' | 'other-user'

/** A newer process may send an unknown code. */
export const deskRefusalCode = text as z.ZodMiniType<DeskRefusalCode>

const deskRefusal = openObject({
  code: deskRefusalCode,
  /** The member concerned: the one that replaced the secret, or that has another version. */
  machine: optionalText,
})

/** Why a desk refuses this machine, and the member concerned. */
export interface DeskRefusal extends Immutable<z.output<typeof deskRefusal>> {}

export const deskSummary = openObject({
  /**
   * `alone`: the NATS server cannot be reached. `refused`: this machine does not belong to the desk any more,
   * or its Headroom has another version of the protocol; `why` says which.
   */
  state: z.enum(['joined', 'alone', 'refused']),
  why: optionalText,
  /** The same for programs, and who is concerned. With `joined`, another member has another version. */
  refusal: z.exactOptional(deskRefusal),
  /** `since`: when the server could last not be reached, epoch ms. `roundTripMs`: of the last ping. */
  engine: openObject({
    server: text,
    reachable: z.boolean(),
    since: optionalNumber,
    roundTripMs: optionalNumber,
  }),
  /** This machine first, then the others by name. */
  members: z.array(deskMember),
  /** The id of the member that announces alerts. */
  announces: optionalText,
  /** Messages that were dropped since the start: forged, repeated, truncated or of another desk. */
  dropped: number,
})

/** The desk of one key: the machines that share what they see of its quotas. */
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

/** Text that contains the start of an invitation, of this version or another. */
export const INVITATION = /headroom-desk-\d+\./i

const name = z.exactOptional(boundedText(DESK_LIMITS.name))
/** An absolute path of a file with the certificates that the server's certificate is checked against. */
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

/** The desk of a connected key. An invitation contains a secret and is shown to a person only. */
export const deskContract = {
  createDesk: command(newDesk).returning<DeskInvitation>(),
  joinDesk: command(deskToJoin).returning<Outcome>(),
  deskInvitation: command(ofProfile).returning<DeskInvitation>(),
  leaveDesk: command(ofProfile).returning<Outcome>(),
  /** Makes a new secret. Every other member has to join again. */
  rotateDesk: command(ofProfile).returning<DeskInvitation>(),
} as const
