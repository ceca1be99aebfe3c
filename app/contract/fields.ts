import { z } from 'zod/mini'

/** The deeply `readonly` form of what a parser returns. */
export type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T

/**
 * An object of which a newer version may say more: fields that are not declared here pass as they are.
 *
 * The type has the declared fields only, so that a misspelt one does not compile.
 */
export const openObject = <F extends z.core.$ZodShape>(fields: F) =>
  z.looseObject(fields) as unknown as z.ZodMiniObject<F, z.core.$strip>

/** JSON has no spelling for NaN or infinity, and no table could show them. */
export const number = z.number()
export const optionalNumber = z.exactOptional(number)
export const text = z.string()
export const optionalText = z.exactOptional(text)

/** A text of an argument: not empty, and at most `most` UTF-16 units. */
export const boundedText = (most: number) => z.string().check(z.minLength(1), z.maxLength(most))

/** What names one connected key. */
export const profileId = boundedText(64)
/** A category of the service's quotas, by its name there. */
export const categoryName = boundedText(128)

export const ofProfile = z.strictObject({ profile: profileId })
