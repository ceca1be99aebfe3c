import { z } from 'zod'
import { STREAM_KINDS } from '../../app/service/streams.ts'
import type { Profile } from '../profile.ts'

const address = z.string().refine((text) => URL.canParse(text))

/** What is stored of a profile in the clear. Its secrets are records of their own, sealed. */
export const profileAbout = z.object({
  name: z.string(),
  environment: z.enum(['live', 'sim', 'simulator', 'custom']),
  authUrl: address,
  baseUrl: address,
  clientId: z.string(),
  audience: z.string().exactOptional(),
  rotationMinutes: z.number().positive().exactOptional(),
  hasClientSecret: z.boolean(),
  /** See addressMark; a profile without one is not trusted with its secrets. */
  mark: z.string().exactOptional(),
  probes: z.object({
    budgetFraction: z.number(),
    everySeconds: z.record(z.string(), z.number()),
    symbol: z.string().exactOptional(),
    trialAfterStep: z.boolean().exactOptional(),
  }),
  streams: z.array(
    z.object({
      kind: z.enum(STREAM_KINDS),
      target: z.string(),
      options: z.record(z.string(), z.string()),
    }),
  ),
})

export type ProfileAbout = z.output<typeof profileAbout>

/** Named one by one: a field that is added to Profile is not stored, in the clear, by accident. */
export function aboutOf(profile: Omit<Profile, 'refreshToken'>): ProfileAbout {
  const { name, environment, authUrl, baseUrl, clientId, audience, rotationMinutes, probes, streams } =
    profile
  return {
    name,
    environment,
    authUrl,
    baseUrl,
    clientId,
    ...(audience !== undefined && { audience }),
    ...(rotationMinutes !== undefined && { rotationMinutes }),
    hasClientSecret: profile.clientSecret !== undefined,
    probes: {
      budgetFraction: probes.budgetFraction,
      everySeconds: { ...probes.everySeconds },
      ...(probes.symbol !== undefined && { symbol: probes.symbol }),
      ...(probes.trialAfterStep !== undefined && { trialAfterStep: probes.trialAfterStep }),
    },
    streams: streams.map(({ kind, target, options }) => ({ kind, target, options: { ...options } })),
  }
}
