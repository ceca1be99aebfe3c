import { expected, type ParsedFlag, parsed } from './parsed-flag.ts'

/** One of a few words. */
export const wordFlag =
  <const W extends string>(words: readonly W[]) =>
  (text: string): ParsedFlag<W> => {
    const word = words.find((known) => known === text)
    return word === undefined ? expected(`one of ${words.join(', ')}`) : parsed(word)
  }

/** An id or a folder. A leading `--` is the next flag, swallowed because this one has no value. */
export function textFlag(text: string): ParsedFlag<string> {
  const usable = text.trim() !== '' && !/\p{Cc}/u.test(text) && !text.startsWith('--')
  return usable ? parsed(text) : expected('text that is not empty')
}
