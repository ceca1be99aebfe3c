/** A law does not hold. */
export function breach(what: string): never {
  throw new Error(what)
}
