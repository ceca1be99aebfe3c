/**
 * Shows an address in the person's browser; rejects where that is not possible. Only addresses that main built.
 *
 * Resolves with what to call once the address was used: whatever was written to open it is then removed.
 */
export type OpenUrl = (url: string) => Promise<() => void>
