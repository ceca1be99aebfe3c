import { z } from 'zod'
import type { LoggedEvent } from '../../app/contract/events.ts'

const text = z.string()
const retryAt = z.number().exactOptional()
const requestId = text.exactOptional()

const logged = { seq: z.number(), at: z.number(), profile: text }
const streams = { ...logged, stream: text, category: text, target: text, reason: text }

/** One schema a kind. Loose: a field that a kind was given later is kept. */
export const eventSchemas = [
  z.looseObject({
    kind: z.literal('token-refreshed'),
    ...logged,
    rotated: z.boolean(),
    expiresAt: z.number(),
  }),
  z.looseObject({
    kind: z.literal('token-refresh-failed'),
    ...logged,
    outcome: z.enum(['refused', 'misconfigured', 'later', 'not-sent', 'malformed', 'unknown']),
    why: text.exactOptional(),
    retryAt,
  }),
  z.looseObject({
    kind: z.literal('sign-in-required'),
    ...logged,
    reason: text,
    cause: z.literal('misconfigured').exactOptional(),
  }),
  z.looseObject({ kind: z.literal('sign-in-due'), ...logged, endsAt: z.number() }),
  z.looseObject({ kind: z.literal('revoked'), ...logged }),
  z.looseObject({ kind: z.literal('revoke-unconfirmed'), ...logged, reason: text, retryAt }),
  z.looseObject({
    kind: z.literal('service-unreachable'),
    ...logged,
    host: text,
    why: text.exactOptional(),
    retryAt,
  }),
  z.looseObject({ kind: z.literal('service-back'), ...logged, host: text }),
  z.looseObject({ kind: z.literal('storage-problem'), ...logged, what: text }),
  z.looseObject({ kind: z.literal('window-admitted'), ...logged, window: text, open: z.number() }),
  z.looseObject({
    kind: z.literal('rate-limited'),
    ...logged,
    category: text,
    retryAt: z.number(),
    requestId,
  }),
  z.looseObject({
    kind: z.literal('slots-exhausted'),
    ...logged,
    category: text,
    requestId,
    proposal: z
      .looseObject({ stream: text, target: text, openedAt: z.number(), framesPerSecond: z.number() })
      .exactOptional(),
  }),
  z.looseObject({ kind: z.literal('stream-opened'), ...streams }),
  z.looseObject({ kind: z.literal('stream-restarted'), ...streams }),
  z.looseObject({ kind: z.literal('stream-closed'), ...streams }),
  z.looseObject({ kind: z.literal('elsewhere'), ...logged, category: text, perSecond: z.number() }),
  z.looseObject({
    kind: z.literal('elsewhere-ended'),
    ...logged,
    category: text,
    perSecond: z.number(),
    since: z.number(),
  }),
] as const

const event: z.ZodType<LoggedEvent> = z.discriminatedUnion('kind', eventSchemas)

/**
 * An event as the history gives it back.
 *
 * `undefined` for a kind that this version does not know, as after a step back to an older one, and for a text that is
 * none any more: one such row may not cost a person all the others.
 */
export function storedEvent(body: unknown): LoggedEvent | undefined {
  try {
    return event.safeParse(JSON.parse(String(body))).data
  } catch {
    return undefined
  }
}
