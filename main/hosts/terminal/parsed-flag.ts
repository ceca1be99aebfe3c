import { InvalidArgumentError } from 'commander'

/** What a flag's parser makes of its text: the value, or a sentence on what was expected. */
export type ParsedFlag<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly expected: string }

export const parsed = <T>(value: T): ParsedFlag<T> => ({ ok: true, value })
export const expected = (what: string): ParsedFlag<never> => ({ ok: false, expected: what })

/** As commander wants it. Its message names the flag and repeats the value; this says what was expected. */
export const argument =
  <T>(parse: (text: string) => ParsedFlag<T>) =>
  (text: string): T => {
    const result = parse(text)
    if (!result.ok) throw new InvalidArgumentError(`Expected ${result.expected}.`)
    return result.value
  }

/** For a repeatable flag. */
export const repeated =
  <T>(parse: (text: string) => ParsedFlag<T>) =>
  (text: string, before: readonly T[] | undefined): readonly T[] => [...(before ?? []), argument(parse)(text)]
