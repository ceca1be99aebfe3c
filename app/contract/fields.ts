import { z } from 'zod/mini'

/** The deeply `readonly` form of a parser's result. */
export type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T

/**
 * An object that may have further fields from a newer version. Undeclared fields pass unchanged.
 *
 * The type has only the declared fields, so that a misspelt field does not compile.
 */
export const openObject = <F extends z.core.$ZodShape>(fields: F) =>
  z.looseObject(fields) as unknown as z.ZodMiniObject<F, z.core.$strip>

/** A finite number: JSON cannot represent NaN or infinity. */
export const number = z.number()
export const optionalNumber = z.exactOptional(number)
export const text = z.string()
export const optionalText = z.exactOptional(text)

/** Non-empty text of at most `most` UTF-16 units. */
export const boundedText = (most: number) => z.string().check(z.minLength(1), z.maxLength(most))

/** Id of a connected key. */
export const profileId = boundedText(64)
/** The service's name for a category of quotas. */
export const categoryName = boundedText(128)

export const ofProfile = z.strictObject({ profile: profileId })
