/** Throws, because an invariant does not hold. */
export function violation(what: string): never {
  throw new Error(what)
}
