/** Capitalises the first letter. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Adds a full stop at the end if missing. */
export const sentenceEnd = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Makes a sentence: a capital at the start, and a full stop at the end if missing. */
export const sentence = (text: string): string => sentenceEnd(capitalised(text))

/** `37 more not listed`, after a list that a snapshot shortens. Empty if the list is complete. */
export const unlistedText = (count = 0): string => (count > 0 ? `${count} more not listed` : '')
