import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { BUDGET_FRACTION, EVERY_SECONDS, type Range, ROTATION_MINUTES } from '../../app/contract/units.ts'
import { STREAM_KINDS } from '../../app/service/stream-kinds.ts'
import type { Profile } from '../ports/profile.ts'
import { derivedKey } from './sealing.ts'

const address = z.string().refine((text) => URL.canParse(text))

const clamped = ({ least, most }: Range, value: number) => Math.min(Math.max(value, least), most)
const within = (range: Range) => z.number().transform((value) => clamped(range, value))
/** A number clamped to a range. 0 means none, and negative numbers count as 0. */
const withinOrNone = (range: Range) =>
  z.number().transform((value) => (value <= 0 ? 0 : clamped(range, value)))

/**
 * The stored settings of a connected key.
 *
 * Numbers are clamped to the permitted range, so that a damaged or edited file can't cause too many checks.
 */
export const keySettings = z.object({
  // A value from a newer version must not allow orders.
  orders: z.enum(['on', 'stopped']).exactOptional().catch('stopped'),
  rotationMinutes: within(ROTATION_MINUTES).exactOptional(),
  probes: z.object({
    enabled: z.boolean().exactOptional(),
    budgetFraction: withinOrNone(BUDGET_FRACTION),
    everySeconds: z.record(z.string(), withinOrNone(EVERY_SECONDS)),
    symbol: z.string().exactOptional(),
    trialAfterStep: z.boolean().exactOptional(),
  }),
})

export type StoredKeySettings = z.output<typeof keySettings>

/** The unencrypted part of a stored profile. Its secrets are separate, sealed records. */
export const profileAbout = z.object({
  name: z.string(),
  environment: z.enum(['live', 'sim', 'simulator', 'custom']),
  authUrl: address,
  baseUrl: address,
  clientId: z.string(),
  audience: z.string().exactOptional(),
  hasClientSecret: z.boolean(),
  /** See `addressMark`. The secrets of a profile without a mark are not used. */
  mark: z.string().exactOptional(),
  isGiven: z.literal(true).exactOptional(),
  ...keySettings.shape,
  streams: z.array(
    z.object({
      kind: z.enum(STREAM_KINDS),
      target: z.string(),
      options: z.record(z.string(), z.string()),
    }),
  ),
})

export type ProfileAbout = z.output<typeof profileAbout>

/**
 * The part of a profile that is stored unencrypted. An explicit list keeps a new field of `Profile` from
 * being stored by accident.
 */
export function aboutOf(profile: Omit<Profile, 'refreshToken'>): ProfileAbout {
  const { name, environment, authUrl, baseUrl, clientId, audience, streams, isGiven } = profile
  return {
    name,
    environment,
    authUrl,
    baseUrl,
    clientId,
    ...(audience !== undefined && { audience }),
    hasClientSecret: profile.clientSecret !== undefined,
    ...(isGiven && { isGiven }),
    ...keySettingsOf(profile),
    streams: streams.map(({ kind, target, options }) => ({ kind, target, options: { ...options } })),
  }
}

/** The settings of a profile, listed explicitly as in `aboutOf`. */
export function keySettingsOf({
  probes,
  rotationMinutes,
  orders,
}: Pick<Profile, 'probes' | 'rotationMinutes' | 'orders'>): StoredKeySettings {
  const { enabled, budgetFraction, everySeconds, symbol, trialAfterStep } = probes
  return {
    ...(rotationMinutes !== undefined && { rotationMinutes }),
    ...(orders !== undefined && { orders }),
    probes: {
      ...(enabled !== undefined && { enabled }),
      budgetFraction,
      everySeconds: { ...everySeconds },
      ...(symbol !== undefined && { symbol }),
      ...(trialAfterStep !== undefined && { trialAfterStep }),
    },
  }
}

/**
 * A keyed digest of the addresses to which a profile's secrets may be sent, in hexadecimal digits.
 *
 * The addresses are stored unencrypted, so that a key can be displayed by name while its keystore is locked.
 * Without this digest, a program that can change the file could make Headroom send the token to another host
 * at the next start.
 */
export function addressMark(
  dataKey: Uint8Array,
  id: string,
  { authUrl, baseUrl, clientId }: Pick<Profile, 'authUrl' | 'baseUrl' | 'clientId'>,
): string {
  const key = derivedKey(dataKey, 'addresses')
  return createHmac('sha256', key)
    .update(JSON.stringify([id, authUrl, baseUrl, clientId]), 'utf8')
    .digest('hex')
}
