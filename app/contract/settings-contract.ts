import { z } from 'zod/mini'
import type { Outcome } from './contract.ts'
import { command, type Parse } from './ipc.ts'
import {
  BUDGET_FRACTION,
  EVERY_SECONDS,
  type HeldSettings,
  isWithin,
  type Range,
  ROTATION_MINUTES,
} from './key-settings.ts'

const parsedBy =
  <S extends z.ZodMiniType>(schema: S): Parse<z.output<S>> =>
  (value) =>
    schema.parse(value)

const MAX_INTERVALS = 32

const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most))
const profile = text(64)
const from = ({ least, most }: Range) => z.number().check(z.gte(least), z.lte(most))
const seconds = z.number().check(z.refine((value) => value === 0 || isWithin(EVERY_SECONDS, value)))

/** What a person may set of one connected key. */
export const settingsContract = {
  keySettings: command(parsedBy(z.strictObject({ profile }))).returning<Outcome<HeldSettings>>(),
  /** What is left out stays as it is. Refused whole where a part of it cannot be, or cannot be stored. */
  setKeySettings: command(
    parsedBy(
      z.strictObject({
        profile,
        probesEnabled: z.optional(z.boolean()),
        budgetFraction: z.optional(from(BUDGET_FRACTION)),
        symbol: z.optional(text(40)),
        /** Takes the place of all intervals. */
        everySeconds: z.optional(
          z
            .record(text(128), seconds)
            .check(z.refine((intervals) => Object.keys(intervals).length <= MAX_INTERVALS)),
        ),
        trialAfterStep: z.optional(z.boolean()),
        rotationMinutes: z.optional(from(ROTATION_MINUTES)),
      }),
    ),
  ).returning<Outcome<HeldSettings>>(),
} as const
