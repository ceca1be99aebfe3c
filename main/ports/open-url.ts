/** Shows an address in the person's browser; rejects where that is not possible. Only addresses that main built. */
export type OpenUrl = (url: string) => Promise<void>
