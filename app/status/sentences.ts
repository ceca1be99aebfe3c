/** The text with a capital at its beginning. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The text as a sentence: a capital at its beginning and a full stop at its end, where it has none. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? capitalised(text) : `${capitalised(text)}.`
}

/** `37 more not listed`: beside a list of which a snapshot has no room for the rest. Empty where it lists all. */
export const unlistedText = (count = 0): string => (count > 0 ? `${count} more not listed` : '')
