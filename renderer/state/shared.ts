/**
 * Returns `after`, but with the objects of `before` for all parts that are equal. Both must be plain JSON
 * data.
 *
 * Up to four snapshots per second are parsed, mostly with unchanged content. A component does not render
 * again for the same object.
 */
export function shared<T>(before: unknown, after: T): T {
  if (Object.is(before, after)) return after
  if (Array.isArray(before) && Array.isArray(after)) {
    const parts = after.map((part, index) => shared(before[index], part))
    return sameParts(before, parts) ? (before as T) : (parts as T)
  }
  if (!isPlain(before) || !isPlain(after)) return after
  const parts = Object.fromEntries(
    Object.entries(after).map(([name, part]) => [
      name,
      shared(Object.hasOwn(before, name) ? before[name] : undefined, part),
    ]),
  )
  const isSame =
    Object.keys(before).length === Object.keys(parts).length &&
    Object.keys(parts).every((name) => Object.hasOwn(before, name) && Object.is(before[name], parts[name]))
  return (isSame ? before : parts) as T
}

const sameParts = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((part, index) => Object.is(part, b[index]))

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
