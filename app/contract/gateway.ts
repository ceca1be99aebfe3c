import { z } from 'zod/mini'
import { profileId } from './fields.ts'
import { command, nothing } from './ipc.ts'
import type { Outcome } from './outcome.ts'
import { PROGRAM_CLASSES, PROGRAM_LIMITS, PROGRAM_NAME } from './programs.ts'
import type { GatewaySummary, ProgramSummary } from './snapshot.ts'

/** A program, and the connected key that it uses. */
export interface ListedProgram extends ProgramSummary {
  readonly profile: string
}

/** The gateway and all its programs, including those of disconnected keys. */
export interface GatewayOverview {
  readonly gateway: GatewaySummary
  readonly programs: readonly ListedProgram[]
  /** Default port of the gateway when it is turned on. 0 means any free port. */
  readonly nextPort: number
}

const name = z.string().check(z.minLength(1), z.maxLength(PROGRAM_LIMITS.name), z.regex(PROGRAM_NAME))
const { weight, maxOrders } = PROGRAM_LIMITS

/** The gateway, through which programs on this machine use a key. */
export const gatewayContract = {
  gateway: command(nothing).returning<GatewayOverview>(),
  /**
   * Turns the gateway on or off. The choice persists across restarts. `port` is used only when the gateway is
   * turned on. 0 means any free port.
   */
  setGateway: command(
    z.strictObject({
      on: z.boolean(),
      port: z.exactOptional(z.int().check(z.gte(0), z.lte(65_535))),
    }),
  ).returning<Outcome>(),
  /** Adds a program. Only this response contains the program's key. */
  addProgram: command(
    z.strictObject({
      name,
      class: z.enum(PROGRAM_CLASSES),
      weight: z.number().check(z.gte(weight.least), z.lte(weight.most)),
      /** Maximum number of orders in any minute. Without it, the program is not allowed to send orders. */
      maxOrders: z.exactOptional(z.int().check(z.gte(maxOrders.least), z.lte(maxOrders.most))),
      profile: profileId,
    }),
  ).returning<Outcome<{ readonly key: string }>>(),
  /** Immediately revokes a program's key and closes its open streams. */
  cutProgram: command(z.strictObject({ name })).returning<Outcome>(),
  /**
   * Pauses a program for `PAUSE_MINUTES`. Its requests get 429, but its open streams continue. `until` is the
   * end of the pause, epoch ms.
   */
  pauseProgram: command(z.strictObject({ name })).returning<Outcome<{ readonly until: number }>>(),
  resumeProgram: command(z.strictObject({ name })).returning<Outcome>(),
} as const
