/** Capitalises the first letter. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Adds a full stop at the end if missing. */
export const sentenceEnd = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Makes a sentence: a capital at the start, and a full stop at the end if missing. */
export const sentence = (text: string): string => sentenceEnd(capitalised(text))

/** `37 more not listed`: for a list that does not fit in a snapshot. Empty if it is complete. */
export const unlistedText = (count = 0): string => (count > 0 ? `${count} more not listed` : '')
