/**
 * Opens an address in the user's browser; rejects where that is not possible. Only for addresses that main built.
 *
 * Resolves with a function to call after the address was used: it removes any file that was written to open it.
 */
export type OpenUrl = (url: string) => Promise<() => void>
